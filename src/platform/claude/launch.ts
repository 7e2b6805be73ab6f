import type { PermissionMode } from '../../protocol/index.ts';
import { hookEventsOf } from './hook-settings.ts';
import { type ClaudeVersion, isAtLeast } from './version.ts';

/** The first known version with `--session-id`, with which CBOS chooses the conversation's id. 1.0.60 lacks it. */
const FIRST_WITH_SESSION_ID = '1.0.128';

export interface LaunchOptions {
  /** absolute path of the program */
  program: string;
  version: ClaudeVersion;
  /** the file of `writeHookSettings`; omitted if the version supports no hooks */
  settingsFile: string;
  /** a new conversation with this id (a UUID), or an earlier one to continue */
  conversation: { kind: 'new'; sessionId: string } | { kind: 'resume'; sessionId: string };
  permissionMode?: PermissionMode;
  model?: string;
  /** the user's own arguments, after ours */
  args?: readonly string[];
}

export interface Launch {
  /** program and arguments; never a shell line */
  argv: string[];
  /**
   * the conversation's id if it is known before the start; otherwise null, and the first hook or the registry reports
   * it
   */
  sessionId: string | null;
  /** whether hooks will fire */
  hooks: boolean;
}

/** The user's own arguments that choose the conversation. They would contradict ours. */
const CHOOSES_CONVERSATION = /^(--(continue|resume|session-id|from-pr)(=|$)|-c$|-r$)/;

/** Returns the command of an interactive Claude Code. */
export function buildLaunch(options: LaunchOptions): Launch {
  const own = options.args ?? [];
  const argv = [options.program];
  const hooks = hookEventsOf(options.version).length > 0;
  if (hooks) argv.push('--settings', options.settingsFile);
  if (options.permissionMode !== undefined) argv.push('--permission-mode', options.permissionMode);
  if (options.model !== undefined) argv.push('--model', options.model);
  let sessionId: string | null = null;
  if (!own.some((argument) => CHOOSES_CONVERSATION.test(argument))) {
    if (options.conversation.kind === 'resume') {
      sessionId = options.conversation.sessionId;
      argv.push('--resume', sessionId);
    } else if (isAtLeast(options.version, FIRST_WITH_SESSION_ID)) {
      sessionId = options.conversation.sessionId;
      argv.push('--session-id', sessionId);
    }
  }
  argv.push(...own);
  return { argv, sessionId, hooks };
}

/**
 * Returns what {@link buildLaunch} requested, as far as a process's arguments show it. It is used for a session that
 * nobody remembers.
 */
export function readLaunch(argv: readonly string[]): {
  sessionId: string | null;
  version: string | null;
  permissionMode: string | null;
  model: string | null;
} {
  const after = (flag: string): string | null => argv[argv.indexOf(flag, 1) + 1 || argv.length] ?? null;
  const settings = after('--settings');
  return {
    sessionId: after('--session-id') ?? after('--resume'),
    version: /\/claude-hooks\/(\d+\.\d+\.\d+)(?:-[0-9a-f]+)?\.json$/.exec(settings ?? '')?.[1] ?? null,
    permissionMode: after('--permission-mode'),
    model: after('--model'),
  };
}
