import { dirname, join } from 'node:path';
import { LAUNCH_VARIABLE, SPOOL_VARIABLE } from './environment.ts';
import type { StatusLine } from './status-line.ts';
import { type ClaudeVersion, isAtLeast } from './version.ts';

/** The first version that the tap was tested with: the status line's input, its shell, and how it ends. */
const FIRST_WITH_TAP = '2.1.329';

/**
 * The directory for the reports, next to the spool. It contains one file per launch, which each new report replaces.
 */
const REPORTS = 'status-lines';

export const reportsDirectory = (spoolDir: string): string => join(dirname(spoolDir), REPORTS);

/** The longest status line command. Together with the tap, it must fit into one argument (128 kB on Linux). */
const MOST_COMMAND_CHARS = 30_000;

/**
 * The code that precedes a user's own command. Claude Code runs a status line with `/bin/sh -c` and passes JSON and a
 * line feed on standard input (2.1.330). The tap reads that input, reports it, and hands the same input back to the
 * shell, which then runs the rest of the command. The user's command therefore runs in the same process as without
 * CBOS. The command keeps its output and its exit code, and Claude Code can end it as before.
 *
 * A separate process writes the report, and nothing waits for it, so a slow disk delays nothing. Every failure is
 * silent (no spool, a full disk, CBOS uninstalled). A failed `exec` would end the shell, so the tap uses `command`.
 */
const TAP = `cbos_report=$(cat)
( { d="\${${SPOOL_VARIABLE}%/*}/${REPORTS}";[ -n "$${LAUNCH_VARIABLE}" ]&&[ -d "$d" ]&&{ umask 077;n="$d/.$${LAUNCH_VARIABLE}.$$";printf '%s\\n' "$cbos_report" >"$n"&&mv -f "$n" "$d/$${LAUNCH_VARIABLE}.json"||rm -f "$n";}; } >/dev/null 2>&1 & ) 2>/dev/null
{ command exec <<CBOS_END
$cbos_report
CBOS_END
} 2>/dev/null
unset cbos_report
`;

/**
 * Returns a status line command with the tap in it. It prints the output of the user's command, or nothing if that is
 * null.
 */
export function tapCommand(command: string | null): string {
  return `${TAP}${command ?? ''}`;
}

/** Returns the status line for a launch's settings, or null if the launch gets none. */
export function tapStatusLine(
  version: ClaudeVersion,
  own: StatusLine | 'managed' | null,
  tap: 'own' | 'always' | 'never',
): StatusLine | null {
  if (tap === 'never' || own === 'managed' || !isAtLeast(version, FIRST_WITH_TAP)) return null;
  if (own === null) return tap === 'always' ? { type: 'command', command: tapCommand(null) } : null;
  return own.command.length > MOST_COMMAND_CHARS ? null : { ...own, command: tapCommand(own.command) };
}
