import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { guardedCall } from './call-guard.ts';
import { LAUNCH_VARIABLE, SPOOL_VARIABLE } from './environment.ts';
import { openPlace, PAYLOAD_WITH_WAIT, PRINT_REPLY, READ_PAYLOAD } from './reply-hook.ts';
import type { StatusLine } from './status-line.ts';
import { waitAtGate } from './turn-gate.ts';
import { type ClaudeVersion, formatClaudeVersion, isAtLeast } from './version.ts';

/**
 * Since which version each event may be listed. An unknown name is never harmless: 1.0.128 and 2.0.30 silently ignore
 * the whole file, and 2.0.77 to 2.1.329 block the start with a settings dialog. Each event was seen to fire in the
 * listed version. Some names are older.
 */
const EVENTS_SINCE: readonly (readonly [since: string, names: readonly string[]])[] = [
  [
    '1.0.128',
    [
      'SessionStart',
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'Notification',
      'Stop',
      'SubagentStop',
      'PreCompact',
      'SessionEnd',
    ],
  ],
  ['2.0.77', ['PermissionRequest', 'SubagentStart']],
  ['2.1.150', ['StopFailure', 'PostCompact']],
  ['2.1.329', ['PostToolUseFailure']],
];

/** Events that accept a matcher. `*` matches all tools. */
const MATCHED: ReadonlySet<string> = new Set(['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PermissionRequest']);

/**
 * Returns the names of the hooks that a version supports. Returns an empty result if it supports none (1.0.60 has no
 * `--settings` and exits when given that flag).
 */
export function hookEventsOf(version: ClaudeVersion): string[] {
  return EVENTS_SINCE.flatMap(([since, names]) => (isAtLeast(version, since) ? names : []));
}

/**
 * Names the payload's file: `NANOSECONDS.LAUNCH.PPID.PID.UPTIME`. The launch identifies the session, and the machine's
 * uptime in seconds does not change when the clock is set.
 * @param claude an expression for the pid of the Claude Code process
 */
export const nameDrop = (claude: string): string =>
  `umask 077;read -r u _ </proc/uptime;n=$(date +%s%N).$${LAUNCH_VARIABLE}.${claude}.$$.$u`;

const NAME = nameDrop('$PPID');

/** Writes the output of a command into the spool under that name. */
export const drop = (payload: string): string =>
  `${payload} >"$${SPOOL_VARIABLE}/.$n"&&mv "$${SPOOL_VARIABLE}/.$n" "$${SPOOL_VARIABLE}/$n.json"`;

function dropThen(more: string): string {
  return `{ ${NAME};${drop('cat')};${more} } 2>/dev/null;exit 0`;
}

/**
 * Writes the payload into the spool as one file and renames it into place, so that no reader ever sees half a payload.
 * This takes about 5 ms, whether for 1 kB or for 1 MB. The exit code is always 0, because a hook that exits with 2
 * blocks every prompt.
 */
export const HOOK_COMMAND = dropThen('');

const WAIT_AT_GATE = waitAtGate(SPOOL_VARIABLE, LAUNCH_VARIABLE);

const CALL = guardedCall(SPOOL_VARIABLE, drop, { unread: drop('cat'), read: drop(`printf %s "$j"`) });

/**
 * The command for `PreToolUse`. It writes the payload, asks CBOS whether a rule denies the call (`guardedCall`), then
 * waits while CBOS types, because the tool may open a dialog. See `holdTurn`.
 */
export const TOOL_HOOK_COMMAND = `{ ${NAME};${CALL};${WAIT_AT_GATE};} 2>/dev/null;exit 0`;

/** The command for `PreToolUse` of a JSON session. The session's events report everything else. */
export const JSON_TOOL_HOOK_COMMAND = `{ ${NAME};${guardedCall(SPOOL_VARIABLE, drop, { unread: ':', read: ':' })};} 2>/dev/null;exit 0`;

/**
 * The command for `Stop`. It waits before it writes the payload. Until the payload is written, the turn continues, both
 * for Claude Code and for CBOS.
 */
export const STOP_HOOK_COMMAND = `{ ${WAIT_AT_GATE}; } 2>/dev/null;${HOOK_COMMAND}`;

/** The command for `PermissionRequest`. It writes the payload, then waits for the reply. */
export const ASKING_HOOK_COMMAND =
  `{ ${NAME};${openPlace(SPOOL_VARIABLE)};${READ_PAYLOAD};` +
  `${drop(PAYLOAD_WITH_WAIT)}||k=;${PRINT_REPLY};} 2>/dev/null;exit 0`;

const COMMANDS: ReadonlyMap<string, string> = new Map([
  ['PreToolUse', TOOL_HOOK_COMMAND],
  ['PermissionRequest', ASKING_HOOK_COMMAND],
  ['Stop', STOP_HOOK_COMMAND],
]);

/**
 * How long a hook may run. This is far more than the commands need, but less than Claude Code's own minute, in case
 * the disk hangs.
 */
