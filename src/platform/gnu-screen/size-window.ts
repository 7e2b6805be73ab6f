import { readFile, readlink } from 'node:fs/promises';
import { CatalogueError } from '../../protocol/index.ts';
import { signal } from '../process/end-tree.ts';
import { runProgram } from '../process/run-program.ts';
import { descendantsOf } from '../process/tree.ts';
import { waitUntil } from '../process/wait-until.ts';
import { requireScreen, type ScreenWindow } from './command.ts';
import { type HiddenTerminal, openHiddenTerminal } from './hidden-terminal.ts';
import { SCREEN_TIMEOUT_MS, type ScreenHost } from './host.ts';
import { readScreen } from './list-screens.ts';

export interface TerminalSize {
  cols: number;
  rows: number;
}

/**
 * Attaches a client in a hidden terminal of the given size to a window, and then detaches the client again. The window
 * keeps that size (Screen 4.9.0), and anything that a user had left open over the window is closed.
 * @param options.terminal the window's terminal, whose size proves that the change took effect
 * @throws CatalogueError screen_attached while a user is attached, because that user's terminal determines the size;
 * no_such_screen, screen_unresponsive
 */
export async function sizeWindow(
  host: ScreenHost,
  window: ScreenWindow,
  { cols, rows, terminal: device }: TerminalSize & { terminal: string },
): Promise<void> {
  const { id, attached } = await requireScreen(host, window);
  if (attached) throw new CatalogueError('screen_attached', `Somebody is attached to ${id}`);
  const command = ['screen', '-U', '-r', id, '-p', window.number];
  const { name, value } = host.sizingMark;
  const env = { ...host.env, [name]: value };
  const terminal = await openHiddenTerminal(host, { cols, rows, command, env });
  try {
    const done = await waitUntil(
      async () => {
        const size = await readDeviceSize(host, device);
        if (size?.cols === cols && size.rows === rows && (await readScreen(host, id))?.attached) return true;
        return terminal.hasEnded() ? false : null;
      },
      { timeoutMs: SCREEN_TIMEOUT_MS },
    );
    if (done !== true) throw await explain(host, id, terminal);
    await leave(host, id, terminal);
  } finally {
    terminal.destroy();
  }
}

/** HUP detaches the client without affecting the session. */
async function leave(host: ScreenHost, id: string, terminal: HiddenTerminal): Promise<void> {
  for (const client of await descendantsOf([terminal.pid])) await signal(client, 'SIGHUP');
  await waitUntil(async () => (terminal.hasEnded() && !(await readScreen(host, id))?.attached ? true : null), {
    timeoutMs: SCREEN_TIMEOUT_MS,
  });
}

/** Determines what went wrong: either someone attached in between, or the session ended. */
async function explain(host: ScreenHost, id: string, terminal: HiddenTerminal): Promise<CatalogueError> {
  const now = await requireScreen(host, { id });
  if (terminal.hasEnded() && now.attached)
    return new CatalogueError('screen_attached', `Somebody is attached to ${id}`);
  const said = terminal.text();
  return new CatalogueError('screen_unresponsive', `The size of ${id} did not change${said ? `: ${said}` : ''}`);
}

/** Returns the size of the terminal at a path, or null if the terminal no longer exists. */
export async function readDeviceSize(host: Pick<ScreenHost, 'env'>, device: string): Promise<TerminalSize | null> {
  const result = await runProgram('stty', ['-F', device, 'size'], { env: host.env, timeoutMs: SCREEN_TIMEOUT_MS });
  const [, rows, cols] = /^(\d+) (\d+)$/.exec(result.stdout.trim()) ?? [];
  return rows === undefined || cols === undefined ? null : { cols: Number(cols), rows: Number(rows) };
}

/**
 * Returns the `/dev/pts/N` that is the standard input of a process, or null if its standard input is something else or
 * the process has ended.
 */
export async function readTerminal(pid: number): Promise<string | null> {
  try {
    const path = await readlink(`/proc/${pid}/fd/0`);
    return /^\/dev\/(pts\/\d+|tty\w+)$/.test(path) ? path : null;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EACCES' || code === 'EPERM') return controllingTerminal(pid);
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw error;
  }
}

/** The range of major numbers that the kernel uses for pseudo-terminals. Each major number has 256 of them. */
const FIRST_PTS_MAJOR = 136;
const LAST_PTS_MAJOR = 143;

/**
 * Reads field 7 of /proc/PID/stat, which anyone may read. A server in a user namespace may not inspect the files of
 * processes outside that namespace.
 */
async function controllingTerminal(pid: number): Promise<string | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  const device = Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[4]);
  const [major, minor] = [(device >> 8) & 0xfff, (device & 0xff) | ((device >> 12) & 0xfff00)];
  if (!(major >= FIRST_PTS_MAJOR && major <= LAST_PTS_MAJOR)) return null;
  return `/dev/pts/${(major - FIRST_PTS_MAJOR) * 256 + minor}`;
}
