import { CatalogueError } from '../../protocol/index.ts';
import { readProcess } from '../process/proc-file.ts';
import { requireScreen, type ScreenTarget } from './command.ts';
import { findWindow } from './find-window.ts';
import type { ScreenHost } from './host.ts';
import { readDeviceSize, readTerminal, sizeWindow, type TerminalSize } from './size-window.ts';

/**
 * Resizes the window that a program runs in. The program receives SIGWINCH, and the recording's timing file gets a row
 * for the new size.
 * @throws CatalogueError screen_attached while a user is attached, because that user's terminal determines the size;
 * no_such_screen, screen_unresponsive, no_such_window
 */
export async function resizeScreen(host: ScreenHost, target: ScreenTarget, size: TerminalSize): Promise<void> {
  const { id, attached } = await requireScreen(host, target);
  if (attached) throw new CatalogueError('screen_attached', `Somebody is attached to ${id}`);
  const window = await findWindow(host, target);
  await sizeWindow(host, window, { ...size, terminal: window.terminal });
}

/** Returns the size of the terminal that a process runs in, or null if the process has none or has ended. */
export async function readTerminalSize(host: Pick<ScreenHost, 'env'>, pid: number): Promise<TerminalSize | null> {
  if ((await readProcess(pid)) === null) return null;
  const device = await readTerminal(pid);
  return device === null ? null : readDeviceSize(host, device);
}
