import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CatalogueError } from '../../protocol/index.ts';
import { isAlive, processNow } from '../process/proc-file.ts';
import { type RunResult, runProgram } from '../process/run-program.ts';
import { waitUntil } from '../process/wait-until.ts';
import { SCREEN_TIMEOUT_MS, type ScreenHost } from './host.ts';
import type { KnownScreen, ScreenSession } from './list-screens.ts';
import { reachScreen, unreachable } from './recover-socket.ts';

/** A program in a Screen session. Keypresses go to the window in which it runs. */
export interface ScreenTarget extends KnownScreen {
  /** the program or one of its descendants; if omitted, the only program in a session that has a single window */
  pid?: number;
  /**
   * The number that the window had when it was created (WINDOW in the program's environment). The search for the window
   * starts at this number. Default: `0`.
   */
  window?: string;
}

/** A window, with the name that Screen's commands currently use for it. */
export interface ScreenWindow extends KnownScreen {
  /** the argument of `-p`, which is a number that changes if someone renumbers the window */
  number: string;
}

/**
 * Returns the session after checking that its daemon can answer. The check must precede each command, because a `-X`
 * command to a suspended daemon either exits with 0 without doing anything, or hangs.
 * @returns the session, with its current name
 * @throws CatalogueError no_such_screen, screen_unreachable, screen_unresponsive
 */
export async function requireScreen(host: ScreenHost, known: KnownScreen): Promise<ScreenSession> {
  const session = await reachScreen(host, known);
  const { id, daemon } = known;
  if (session === null && daemon != null && (await isAlive(daemon))) throw await unreachable(host, { id, daemon });
  if (session === null || session.state === 'dead') {
    throw new CatalogueError('no_such_screen', `Screen has no session ${id}`);
  }
  if (session.state === 'unresponsive') {
    throw new CatalogueError('screen_unresponsive', `The Screen daemon of ${session.id} is stopped (SIGSTOP)`, {
      hint: `Resume it: \`kill -CONT ${session.pid}\``,
    });
  }
  return session;
}

/**
 * Sends one command (`screen -X`) to a window, or to the whole session. Screen accepts the command and reports nothing.
 * Exit code 0 does not mean that Screen has executed the command, or that it even knows the command. Arguments must be
 * fixed words or paths in the exchange directory, because Screen expands `$` and `^` in them.
 *
 * In an `eval`, `-p` selects the window only while no one is attached. While a user is attached, the commands run in
 * the window that the user is looking at (4.9.0, 5.0.2).
 * @throws CatalogueError no_such_screen, screen_unresponsive, screen_not_found
 */
export async function sendCommand(
  host: ScreenHost,
  known: KnownScreen & { number?: string },
  command: readonly string[],
): Promise<void> {
  await sendCommandNow(host, await requireScreen(host, known), known.number, command);
}

/**
 * Sends a command as {@link sendCommand} does, but without checking first that the daemon can answer.
 * @param session the session, which the caller has just checked with {@link requireScreen}
 * @param number the window's number; undefined for a command to the whole session
 */
export async function sendCommandNow(
  host: ScreenHost,
  { id }: Pick<ScreenSession, 'id'>,
  number: string | undefined,
  command: readonly string[],
): Promise<void> {
  const args = ['-S', id, ...(number === undefined ? [] : ['-p', number]), '-X', ...command];
  const result = await runProgram('screen', args, { env: host.env, timeoutMs: SCREEN_TIMEOUT_MS });
  if (result.outcome === 'not_found') throw new CatalogueError('screen_not_found');
  if (result.outcome === 'timed_out') throw unresponsive(id);
  if (result.code === 0) return;
  const said = `${result.stdout}${result.stderr}`.trim().split('\n', 1)[0] ?? '';
  if (/no screen session found/i.test(said)) {
    throw new CatalogueError('no_such_screen', `Screen has no session ${id}`);
  }
  throw new CatalogueError(
    'screen_unresponsive',
    `Screen rejected a command for ${id}: ${said || `exit ${result.code}`}`,
  );
}

/**
 * Runs commands in a window, in order and in a single message, and returns when the daemon has executed them. The last
 * command makes the daemon write a file. The appearance of this file serves as the acknowledgement that `-X` lacks.
 * Each command specifies its window (`at`), because someone may attach in the meantime.
 * @param commands lines in Screen's own syntax
 * @returns the size of that file, after the daemon has completely written it
 * @throws CatalogueError like {@link sendCommand}; screen_unresponsive if no acknowledgement arrives
 */
