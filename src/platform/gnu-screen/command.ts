import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CatalogueError } from '../../protocol/index.ts';
import { isAlive, processNow } from '../process/proc-file.ts';
import { runProgram } from '../process/run-program.ts';
import { waitUntil } from '../process/wait-until.ts';
import { SCREEN_TIMEOUT_MS, type ScreenHost } from './host.ts';
import type { KnownScreen, ScreenSession } from './list-screens.ts';
import { reachScreen, unreachable } from './recover-socket.ts';

/** A program in a Screen session: what is typed is for the window that it runs in. */
export interface ScreenTarget extends KnownScreen {
  /** the program, or one below it; left out, the only one in a session with a single window */
  pid?: number;
  /**
   * the number that the window had at its birth (WINDOW in the program's environment), where it is looked for first;
   * `0` when left out
   */
  window?: string;
}

/** A window as Screen's commands name it now. */
export interface ScreenWindow extends KnownScreen {
  /** what `-p` takes; it changes when somebody renumbers the window */
  number: string;
}

/**
 * The session, made sure that it can be talked to. `-X` to a stopped daemon exits 0 and does nothing, or hangs, so this
 * is looked at before each command.
 * @returns it under the name that it has by now
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
    throw new CatalogueError('screen_unresponsive', `Screen's daemon of ${session.id} is stopped (SIGSTOP)`, {
      hint: `kill -CONT ${session.pid}`,
    });
  }
  return session;
}

/**
 * Sends one command (`screen -X`) to a window, or to the session as a whole. Screen takes it and says nothing: exit 0
 * is no sign that it was carried out, or even known. Arguments must be fixed words or paths of the exchange directory:
 * Screen expands `$` and `^` in them.
 *
 * Of commands in an `eval`, `-p` names the window only while nobody is attached; then they are carried out where the
 * person looks (4.9.0, 5.0.2).
 * @throws CatalogueError no_such_screen, screen_unresponsive, screen_not_found
 */
export async function sendCommand(
  host: ScreenHost,
  known: KnownScreen & { number?: string },
  command: readonly string[],
): Promise<void> {
  const { number } = known;
  const { id } = await requireScreen(host, known);
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
    `Screen refused a command for ${id}: ${said || `exit ${result.code}`}`,
  );
}

/**
 * Carries out commands in a window, in order and in one message, and returns when the daemon has done them: the last
 * one makes it write a file, whose appearance is the acknowledgement that `-X` does not give. Each names its window
 * itself (`at`): somebody may attach meanwhile.
 * @param commands lines in Screen's own syntax
 * @returns the size of that file, all of which the daemon wrote
 * @throws CatalogueError as {@link sendCommand}; screen_unresponsive when no acknowledgement comes
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

/** A person sees a message of each command, and the daemon stops for a second between two of them (`msgminwait`). */
export const SHOWN_TIMEOUT_MS = 10_000;
/**
 * Screen drops control characters from a message, takes the one before it away, and then has nothing to show (4.9.0,
 * `MakeStatus`).
 */
export const NO_MESSAGE = '\x01';

/**
 * Takes away what Screen says to a person about commands that came from outside, and returns when those are done. While
 * it stands, for five seconds, Screen reads no window that the person sees (4.9.0, `muchpending`).
 * @throws CatalogueError screen_unresponsive
 */
export async function clearMessage(host: ScreenHost, id: string): Promise<void> {
  const { env } = host;
  const asked = await runProgram('screen', ['-S', id, '-Q', 'echo', NO_MESSAGE], { env, timeoutMs: SHOWN_TIMEOUT_MS });
  if (asked.outcome === 'timed_out') throw unresponsive(id);
}

let exchanges = 0;

/** A name in the exchange directory that nothing else of this process uses. */
export function exchangeName(purpose: string): string {
  exchanges += 1;
  return `${purpose}-${process.pid}-${exchanges}`;
}

const EXCHANGE_NAME = /^[a-z]+-(\d+)-\d+$/;

/**
 * Removes what processes that were killed left in the exchange directory, texts among it. Call it before this process
 * has anything there.
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
    `Screen's daemon of ${id} did not answer within ${SCREEN_TIMEOUT_MS} ms`,
  );
}

/** The size of a file once it is there and written; null when it does not come before the time is over. */
async function fileAppears(file: string, timeoutMs: number): Promise<number | null> {
  const look = async () => {
    try {
      // A hard copy has at least one newline per row; empty it is only while it is being written.
      return (await stat(file)).size || null;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  };
  return waitUntil(look, { timeoutMs, everyMs: 2 });
}
