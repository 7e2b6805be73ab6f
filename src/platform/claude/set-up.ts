/**
 * The command that prepares a worktree before Claude Code starts in it. A small shell program runs the command and then
 * replaces itself with Claude Code, so that both have the same terminal, recording, mark and process id.
 */

import { LAUNCH_VARIABLE } from './environment.ts';
import { drop, nameDrop } from './hook-settings.ts';

/**
 * The event with which the program reports the end of a set-up in a terminal. Claude Code itself never fires this
 * event.
 */
export const SET_UP_EVENT = 'CbosSetUp';

/** The type of the line with which the program reports the end of a set-up in a JSON session. */
export const SET_UP_LINE = 'cbos_set_up';

/**
 * A variable that contains the path of a file. The file disappears once the launch in the terminal has been verified.
 */
export const LAUNCHING_VARIABLE = 'CBOS_LAUNCHING';

export interface SetUpCommand {
  /** the set-up command, for /bin/sh */
  command: string;
  /** the worktree's folder, in which the command runs */
  folder: string;
  /** whether Claude Code starts even if the command fails */
  startsAnyway: boolean;
  /** what a user can do if the command fails; printed after the command's output */
  advice: string;
}

const READ_ARGUMENTS = 'c=$1 d=$2 f=$3 a=$4;shift 4';

/** Ends the program if the command has failed and Claude Code must therefore not start. */
const END_IF_FAILED = '[ "$e" -eq 0 ]||[ "$f" = start ]||';

/**
 * The program checks ten times a second whether the launch has been verified. A launch that exceeds its own time limit
 * (10 s) fails anyway.
 */
const MOST_LOOKS = 200;

/**
 * A command that fails immediately must not look like a launch that failed, because CBOS would then remove the
 * command's output together with the worktree.
 */
const AWAIT_LAUNCH = `i=0;while [ -e "$${LAUNCHING_VARIABLE}" ]&&[ $i -lt ${MOST_LOOKS} ];do i=$((i+1));sleep .1;done`;

const REPORT = `(${nameDrop('$$')};${drop(`printf '{"hook_event_name":"${SET_UP_EVENT}","exit_code":%d}' "$e"`)}) 2>/dev/null`;

/** Ctrl+C in the terminal ends the command but not the program, which then reports the exit code. */
const IN_TERMINAL = [
  READ_ARGUMENTS,
  'trap : INT QUIT',
  `printf '\\033[1m$ %s\\033[0m\\n' "$c"`,
  `(unset ${LAUNCHING_VARIABLE};cd "$d"&&exec /bin/sh -c "$c")`,
  'e=$?',
  'trap - INT QUIT',
  `[ "$e" -eq 0 ]||printf '\\n%s %s. %s\\n' 'The set-up ended with exit code' "$e" "$a"`,
  REPORT,
  `${END_IF_FAILED}{ ${AWAIT_LAUNCH};exit "$e";}`,
  `unset ${LAUNCHING_VARIABLE}`,
  'exec "$@"',
].join('\n');

/**
 * The command cannot read the prompts, which remain in standard input for Claude Code. What the command prints becomes
 * events, up to the line that reports its end.
 */
const WITHOUT_TERMINAL = [
  READ_ARGUMENTS,
  `printf '$ %s\\n' "$c"`,
  '(cd "$d"&&exec /bin/sh -c "$c") </dev/null 2>&1',
  'e=$?',
  `printf '\\n{"type":"${SET_UP_LINE}","exit_code":%d,"launch":"%s"}\\n' "$e" "$${LAUNCH_VARIABLE}"`,
  `${END_IF_FAILED}exit "$e"`,
  'exec "$@"',
].join('\n');

/** Returns a command that first runs a set-up and then Claude Code, in the same terminal and the same process. */
export function withSetUp(claude: readonly string[], setUp: SetUpCommand): string[] {
  return wrap(IN_TERMINAL, claude, setUp);
}

/** Works like `withSetUp`, for Claude Code without a terminal. */
export function withJsonSetUp(claude: readonly string[], setUp: SetUpCommand): string[] {
  return wrap(WITHOUT_TERMINAL, claude, setUp);
}

function wrap(program: string, claude: readonly string[], setUp: SetUpCommand): string[] {
  const { command, folder, startsAnyway, advice } = setUp;
  return ['/bin/sh', '-c', program, 'cbos-set-up', command, folder, startsAnyway ? 'start' : 'stop', advice, ...claude];
}

/** Returns the exit code from a report about the end of a set-up, or null if the event is not such a report. */
export function setUpExitCode(report: Readonly<Record<string, unknown>>): number | null {
  return typeof report.exit_code === 'number' && Number.isInteger(report.exit_code) ? report.exit_code : null;
}
