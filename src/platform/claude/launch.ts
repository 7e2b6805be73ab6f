import { choosesConversation, withoutSettings } from '../../core/launch/index.ts';
import type { PermissionMode } from '../../protocol/index.ts';
import type { LaunchConversation } from './conversation.ts';
import { hookEventsOf } from './hook-settings.ts';
import { type ClaudeVersion, isAtLeast, parseClaudeVersion } from './version.ts';

/**
 * The first known version that supports `--session-id`, which lets CBOS choose the conversation's id. Version 1.0.60
 * lacks this option.
 */
const FIRST_WITH_SESSION_ID = '1.0.128';

export interface LaunchOptions {
  /** absolute path of the Claude Code executable */
  program: string;
  version: ClaudeVersion;
  /** the file that `writeHookSettings` wrote; omitted if the version supports no hooks */
  settingsFile: string;
  /** a new conversation with this id (a UUID), an earlier conversation to continue, or a copy of one under a new id */
  conversation: LaunchConversation;
  permissionMode?: PermissionMode;
  model?: string;
  /** the user's own arguments, which follow those of CBOS */
  args?: readonly string[];
}

export interface Launch {
  /** executable and arguments; never a shell command line */
  argv: string[];
  /**
   * the conversation's id if it is known before the start; otherwise null, and the first hook or the registry reports
   * the id later
   */
  sessionId: string | null;
  /** whether hooks will fire in the session */
  hooks: boolean;
}

/** The first version known to copy a conversation from its file and to accept an id for the copy (2.0.77). */
const FIRST_WITH_FORK = '2.0.77';

/** Reports whether a version can fork conversations. For an unknown version, CBOS tries it. */
export function canFork(version: string | null): boolean {
  const known = version === null ? null : parseClaudeVersion(version);
  return known === null || isAtLeast(known, FIRST_WITH_FORK);
}

/** The first known version that finds a conversation by its id from any folder; 2.1.150 looks only in its own one. */
const FIRST_TO_FIND_ANYWHERE = '2.1.250';

/** Reports whether a version can continue a conversation in any folder, whichever folder it took place in. */
export const findsConversationsAnywhere = (version: ClaudeVersion): boolean =>
  isAtLeast(version, FIRST_TO_FIND_ANYWHERE);

/** Returns the command that starts Claude Code interactively. */
export function buildLaunch(options: LaunchOptions): Launch {
  const own = options.args ?? [];
  const argv = [options.program];
  const hooks = hookEventsOf(options.version).length > 0;
  if (hooks) argv.push('--settings', options.settingsFile);
  if (options.permissionMode !== undefined) argv.push('--permission-mode', options.permissionMode);
  if (options.model !== undefined) argv.push('--model', options.model);
  let sessionId: string | null = null;
  // Arguments that choose the conversation would contradict those of CBOS.
  if (!choosesConversation(own)) {
    if (options.conversation.kind === 'resume') {
      sessionId = options.conversation.sessionId;
      argv.push('--resume', sessionId);
    } else if (options.conversation.kind === 'fork') {
      sessionId = options.conversation.sessionId;
      argv.push(...forkArguments(options.conversation));
    } else if (isAtLeast(options.version, FIRST_WITH_SESSION_ID)) {
      sessionId = options.conversation.sessionId;
      argv.push('--session-id', sessionId);
    }
  }
  // Of several settings, Claude Code takes only the last (2.1.330). The file contains those of the user as well.
  argv.push(...(hooks ? withoutSettings(own) : own));
  return { argv, sessionId, hooks };
}

/**
 * Returns the arguments that copy a conversation under a new id. `--resume` receives the path of the transcript,
 * because Claude Code looks up an id only in the folder of the launch (up to 2.1.150).
 */
export function forkArguments({ from, sessionId }: { from: string; sessionId: string }): string[] {
  return ['--resume', from, '--fork-session', '--session-id', sessionId];
}

/**
 * Returns what {@link buildLaunch} requested, as far as a process's arguments reveal it. CBOS uses this for a session
 * that is not in its database.
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
