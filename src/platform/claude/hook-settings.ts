import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ClaudeSettings, mergeSettings } from '../../core/launch/index.ts';
import { guardedCall } from './call-guard.ts';
import { LAUNCH_VARIABLE, SPOOL_VARIABLE } from './environment.ts';
import { openPlace, PAYLOAD_WITH_WAIT, PRINT_REPLY, READ_PAYLOAD } from './reply-hook.ts';
import type { StatusLine } from './status-line.ts';
import { waitAtGate } from './turn-gate.ts';
import { type ClaudeVersion, formatClaudeVersion, isAtLeast } from './version.ts';

/**
 * The version since which each event may be listed. An unknown name always does harm: versions 1.0.128 and 2.0.30
 * silently ignore the whole file, and 2.0.77 to 2.1.329 show a settings dialog that blocks the start. Each event was
 * seen to fire in the version listed here. Some names existed earlier.
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
  ['2.1.330', ['Elicitation', 'ElicitationResult']],
];

/** Events that accept a matcher. `*` matches all tools. */
const MATCHED: ReadonlySet<string> = new Set(['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PermissionRequest']);

/**
 * Returns the names of the hooks that a version supports, or an empty list if it supports none (1.0.60 has no
 * `--settings` option and exits when it is given one).
 */
export function hookEventsOf(version: ClaudeVersion): string[] {
  return EVENTS_SINCE.flatMap(([since, names]) => (isAtLeast(version, since) ? names : []));
}

/**
 * The name of the payload's file: `NANOSECONDS.LAUNCH.PPID.PID.UPTIME`. LAUNCH identifies the session. UPTIME is the
 * machine's uptime in seconds, which does not change when the clock is set.
 * @param claude a shell expression for the pid of the Claude Code process
 */
export const nameDrop = (claude: string): string =>
  `umask 077;read -r u _ </proc/uptime;n=$(date +%s%N).$${LAUNCH_VARIABLE}.${claude}.$$.$u`;

const NAME = nameDrop('$PPID');

/** Returns shell code that writes the output of a command into the spool under that name. */
export const drop = (payload: string): string =>
  `${payload} >"$${SPOOL_VARIABLE}/.$n"&&mv "$${SPOOL_VARIABLE}/.$n" "$${SPOOL_VARIABLE}/$n.json"`;

function dropThen(more: string): string {
  return `{ ${NAME};${drop('cat')};${more} } 2>/dev/null;exit 0`;
}

/**
 * Writes the payload into the spool as one file and then renames it into place, so that a reader never sees half a
 * payload. This takes about 5 ms for 1 kB as well as for 1 MB. The exit code is always 0, because a hook that exits
 * with 2 would block every prompt.
 */
export const HOOK_COMMAND = dropThen('');

const WAIT_AT_GATE = waitAtGate(SPOOL_VARIABLE, LAUNCH_VARIABLE);

const CALL = guardedCall(SPOOL_VARIABLE, drop, { unread: drop('cat'), read: drop(`printf %s "$j"`) });

/**
 * The command for the `PreToolUse` hook. It writes the payload and asks CBOS whether a rule denies the call
 * (`guardedCall`). Then it waits while CBOS is typing, because the tool may open a dialog. See `holdTurn`.
 */
export const TOOL_HOOK_COMMAND = `{ ${NAME};${CALL};${WAIT_AT_GATE};} 2>/dev/null;exit 0`;

/** The command for the `PreToolUse` hook in a JSON session. Everything else is reported by the session's events. */
export const JSON_TOOL_HOOK_COMMAND = `{ ${NAME};${guardedCall(SPOOL_VARIABLE, drop, { unread: ':', read: ':' })};} 2>/dev/null;exit 0`;

/**
 * The command for the `Stop` hook. It waits before it writes the payload. Until then, the turn continues, both for
 * Claude Code and for CBOS.
 */
export const STOP_HOOK_COMMAND = `{ ${WAIT_AT_GATE}; } 2>/dev/null;${HOOK_COMMAND}`;

/** The command for the `PermissionRequest` hook. It writes the payload and then waits for the reply. */
export const ASKING_HOOK_COMMAND =
  `{ ${NAME};${openPlace(SPOOL_VARIABLE)};${READ_PAYLOAD};` +
  `${drop(PAYLOAD_WITH_WAIT)}||k=;${PRINT_REPLY};} 2>/dev/null;exit 0`;

/**
 * The command for the `Elicitation` hook, which reports the form of an MCP server and waits for the reply. Until the
 * hook ends, Claude Code shows no dialog, so CBOS ends it when a person is at the terminal.
 */
export const FORM_HOOK_COMMAND =
  `{ ${NAME};${openPlace(SPOOL_VARIABLE)};j=$(cat);` +
  `${drop(PAYLOAD_WITH_WAIT)}||k=;${PRINT_REPLY};} 2>/dev/null;exit 0`;

const COMMANDS: ReadonlyMap<string, string> = new Map([
  ['Elicitation', FORM_HOOK_COMMAND],
  ['PreToolUse', TOOL_HOOK_COMMAND],
  ['PermissionRequest', ASKING_HOOK_COMMAND],
  ['Stop', STOP_HOOK_COMMAND],
]);

/**
 * How long a hook may run. This is much longer than the commands need, but shorter than Claude Code's own limit of one
 * minute, in case the disk hangs.
 */
