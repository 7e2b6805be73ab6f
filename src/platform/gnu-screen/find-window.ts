import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CatalogueError } from '../../protocol/index.ts';
import { type ProcessInfo, readProcess } from '../process/proc-file.ts';
import { runProgram } from '../process/run-program.ts';
import { descendantsOf } from '../process/tree.ts';
import {
  clearMessage,
  NO_MESSAGE,
  QUERY_SECONDS,
  queryScreen,
  requireScreen,
  type ScreenTarget,
  type ScreenWindow,
  SHOWN_TIMEOUT_MS,
} from './command.ts';
import type { ScreenHost } from './host.ts';
import type { ScreenSession } from './list-screens.ts';
import { readDeviceSize, readTerminal, sizeWindow } from './size-window.ts';

/** A window, together with the terminal by which it was identified. */
export interface FoundWindow extends ScreenWindow {
  terminal: string;
}

/**
 * How long a proof remains valid. While no one is attached, no one can renumber a window between a prompt and its
 * Enter.
 */
const TRUSTED_MS = 500;
/**
 * How many attempts to make. A display that draws slowly keeps Screen from reading from the window (4.9.0,
 * `muchpending`).
 */
const LISTEN_TRIES = 2;
const BETWEEN_TRIES_MS = 100;

/**
 * Finds the window that a program runs in, and proves that keypresses to this window reach the program.
 *
 * A window's number proves little. WINDOW in a program's environment is the number that the window had when it was
 * created, and the `number` command moves windows or swaps two of them. Only the terminal stays the same. Screen 4.9.0
 * does not report which window has which terminal. However, `info` shows for each window whether flow control is on for
 * its terminal, and the kernel immediately reports a change of flow control to Screen. CBOS therefore switches flow
 * control on for a few milliseconds, and the right window is the one whose `info` shows the change.
 *
 * This also proves that Screen is reading from the window at all. While copy mode or one of Screen's own prompts is
 * open in the window ("Really kill this window [y/n]"), Screen reads nothing, and whatever is open would receive the
 * keypresses. If no one is attached, CBOS closes copy mode and prompts.
 * @throws CatalogueError no_such_screen, screen_unresponsive, no_such_window; screen_prompt_open while a user has
 * something open in the window
 */
export async function findWindow(host: ScreenHost, target: ScreenTarget): Promise<FoundWindow> {
  const place = await findPlace(host, target);
  const found = await searchWithoutPrompts(host, target, place);
  host.prompts.tell({ daemonPid: place.session.pid, isOpen: found === null });
  if (found === null) throw promptOpen(place.session.id);
  return found;
}

/** @returns null if a user has something open in the window */
async function searchWithoutPrompts(host: ScreenHost, target: ScreenTarget, place: Place): Promise<FoundWindow | null> {
  const found = await search(host, place);
  // The user may have detached in the meantime without closing it.
  if (found !== null || (await requireScreen(host, target)).attached) return found;
  await closePrompts(host, (await onlyWindow(host, place)) ?? windowOf(place, place.hint));
  return search(host, place);
}

/**
 * Finds the window that a program runs in, for callers that only read from it. Whatever a user has open in the window
 * remains open.
 * @throws CatalogueError no_such_screen, screen_unresponsive, no_such_window; screen_prompt_open if something that is
 * open hides the window
 */
export async function seeWindow(host: ScreenHost, target: ScreenTarget): Promise<FoundWindow> {
  const place = await findPlace(host, target);
  const window = (await search(host, place)) ?? (await onlyWindow(host, place));
  if (window === null) throw promptOpen(place.session.id);
  return window;
}

interface Place {
  session: ScreenSession;
  terminal: string;
  /** the number that the window had when it was created */
  hint: string;
}

async function findPlace(host: ScreenHost, target: ScreenTarget): Promise<Place> {
  const session = await requireScreen(host, target);
  return { session, terminal: await windowTerminal(session, target), hint: target.window ?? '0' };
}

async function search(host: ScreenHost, place: Place): Promise<FoundWindow | null> {
  const { session, terminal, hint } = place;
  const key = keyOf(session, terminal);
  const known = host.windows.get(key);
  const { ctimeMs: changedAt } = await stat(join(host.dir, session.id));
  // A user may renumber the window or open copy mode between a prompt and its Enter, so no earlier proof counts.
  if (known !== undefined && !session.attached && known.changedAt === changedAt) {
    if (performance.now() - known.provenAt < TRUSTED_MS) return windowOf(place, known.number);
    if ((await listWindows(host, session.id)) === known.windows) {
      known.provenAt = performance.now();
      return windowOf(place, known.number);
    }
  }
  host.windows.delete(key);
  const number = await prove(host, place, known?.number ?? hint);
  if (number === null) return null;
  // An attached user would see each query, and the result would not be used.
  if (session.attached) return windowOf(place, number);
  const windows = await listWindows(host, session.id);
  host.windows.set(key, { number, windows, changedAt, provenAt: performance.now() });
  return windowOf(place, number);
}

function windowOf({ session, terminal }: Place, number: string): FoundWindow {
  return { id: session.id, daemon: session.daemon, number, terminal };
}

