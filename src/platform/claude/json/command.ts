import type { PermissionMode } from '../../../protocol/index.ts';
import type { LaunchConversation } from '../conversation.ts';
import { forkArguments } from '../launch.ts';

export interface JsonCommandOptions {
  /** absolute path of the Claude Code executable */
  program: string;
  /** a new conversation with this id (a UUID), an earlier conversation to continue, or a copy of one under a new id */
  conversation: LaunchConversation;
  permissionMode: PermissionMode;
  model: string | null;
  maxBudgetUsd: number | null;
  /** the file that `writeGuardedSettings` wrote, or null if there is none */
  settingsFile: string | null;
  /** the user's own arguments, which follow those of CBOS */
  args: readonly string[];
}

/**
 * Returns the command for a Claude Code process that uses stream-json in both directions and can run any number of
 * turns (seen in 2.1.329). Without `--permission-prompt-tool stdio`, Claude Code would deny everything that it has to
 * ask about. Without a permission mode, it may choose auto. `--replay-user-messages` makes it confirm each prompt and
 * each answer that it has accepted.
 */
export function jsonCommand(options: JsonCommandOptions): string[] {
  const { program, conversation, permissionMode, model, maxBudgetUsd, settingsFile, args } = options;
  return [
    program,
    '--print',
    ...['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
    ...['--include-partial-messages', '--replay-user-messages'],
    ...['--permission-prompt-tool', 'stdio', '--permission-mode', permissionMode],
    ...(model === null ? [] : ['--model', model]),
    ...(maxBudgetUsd === null ? [] : ['--max-budget-usd', String(maxBudgetUsd)]),
    ...conversationArguments(conversation),
    ...(settingsFile === null ? [] : ['--settings', settingsFile]),
    ...args,
  ];
}

function conversationArguments(conversation: LaunchConversation): string[] {
  if (conversation.kind === 'fork') return forkArguments(conversation);
  return [conversation.kind === 'resume' ? '--resume' : '--session-id', conversation.sessionId];
}

/** Variables that are added to the session's environment if Claude Code uses stream-json. */
export const JSON_ENVIRONMENT: Readonly<Record<string, string>> = { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1' };
