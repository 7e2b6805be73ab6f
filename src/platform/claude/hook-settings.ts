import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { LAUNCH_VARIABLE, SPOOL_VARIABLE } from './environment.ts';
import { openPlace, PAYLOAD_WITH_WAIT, PRINT_REPLY, READ_PAYLOAD } from './reply-hook.ts';
import { waitAtGate } from './turn-gate.ts';
import { type ClaudeVersion, isAtLeast } from './version.ts';

/**
 * Since when each event is safe to name. A name that a version does not know is never harmless: 1.0.128 and 2.0.30 drop
 * the whole file in silence, 2.0.77 to 2.1.329 hold the start with a settings dialog. The floors are versions on which
 * each was seen to fire; some names are older than that.
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

/** Events that take a matcher; for all tools it is `*`. */
const MATCHED: ReadonlySet<string> = new Set(['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'PermissionRequest']);

/**
 * The names of the hooks that a version can be given; empty where it can be given none (1.0.60 has no `--settings` and
 * exits on it).
 */
export function hookEventsOf(version: ClaudeVersion): string[] {
  return EVENTS_SINCE.flatMap(([since, names]) => (isAtLeast(version, since) ? names : []));
}

/**
 * Names the payload's file: `NANOSECONDS.LAUNCH.PPID.PID.UPTIME`. The launch says whose it is, `$PPID` is Claude Code's
 * process, and the machine's uptime in seconds is what no set clock changes.
 */
const NAME = `umask 077;read -r u _ </proc/uptime;n=$(date +%s%N).$${LAUNCH_VARIABLE}.$PPID.$$.$u`;

const drop = (payload: string): string =>
  `${payload} >"$${SPOOL_VARIABLE}/.$n"&&mv "$${SPOOL_VARIABLE}/.$n" "$${SPOOL_VARIABLE}/$n.json"`;

function dropThen(more: string): string {
  return `{ ${NAME};${drop('cat')};${more} } 2>/dev/null;exit 0`;
}

/**
 * Drops the payload into the spool as one file, by write and rename, so that no reader ever sees half of one: about 5
 * ms for 1 kB and for 1 MB. `exit 0` whatever happens: a hook that fails with 2 blocks every prompt.
 */
export const HOOK_COMMAND = dropThen('');

const WAIT_AT_GATE = waitAtGate(SPOOL_VARIABLE, LAUNCH_VARIABLE);

/** The same for `PreToolUse`, which then waits while CBOS types: the tool may open a dialog. See `holdTurn`. */
export const TOOL_HOOK_COMMAND = dropThen(`${WAIT_AT_GATE};`);

/** The same for `Stop`, which waits first: till it has told, the turn goes on, for Claude Code and for CBOS. */
export const STOP_HOOK_COMMAND = `{ ${WAIT_AT_GATE}; } 2>/dev/null;${HOOK_COMMAND}`;

/** The same for `PermissionRequest`, which then waits for the reply to what it has told. */
export const ASKING_HOOK_COMMAND =
  `{ ${NAME};${openPlace(SPOOL_VARIABLE)};${READ_PAYLOAD};` +
  `${drop(PAYLOAD_WITH_WAIT)}||k=;${PRINT_REPLY};} 2>/dev/null;exit 0`;

const COMMANDS: ReadonlyMap<string, string> = new Map([
  ['PreToolUse', TOOL_HOOK_COMMAND],
  ['PermissionRequest', ASKING_HOOK_COMMAND],
  ['Stop', STOP_HOOK_COMMAND],
]);

/** Far more than the commands need; less than Claude Code's own minute, in case the disk hangs. */
const HOOK_TIMEOUT_S = 10;

/**
 * How long a dialog may wait for its reply: 14 days. 2.1.150 ends a hook at once whose timeout has more milliseconds
 * than 32 bits hold (24.8 days); 2.1.330 does not. After the timeout the dialog stays, and is answered by keys.
 */
const ASKING_HOOK_TIMEOUT_S = 14 * 86_400;

/** The settings that a launch is given; only hooks, everything else stays the user's. */
export function hookSettings(version: ClaudeVersion): Record<string, unknown> {
  const entryOf = (name: string) => {
    const timeout = name === 'PermissionRequest' ? ASKING_HOOK_TIMEOUT_S : HOOK_TIMEOUT_S;
    const entry = { type: 'command', command: COMMANDS.get(name) ?? HOOK_COMMAND, timeout };
    return isAtLeast(version, '2.1.150') ? { ...entry, async: false } : entry;
  };
  return {
    hooks: Object.fromEntries(
      hookEventsOf(version).map((name) => [
        name,
        [MATCHED.has(name) ? { matcher: '*', hooks: [entryOf(name)] } : { hooks: [entryOf(name)] }],
      ]),
    ),
  };
}

/**
 * Writes the settings file for `--settings` (a file, not inline JSON: no secrets and no length limit of a command
 * line). By rename, so that a launch beside it never reads half of it.
 */
export function writeHookSettings(file: string, version: ClaudeVersion): void {
  const settings = `${JSON.stringify(hookSettings(version), null, 2)}\n`;
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