const HOOK_TIMEOUT_S = 10;

/**
 * How long a dialog may wait for its reply: 14 days. Unlike version 2.1.330, version 2.1.150 ends a hook immediately if
 * its timeout in milliseconds does not fit into 32 bits (24.8 days). After the timeout, the dialog remains open and can
 * be answered with keypresses.
 */
const ASKING_HOOK_TIMEOUT_S = 14 * 86_400;

/**
 * How long a `PreToolUse` hook may take. After this time, Claude Code runs the call as if there were no hook. The limit
 * is therefore much longer than the hook can spend waiting for the server and at the turn gate, even on a loaded
 * machine.
 */
const TOOL_HOOK_TIMEOUT_S = 120;

const TIMEOUTS_S: ReadonlyMap<string, number> = new Map([
  ['PreToolUse', TOOL_HOOK_TIMEOUT_S],
  ['PermissionRequest', ASKING_HOOK_TIMEOUT_S],
  ['Elicitation', ASKING_HOOK_TIMEOUT_S],
]);

/** The settings of a launch other than its hooks. */
export interface LaunchExtras {
  /** the user's status line, with the tap in it, or null if there is none */
  statusLine?: StatusLine | null;
  /** whether Claude Code may continue on its own after a usage limit, if the user's settings allow it; default: true */
  mayContinue?: boolean;
  /** the settings that the user passes on to Claude Code, or null if there are none */
  own?: ClaudeSettings | null;
}

/** The first version that was seen to continue on its own, and to ask first if it must not. */
const FIRST_THAT_CONTINUES = '2.1.330';

function continueSetting(version: ClaudeVersion, { mayContinue = true }: LaunchExtras): Record<string, unknown> {
  return mayContinue || !isAtLeast(version, FIRST_THAT_CONTINUES) ? {} : { autoContinueAtUsageLimit: false };
}

/**
 * Returns the settings for a launch: the hooks, the status line with the tap in it, and whether Claude Code continues
 * on its own after a limit. All other settings remain as the user has set them.
 */
export function hookSettings(version: ClaudeVersion, extras: LaunchExtras = {}): ClaudeSettings {
  const { statusLine = null, own = null } = extras;
  const entryOf = (name: string) => {
    const timeout = TIMEOUTS_S.get(name) ?? HOOK_TIMEOUT_S;
    return hookEntry(version, COMMANDS.get(name) ?? HOOK_COMMAND, timeout);
  };
  const ours = {
    hooks: Object.fromEntries(
      hookEventsOf(version).map((name) => [
        name,
        [MATCHED.has(name) ? { matcher: '*', hooks: [entryOf(name)] } : { hooks: [entryOf(name)] }],
      ]),
    ),
    ...(statusLine === null ? {} : { statusLine }),
    ...continueSetting(version, extras),
  };
  return own === null ? ours : mergeSettings(own, ours);
}

function hookEntry(version: ClaudeVersion, command: string, timeout: number): object {
  const entry = { type: 'command', command, timeout };
  return isAtLeast(version, '2.1.150') ? { ...entry, async: false } : entry;
}

/** Returns the settings for a JSON session for as long as rules may deny calls before Claude Code asks about them. */
function guardedSettings(version: ClaudeVersion): Record<string, unknown> {
  const entry = hookEntry(version, JSON_TOOL_HOOK_COMMAND, TOOL_HOOK_TIMEOUT_S);
  return { hooks: { PreToolUse: [{ matcher: '*', hooks: [entry] }] } };
}

/** How many digits of the hash are used to tell apart the additional settings of different launches. */
const HASH_DIGITS = 16;

/**
 * Returns the path of a launch's settings file. All launches of the same version with the same additional settings
 * share one file.
 */
export function launchSettingsFile(home: string, version: ClaudeVersion, extras: LaunchExtras): string {
  const { hooks: _, ...rest } = hookSettings(version, extras);
  const { own = null } = extras;
  const isPlain = Object.keys(rest).length === 0 && own === null;
  const hash = hashOf(own === null ? rest : { rest, own });
  return join(home, 'claude-hooks', `${formatClaudeVersion(version)}${isPlain ? '' : `-${hash}`}.json`);
}

const hashOf = (value: object): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, HASH_DIGITS);

/**
 * Writes the settings file for `--settings`. The settings are not passed inline as JSON, because a command line exposes
 * secrets and has a limited length. The file is renamed into place, so that a launch at the same time never reads half
 * of it.
 */
export function writeHookSettings(file: string, version: ClaudeVersion, extras: LaunchExtras = {}): void {
  writeSettings(file, hookSettings(version, extras));
}

/**
 * Writes the settings for JSON sessions that must show their calls to CBOS. @param own settings that the user passes on
 * to Claude Code
 * @returns the path of the file, or null if the version supports no hooks
 */
export function writeGuardedSettings(home: string, version: ClaudeVersion, own: ClaudeSettings | null): string | null {
  if (!hookEventsOf(version).includes('PreToolUse')) return null;
  const more = own === null ? '' : `-${hashOf(own)}`;
  const file = join(home, 'claude-hooks', `${formatClaudeVersion(version)}-json${more}.json`);
  writeSettings(file, mergeSettings(own ?? {}, guardedSettings(version)));
  return file;
}

function writeSettings(file: string, values: ClaudeSettings): void {
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
