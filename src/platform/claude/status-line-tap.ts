import { dirname, join } from 'node:path';
import { LAUNCH_VARIABLE, SPOOL_VARIABLE } from './environment.ts';
import type { StatusLine } from './status-line.ts';
import { type ClaudeVersion, isAtLeast } from './version.ts';

/** The first version on which the tap was measured: what the status line is given, by which shell, and how it ends. */
const FIRST_WITH_TAP = '2.1.329';

/** The directory of the reports, beside the spool: one file per launch, replaced by each report. */
const REPORTS = 'status-lines';

export const reportsDirectory = (spoolDir: string): string => join(dirname(spoolDir), REPORTS);

/** How long a status line's command may be. With the tap before it, it must stay one argument (128 kB on Linux). */
const MOST_COMMAND_CHARS = 30_000;

/**
 * What is put before a user's own command. Claude Code gives a status line to `/bin/sh -c` with JSON and a line feed on
 * standard input (2.1.330). The tap reads that, reports it, gives the shell the same input again and leaves the rest of
 * the text to the shell: the user's command runs in the same process as without CBOS, so its output, its exit code and
 * how Claude Code ends it stay the same.
 *
 * The report is written by a process of its own that nobody waits for, so a slow disk delays nothing. Everything
 * that can fail (no spool, a full disk, no CBOS any more) fails silently. A failed `exec` would end the shell, hence
 * `command`.
 */
const TAP = `cbos_report=$(cat)
( { d="\${${SPOOL_VARIABLE}%/*}/${REPORTS}";[ -n "$${LAUNCH_VARIABLE}" ]&&[ -d "$d" ]&&{ umask 077;n="$d/.$${LAUNCH_VARIABLE}.$$";printf '%s\\n' "$cbos_report" >"$n"&&mv -f "$n" "$d/$${LAUNCH_VARIABLE}.json"||rm -f "$n";}; } >/dev/null 2>&1 & ) 2>/dev/null
{ command exec <<CBOS_END
$cbos_report
CBOS_END
} 2>/dev/null
unset cbos_report
`;

/** The command of a status line with the tap in it; it prints what the user's command prints, nothing for null. */
export function tapCommand(command: string | null): string {
  return `${TAP}${command ?? ''}`;
}

/** The status line for the settings of a launch; null if the launch gets none. */
export function tapStatusLine(
  version: ClaudeVersion,
  own: StatusLine | 'managed' | null,
  tap: 'own' | 'always' | 'never',
): StatusLine | null {
  if (tap === 'never' || own === 'managed' || !isAtLeast(version, FIRST_WITH_TAP)) return null;
  if (own === null) return tap === 'always' ? { type: 'command', command: tapCommand(null) } : null;
  return own.command.length > MOST_COMMAND_CHARS ? null : { ...own, command: tapCommand(own.command) };
}
