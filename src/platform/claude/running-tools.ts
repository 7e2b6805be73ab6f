import { descendantsOf, environmentOf, findMarked, type ProcessMark } from '../process/index.ts';

/** The variable that Claude Code sets for the commands of the model, and for its MCP servers. */
const OF_CLAUDE_CODE = 'CLAUDECODE=1';
/**
 * Matches the variable by which Claude Code tells its MCP servers from the commands of the model, where the value ends
 * in `_agent` (2.1.329 to 2.1.332).
 */
const OF_THE_HARNESS = /^AI_AGENT=.*_harness$/;

/**
 * Reports whether commands that Claude Code started for a session are still running. Such commands are either
 * descendants of the Claude Code process, or detached from it (`nohup`, `setsid`) but recognizable by its launch mark.
 * All of them end when the session's processes are ended.
 */
export async function runsTools(agentPid: number, mark: ProcessMark): Promise<boolean> {
  const running = await Promise.all([descendantsOf([agentPid]), findMarked(mark)]);
  return running.flat().some(({ pid }) => {
    const environment = environmentOf(pid);
    return environment.includes(OF_CLAUDE_CODE) && !environment.some((variable) => OF_THE_HARNESS.test(variable));
  });
}