export async function sendCommandsAndWait(
  host: ScreenHost,
  window: ScreenWindow,
  commands: readonly string[],
): Promise<number> {
  const { id, attached } = await requireScreen(host, window);
  const send = (lines: readonly string[]): Promise<void> =>
    sendCommand(host, window, ['eval', ...lines.map((line) => `at ${window.number}# ${line}`)]);
  if (attached) {
    await send(commands);
    await clearMessage(host, id);
    return 0;
  }
  const file = join(host.exchangeDir, exchangeName('ack'));
  try {
    await send([...commands, `hardcopy ${file}`]);
    const sizeBytes = await fileAppears(file, SCREEN_TIMEOUT_MS);
    if (sizeBytes === null) throw unresponsive(window.id);
    return sizeBytes;
  } finally {
    await rm(file, { force: true });
  }
}

/**
 * How long to wait while a user is attached. The user sees a message for each command, and the daemon pauses for a
 * second between two messages (`msgminwait`).
 */
export const SHOWN_TIMEOUT_MS = 10_000;
/**
 * How long a query to the daemon (`screen -Q`) may take. Screen may signal the querying program just before that
 * program begins to wait for the signal, and the program then waits forever (4.9.0, on a loaded machine). Every later
 * query connects to it twice, to see whether the name of its socket is taken, and fails. The fourth one blocks while
 * it connects. The daemon waits for that one, and hangs as long as the first one waits. Therefore `timeout` ends each
 * query, even if the server is killed. This is less than `SHOWN_TIMEOUT_MS`, because that would end only `timeout`.
 */
export const QUERY_SECONDS = '8';

/** Queries the daemon. If it does not answer, `outcome` is `timed_out`. */
export async function queryScreen(host: ScreenHost, id: string, query: readonly string[]): Promise<RunResult> {
  const args = [QUERY_SECONDS, 'screen', '-S', id, '-Q', ...query];
  const result = await runProgram('timeout', args, { env: host.env, timeoutMs: SHOWN_TIMEOUT_MS });
  return result.code === TIMEOUT_EXIT ? { ...result, outcome: 'timed_out' } : result;
}

/** The exit code of `timeout` if it had to end the program. */
const TIMEOUT_EXIT = 124;

/**
 * Screen drops control characters from a message. If a message consists of only this one, Screen removes the previous
 * message and has nothing to show instead (4.9.0, `MakeStatus`).
 */
export const NO_MESSAGE = '\x01';

/**
 * Removes the messages that tell an attached user about commands from outside, and returns when those commands have
 * been executed. Screen shows a message for five seconds, during which it does not read from the window that the user
 * is looking at (4.9.0, `muchpending`).
 * @throws CatalogueError screen_unresponsive
 */
export async function clearMessage(host: ScreenHost, id: string): Promise<void> {
  const asked = await queryScreen(host, id, ['echo', NO_MESSAGE]);
  if (asked.outcome === 'timed_out') throw unresponsive(id);
}

let exchanges = 0;

/** Returns a name in the exchange directory that nothing else in this process uses. */
export function exchangeName(purpose: string): string {
  exchanges += 1;
  return `${purpose}-${process.pid}-${exchanges}`;
}

const EXCHANGE_NAME = /^[a-z]+-(\d+)-\d+$/;

/**
 * Removes files that killed processes left behind in the exchange directory, because these files may contain prompts.
 * Call this function before this process puts anything there.
 */
export async function removeLeftExchanges({ exchangeDir }: Pick<ScreenHost, 'exchangeDir'>): Promise<void> {
  for (const name of await readdir(exchangeDir)) {
    const pid = Number(EXCHANGE_NAME.exec(name)?.[1]);
    const isUsed = Number.isNaN(pid) || (pid !== process.pid && processNow(pid) !== null);
    if (!isUsed) await rm(join(exchangeDir, name), { force: true });
  }
}

function unresponsive(id: string): CatalogueError {
  return new CatalogueError(
    'screen_unresponsive',
    `The Screen daemon of ${id} did not respond within ${SCREEN_TIMEOUT_MS} ms`,
  );
}

/** Returns the size of a file as soon as it exists and has content, or null on a timeout. */
async function fileAppears(file: string, timeoutMs: number): Promise<number | null> {
  const look = async () => {
    try {
      // A hard copy has at least one newline per row, so it is empty only while Screen is writing it.
      return (await stat(file)).size || null;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  };
  return waitUntil(look, { timeoutMs, everyMs: 2 });
}