const HOOK_TIMEOUT_S = 10;

/**
 * How long a dialog may wait for its reply: 14 days. 2.1.150, unlike 2.1.330, ends a hook at once if its timeout in
 * milliseconds exceeds 32 bits (24.8 days). After the timeout the dialog stays open, and is answered by keypresses.
 */
const ASKING_HOOK_TIMEOUT_S = 14 * 86_400;

/**
 * How long `PreToolUse` may take. After that, Claude Code runs the call as if there were no hook. This is therefore
 * much longer than the waits for the server and at the gate can take, even on a loaded machine.
 */
const TOOL_HOOK_TIMEOUT_S = 120;

const TIMEOUTS_S: ReadonlyMap<string, number> = new Map([
  ['PreToolUse', TOOL_HOOK_TIMEOUT_S],
  ['PermissionRequest', ASKING_HOOK_TIMEOUT_S],
]);

/** A launch's settings in addition to its hooks. */
export interface LaunchExtras {
  /** the user's status line, with the tap in it, or null if there is none */
  statusLine?: StatusLine | null;
  /** whether Claude Code may continue on its own after a usage limit, if its user allows that; default: true */
  mayContinue?: boolean;
}

/** The first version observed to continue on its own, and to ask if it must not. */
const FIRST_THAT_CONTINUES = '2.1.330';

function continueSetting(version: ClaudeVersion, { mayContinue = true }: LaunchExtras): Record<string, unknown> {
  return mayContinue || !isAtLeast(version, FIRST_THAT_CONTINUES) ? {} : { autoContinueAtUsageLimit: false };
}

/**
 * Returns the settings for a launch: hooks, the status line with the tap in it, and whether Claude Code continues on
 * its own after a limit. Everything else remains as the user has set it.
 */
export function hookSettings(version: ClaudeVersion, extras: LaunchExtras = {}): Record<string, unknown> {
  const { statusLine = null } = extras;
  const entryOf = (name: string) => {
    const timeout = TIMEOUTS_S.get(name) ?? HOOK_TIMEOUT_S;
    return hookEntry(version, COMMANDS.get(name) ?? HOOK_COMMAND, timeout);
  };
  return {
    hooks: Object.fromEntries(
      hookEventsOf(version).map((name) => [
        name,
        [MATCHED.has(name) ? { matcher: '*', hooks: [entryOf(name)] } : { hooks: [entryOf(name)] }],
      ]),
    ),
    ...(statusLine === null ? {} : { statusLine }),
    ...continueSetting(version, extras),
  };
}

function hookEntry(version: ClaudeVersion, command: string, timeout: number): object {
  const entry = { type: 'command', command, timeout };
  return isAtLeast(version, '2.1.150') ? { ...entry, async: false } : entry;
}

/** Returns the settings for a JSON session while rules may deny calls before Claude Code asks about them. */
function guardedSettings(version: ClaudeVersion): Record<string, unknown> {
  const entry = hookEntry(version, JSON_TOOL_HOOK_COMMAND, TOOL_HOOK_TIMEOUT_S);
  return { hooks: { PreToolUse: [{ matcher: '*', hooks: [entry] }] } };
}

/** How many digits of the hash are used to distinguish the extras of different launches. */
const HASH_DIGITS = 16;

/** Returns the settings file of a launch. All launches of a version with the same extras share one file. */
export function launchSettingsFile(home: string, version: ClaudeVersion, extras: LaunchExtras): string {
  const { hooks: _, ...rest } = hookSettings(version, extras);
  const hash = createHash('sha256').update(JSON.stringify(rest)).digest('hex').slice(0, HASH_DIGITS);
  const name = `${formatClaudeVersion(version)}${Object.keys(rest).length === 0 ? '' : `-${hash}`}.json`;
  return join(home, 'claude-hooks', name);
}

/**
 * Writes the settings file for `--settings`. A file is used instead of inline JSON, because a command line exposes
 * secrets and has a limited length. The file is renamed into place, so that a parallel launch never reads half of it.
 */
export function writeHookSettings(file: string, version: ClaudeVersion, extras: LaunchExtras = {}): void {
  writeSettings(file, hookSettings(version, extras));
}

/**
 * Writes the settings for JSON sessions that show their calls to CBOS.
 * @returns the file, or null if the version supports no hooks
 */
export function writeGuardedSettings(home: string, version: ClaudeVersion): string | null {
  if (!hookEventsOf(version).includes('PreToolUse')) return null;
  const file = join(home, 'claude-hooks', `${formatClaudeVersion(version)}-json.json`);
  writeSettings(file, guardedSettings(version));
  return file;
}

function writeSettings(file: string, values: Record<string, unknown>): void {
  const settings = `${JSON.stringify(values, null, 2)}\n`;
  if (existsSync(file) && readFileSync(file, 'utf8') === settings) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.new`;
  try {
    writeFileSync(draft, settings, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
