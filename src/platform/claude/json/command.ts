import type { PermissionMode } from '../../../protocol/index.ts';

export interface JsonCommandOptions {
  /** absolute path of the program */
  program: string;
  /** a new conversation with this id (a UUID), or an earlier one to go on with */
  conversation: { kind: 'new' | 'resume'; sessionId: string };
  permissionMode: PermissionMode;
  model: string | null;
  maxBudgetUsd: number | null;
  /** the user's own arguments, after ours */
  args: readonly string[];
}

/**
 * The command of a Claude Code that speaks stream-json both ways and serves many turns (seen on 2.1.329). Without
 * `--permission-prompt-tool stdio` it would deny whatever it had to ask; without a permission mode it may choose auto.
 * `--replay-user-messages` says of each prompt, and of each answer, that it was taken.
 */
export function jsonCommand(options: JsonCommandOptions): string[] {
  const { program, conversation, permissionMode, model, maxBudgetUsd, args } = options;
  return [
    program,
    '--print',
    ...['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'],
    ...['--include-partial-messages', '--replay-user-messages'],
    ...['--permission-prompt-tool', 'stdio', '--permission-mode', permissionMode],
    ...(model === null ? [] : ['--model', model]),
    ...(maxBudgetUsd === null ? [] : ['--max-budget-usd', String(maxBudgetUsd)]),
    ...[conversation.kind === 'resume' ? '--resume' : '--session-id', conversation.sessionId],
    ...args,
  ];
}

/** What a Claude Code that is driven so has in its environment beside the session's. */
export const JSON_ENVIRONMENT: Readonly<Record<string, string>> = { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1' };
