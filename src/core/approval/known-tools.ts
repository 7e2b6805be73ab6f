/**
 * Every tool that Claude Code 2.1.330 can offer: the list in its program, with the tools whose input the types in its
 * package describe. The names of MCP tools begin with `mcp__`.
 */
const TOOLS: readonly string[] = [
  ...['Agent', 'Artifact', 'AskUserQuestion', 'Bash', 'ClaudeDesign', 'CronCreate', 'CronDelete', 'CronList'],
  ...['Edit', 'EndConversation', 'EnterPlanMode', 'EnterWorktree', 'ExitPlanMode', 'ExitWorktree', 'Glob', 'Grep'],
  ...['ListAgents', 'ListMcpResourcesTool', 'LSP', 'Monitor', 'NotebookEdit', 'OfferChromeSetup', 'PowerShell'],
  ...['Projects', 'ProposeGoal', 'propose_skills', 'PushNotification', 'Read', 'ReadMcpResourceDirTool'],
  ...['ReadMcpResourceTool', 'ReadNotifications', 'RefreshMcpTools', 'RemoteTrigger', 'ReportFindings', 'REPL'],
  ...['ScheduleWakeup', 'SendFeedback', 'SendMessage', 'SendUserFile', 'SendUserMessage', 'SetGoal'],
  ...['ShareOnboardingGuide', 'ShowOnboardingRolePicker', 'Skill', 'StructuredOutput', 'SubagentHandback'],
  ...['SubscribePR', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskStop', 'TaskUpdate', 'TodoWrite', 'ToolSearch'],
  ...['WaitForMcpServers', 'WebBrowser', 'WebFetch', 'WebSearch', 'Workflow', 'Write'],
];

/**
 * The names of tools in earlier versions of Claude Code (1.0 to 2.1), which CBOS supports as well. 2.1.330 itself still
 * understands most of them as other names of its tools, and its JSON sessions call `Agent` `Task`.
 */
const EARLIER: readonly string[] = [
  ...['Task', 'LS', 'MultiEdit', 'NotebookRead', 'TodoRead', 'exit_plan_mode', 'BashOutput', 'KillBash', 'KillShell'],
  ...['SlashCommand', 'AgentOutputTool', 'TaskOutput', 'ListPeers', 'Brief', 'ListMcpResources', 'ReadMcpResource'],
  ...['ReadMcpResourceDir', 'Config', 'Sleep', 'TeamCreate', 'TeamDelete'],
];

/** The names of all the tools that Claude Code has or had, without those of MCP servers. */
export const KNOWN_TOOLS: readonly string[] = [...TOOLS, ...EARLIER];
