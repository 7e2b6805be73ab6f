import { readlink } from 'node:fs/promises';
import { CatalogueError } from '../../protocol/index.ts';
import { signal } from '../process/end-tree.ts';
import { readProcess } from '../process/proc-file.ts';
import { runProgram } from '../process/run-program.ts';
import { descendantsOf } from '../process/tree.ts';
import { waitUntil } from '../process/wait-until.ts';
import { requireScreen } from './command.ts';
import { type HiddenTerminal, openHiddenTerminal } from './hidden-terminal.ts';
import { SCREEN_TIMEOUT_MS, type ScreenHost } from './host.ts';
import { type KnownScreen, readScreen } from './list-screens.ts';

export interface TerminalSize {
  cols: number;
  rows: number;
}

/**
 * Gives a session another size: a client in a hidden terminal of that size attaches and goes again; the size stays (Screen
 * 4.9.0). In a session with several windows it is the one shown last. The program gets SIGWINCH, the recording's timing
 * a row.
 * @param pid a process in the window, the agent: its terminal proves the size
 * @throws CatalogueError screen_attached while a person is attached: the size is theirs; no_such_screen, screen_unresponsive
 */
export async function resizeScreen(
  host: ScreenHost,
  known: KnownScreen,
  options: TerminalSize & { pid: number },
): Promise<void> {
  const { id, attached } = await requireScreen(host, known);
  if (attached) throw new CatalogueError('screen_attached', `Somebody is attached to ${id}`);
  const { cols, rows, pid } = options;
  const terminal = openHiddenTerminal({ cols, rows, command: ['screen', '-U', '-r', id], env: host.env });
  try {
    const done = await waitUntil(
      async () => {
        const size = await readTerminalSize(host, pid);
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

/** HUP to the client detaches it, and leaves the session as it is. */
async function leave(host: ScreenHost, id: string, terminal: HiddenTerminal): Promise<void> {
  for (const client of await descendantsOf([terminal.pid])) await signal(client, 'SIGHUP');
  await waitUntil(async () => (terminal.hasEnded() && !(await readScreen(host, id))?.attached ? true : null), {
    timeoutMs: SCREEN_TIMEOUT_MS,
  });
}

/** Somebody attached in between, or the session ended. */
async function explain(host: ScreenHost, id: string, terminal: HiddenTerminal): Promise<CatalogueError> {
  const now = await requireScreen(host, { id });
  if (terminal.hasEnded() && now.attached)
    return new CatalogueError('screen_attached', `Somebody is attached to ${id}`);
  const said = terminal.text();
  return new CatalogueError('screen_unresponsive', `The size of ${id} did not change${said ? `: ${said}` : ''}`);
}

/** The size of the terminal that a process runs in; null when it has none or is gone. */
export async function readTerminalSize(host: Pick<ScreenHost, 'env'>, pid: number): Promise<TerminalSize | null> {
  const device = await readTerminal(pid);
  if (device === null) return null;
  const result = await runProgram('stty', ['-F', device, 'size'], { env: host.env, timeoutMs: SCREEN_TIMEOUT_MS });
  const [, rows, cols] = /^(\d+) (\d+)$/.exec(result.stdout.trim()) ?? [];
  return rows === undefined || cols === undefined ? null : { cols: Number(cols), rows: Number(rows) };
}

/** `/dev/pts/N` that the process has as its standard input; null when that is something else, or it is gone. */
async function readTerminal(pid: number): Promise<string | null> {
  if ((await readProcess(pid)) === null) return null;
  try {
    const path = await readlink(`/proc/${pid}/fd/0`);
    return /^\/dev\/(pts\/\d+|tty\w+)$/.test(path) ? path : null;
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