async function prove(host: ScreenHost, { session, terminal }: Place, likely: string): Promise<string | null> {
  for (let attempt = 1; ; attempt++) {
    if (await hasTerminal(host, { session, number: likely }, terminal)) return likely;
    for (const number of await windowNumbers(host, session)) {
      if (number !== likely && (await hasTerminal(host, { session, number }, terminal))) return number;
    }
    if (attempt === LISTEN_TRIES) return null;
    await sleep(BETWEEN_TRIES_MS);
  }
}

async function onlyWindow(host: ScreenHost, place: Place): Promise<FoundWindow | null> {
  const [only, ...others] = await windowNumbers(host, place.session);
  return only === undefined || others.length > 0 ? null : windowOf(place, only);
}

/**
 * Shows a window's `info` before and after switching its terminal's flow control, and then switches flow control back.
 * A single program does all of this, so that flow control is restored even if the server dies in between. An attached
 * user also sees each answer, so the messages must be removed; see `clearMessage`.
 */
const SWITCH_FLOW = `trap '' PIPE HUP
case $(stty -F "$1" -a) in *' -ixon'*) on=ixon off=-ixon ;; *) on=-ixon off=ixon ;; esac
ask() { timeout ${QUERY_SECONDS} screen -S "$@"; }
show() { ask "$2" -p "$3" -Q info; echo; [ -z "$4" ] || ask "$2" -Q echo "$4" >/dev/null; }
echo "$on"
show "$@"
stty -F "$1" "$on"
show "$@"
stty -F "$1" "$off"`;

/** Reports whether a window's flow control shows that the window has this terminal. */
async function hasTerminal(
  host: ScreenHost,
  { session, number }: { session: ScreenSession; number: string },
  terminal: string,
): Promise<boolean> {
  const args = [terminal, session.id, number, session.attached ? NO_MESSAGE : ''];
  const options = { env: host.env, timeoutMs: SHOWN_TIMEOUT_MS };
  const { outcome, stdout } = await runProgram('/bin/sh', ['-c', SWITCH_FLOW, 'sh', ...args], options);
  const [on, before = '', during = ''] = stdout.split('\n');
  if (outcome === 'timed_out') {
    if (on !== undefined) await runProgram('stty', ['-F', terminal, on === 'ixon' ? '-ixon' : 'ixon'], options);
    throw new CatalogueError('screen_unresponsive', `The Screen daemon of ${session.id} did not respond`);
  }
  const wanted = on === 'ixon' ? '+' : '-';
  const [was, is] = [flowOf(before), flowOf(during)];
  return was !== null && is === wanted && was !== is;
}

/**
 * Returns `-flow` or `+flow`. Parentheses, as in `+(-)flow`, mean that the window's flow control is fixed (Screen 5,
 * and after Ctrl-A f).
 */
function flowOf(info: string): string | null {
  const [, fixed, automatic] = / ([-+])(?:\(([-+])\))?flow /.exec(info) ?? [];
  return automatic ?? fixed ?? null;
}

async function windowNumbers(host: ScreenHost, { id, attached }: ScreenSession): Promise<string[]> {
  const { stdout } = await queryScreen(host, id, ['windows', '%n ']);
  if (attached) await clearMessage(host, id);
  return stdout.match(/\d+/g) ?? [];
}

/** Returns the windows, with all the properties by which Screen can tell them apart. */
async function listWindows(host: ScreenHost, id: string): Promise<string> {
  return (await queryScreen(host, id, ['windows', '%n|%t|%x|'])).stdout;
}

/**
 * Closes copy mode or a prompt over a window by changing the window's size, which ends both. Esc would also close them,
 * but would reach the program if they were already closed.
 */
async function closePrompts(host: ScreenHost, window: FoundWindow): Promise<void> {
  const size = await readDeviceSize(host, window.terminal);
  if (size === null) return;
  await sizeWindow(host, window, { ...size, rows: size.rows + 1, terminal: window.terminal });
  await sizeWindow(host, window, { ...size, terminal: window.terminal });
}

/**
 * Returns the terminal that Screen gave to the window in which a process runs. This is the terminal of the process
 * itself, or that of the recorder that wraps it.
 * @throws CatalogueError no_such_window
 */
async function windowTerminal(session: ScreenSession, { pid }: ScreenTarget): Promise<string> {
  const top = pid === undefined ? await onlyChild(session.pid) : await childAbove(session.pid, pid);
  const terminal = top === null ? null : await readTerminal(top);
  if (terminal !== null) return terminal;
  throw new CatalogueError('no_such_window', `None of the windows of ${session.id} runs this program`);
}

async function onlyChild(daemonPid: number): Promise<number | null> {
  const children = (await descendantsOf([daemonPid])).filter(({ ppid }) => ppid === daemonPid);
  const [only] = children;
  return children.length === 1 && only !== undefined ? only.pid : null;
}

async function childAbove(daemonPid: number, pid: number): Promise<number | null> {
  let info: ProcessInfo | null = await readProcess(pid);
  while (info !== null && info.ppid !== daemonPid) info = info.ppid > 1 ? await readProcess(info.ppid) : null;
  return info?.pid ?? null;
}

function keyOf(session: ScreenSession, terminal: string): string {
  return `${session.pid} ${terminal}`;
}

function promptOpen(id: string): CatalogueError {
  return new CatalogueError(
    'screen_prompt_open',
    `Screen intercepts the keys for ${id}: it is in copy mode, or shows a prompt of its own`,
    { hint: `Attach with \`screen -x ${id}\`, and press Esc` },
  );
}
