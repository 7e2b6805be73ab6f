import { dirname, join } from 'node:path';
import { LAUNCH_VARIABLE, SPOOL_VARIABLE } from './environment.ts';
import type { StatusLine } from './status-line.ts';
import { type ClaudeVersion, isAtLeast } from './version.ts';

/**
 * The first version with which the tap was tested: the input of the status line, the shell that runs it, and how it
 * ends.
 */
const FIRST_WITH_TAP = '2.1.329';

/**
 * The directory for the reports, which is next to the spool. It contains one file per launch, and each new report
 * replaces the previous one.
 */
const REPORTS = 'status-lines';

export const reportsDirectory = (spoolDir: string): string => join(dirname(spoolDir), REPORTS);

/**
 * The maximum length of a status line command. Together with the tap, the command must fit into one argument (128 kB on
 * Linux).
 */
const MOST_COMMAND_CHARS = 30_000;

/**
 * The code that precedes the user's own command. Claude Code runs a status line with `/bin/sh -c` and passes JSON and a
 * line feed on standard input (2.1.330). The tap reads that input, writes it as a report, and passes the same input on
 * to the shell, which then runs the rest of the command. The user's command therefore runs in the same process as it
 * would without CBOS. The command keeps its output and its exit code, and Claude Code can end it as before.
 *
 * A separate process writes the report and nothing waits for it, so a slow disk delays nothing. All failures are silent
 * (no spool, a full disk, CBOS uninstalled). The tap runs `exec` through `command`, because a failed `exec` would
 * otherwise end the shell.
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
 * Returns a status line command that contains the tap. The command prints the output of the user's command, or nothing
 * if there is no such command.
 */
export function tapCommand(command: string | null): string {
  return `${TAP}${command ?? ''}`;
}

/** Returns the status line to set for a launch, or null if the launch should have none. */
export function tapStatusLine(
  version: ClaudeVersion,
  own: StatusLine | 'managed' | null,
  tap: 'own' | 'always' | 'never',
): StatusLine | null {
  if (tap === 'never' || own === 'managed' || !isAtLeast(version, FIRST_WITH_TAP)) return null;
  if (own === null) return tap === 'always' ? { type: 'command', command: tapCommand(null) } : null;
  return own.command.length > MOST_COMMAND_CHARS ? null : { ...own, command: tapCommand(own.command) };
}
