import { open, readdir, readFile, readlink, realpath, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { CatalogueError } from '../../protocol/index.ts';
import { readProcess } from '../process/proc-file.ts';
import { waitUntil } from '../process/wait-until.ts';
import { isOwn } from '../recorder/recording-files.ts';
import { exchangeName, requireScreen, type ScreenTarget, sendCommand, sendCommandsAndWait } from './command.ts';
import { findWindow, seeWindow } from './find-window.ts';
import { SCREEN_TIMEOUT_MS, type ScreenHost } from './host.ts';
import type { KnownScreen } from './list-screens.ts';
import { assertSocketFits } from './screen-id.ts';

/**
 * Makes Screen itself record a window of a session that something else started. Screen appends bytes to the file as
 * they arrive (`logfile flush 0`; the default is every 10 s). To verify this, CBOS checks that the daemon has the file
 * open. If the file does not exist, it is created with mode 0600. The file has no header line, and Screen writes no
 * timing.
 * @throws CatalogueError no_such_screen, screen_unresponsive
 */
export async function startLog(host: ScreenHost, target: ScreenTarget, file: string): Promise<void> {
  const session = await requireScreen(host, target);
  await (await open(file, 'a', 0o600)).close();
  const link = await pointLog(host, { pid: session.pid, window: target.window }, file);
  const window = await findWindow(host, target);
  await sendCommandsAndWait(host, window, [`logfile ${link}`, 'logfile flush 0', 'log on']);
  const path = await realpath(file);
  const isOpen = async () => ((await openNames(session.pid)).includes(path) ? true : null);
  if (await waitUntil(isOpen, { timeoutMs: SCREEN_TIMEOUT_MS })) return;
  throw new CatalogueError('screen_unresponsive', `Screen did not start recording ${target.id}`);
}

/**
 * Works like {@link startLog}, for a window that is already being recorded in a file that was moved or deleted. The old
 * log is ended first. Never use this function for a log that CBOS did not start.
 * @throws CatalogueError no_such_screen, screen_unresponsive
 */
export async function restartLog(host: ScreenHost, target: ScreenTarget, file: string): Promise<void> {
  await sendCommandsAndWait(host, await findWindow(host, target), ['log off']);
  await startLog(host, target, file);
}

/**
 * Creates a link to a window's recording in the place where Screen looks for it. Call this function again after the
 * recording is renamed. CBOS creates the link itself, because Screen expands `%`, `$`, and `^` in the name. The link is
 * never removed, because Screen reopens the file by name whenever the file is shorter than what Screen has written (a
 * full disk, a truncated file). Without the link, Screen would create a new file there (4.9.0, `logfwrite`).
 * @returns the path of the link
 */
export async function pointLog(
  { exchangeDir }: Pick<ScreenHost, 'exchangeDir'>,
  { pid, window = '0' }: { pid: number; window?: string | undefined },
  file: string,
): Promise<string> {
  const link = join(exchangeDir, `log-${pid}-${window}`);
  const made = join(exchangeDir, exchangeName('link'));
  await symlink(file, made);
  await rename(made, link);
  for (const name of await readdir(exchangeDir)) {
    const owner = /^log-(\d+)-/.exec(name)?.[1];
    if (owner !== undefined && (await readProcess(Number(owner))) === null)
      await rm(join(exchangeDir, name), { force: true });
  }
  return link;
}

/**
 * Reports whether Screen's daemon is writing this file. This tells a restarted server whether the recording is still
 * being made.
 */
export async function isLogging(daemonPid: number, file: string): Promise<boolean> {
  try {
    return (await openNames(daemonPid)).includes(await realpath(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Returns a path through which to read a deleted log that Screen's daemon is still writing, or null if there is none.
 */
export async function findDeletedLog(daemonPid: number, file: string): Promise<string | null> {
  for (const { path, name } of await openFiles(daemonPid)) if (name === `${file} (deleted)`) return path;
  return null;
}

/** Returns the recordings that Screen's daemon is writing for any CBOS home. */
export async function findRecordings(daemonPid: number): Promise<string[]> {
  const files = (await openNames(daemonPid)).filter((file) => file.endsWith('.typescript'));
  const own = await Promise.all(files.map(isOwn));
  return files.filter((_, index) => own[index]);
}

/**
 * Returns the contents of a window as text. Use this only for sessions that have no recording. In a detached session,
 * Screen 4.9.0 keeps only the low byte of each character (so `❯` is lost).
 * @param scrollback whether to include the lines above the screen
 * @throws CatalogueError no_such_screen, screen_unresponsive
 */
export async function readHardcopy(host: ScreenHost, target: ScreenTarget, scrollback = false): Promise<string> {
  const file = join(host.exchangeDir, exchangeName('copy'));
  try {
    await sendCommandsAndWait(host, await seeWindow(host, target), [`hardcopy ${scrollback ? '-h ' : ''}${file}`]);
    return await readFile(file, 'utf8');
  } finally {
    await rm(file, { force: true });
  }
}

/**
 * Renames the Screen session. Its socket gets a new name, so its id changes.
 * @param name the new name, which is a slug
 * @returns the new id, as confirmed by the socket
 * @throws CatalogueError path_too_long, no_such_screen, screen_unresponsive
 */
export async function renameScreen(host: ScreenHost, known: KnownScreen, name: string): Promise<string> {
  const session = await requireScreen(host, known);
  assertSocketFits(host.dir, name, String(session.pid).length);
  const renamed = `${session.pid}.${name}`;
  if (renamed === session.id) return renamed;
  await sendCommand(host, known, ['sessionname', name]);
  const exists = async () => ((await readdir(host.dir)).includes(renamed) ? true : null);
  if (await waitUntil(exists, { timeoutMs: SCREEN_TIMEOUT_MS, everyMs: 2 })) return renamed;
  throw new CatalogueError('screen_unresponsive', `Screen did not rename ${session.id}`);
}

const openNames = async (pid: number): Promise<string[]> => (await openFiles(pid)).map(({ name }) => name);

async function openFiles(pid: number): Promise<{ path: string; name: string }[]> {
  const dir = `/proc/${pid}/fd`;
  const paths = (await readdir(dir).catch(goneIsEmpty)).map((descriptor) => join(dir, descriptor));
  const names = await Promise.all(paths.map((path) => readlink(path).catch(goneIsEmpty)));
  return paths.flatMap((path, index) => [names[index] ?? []].flat().map((name) => ({ path, name })));
}

function goneIsEmpty(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT' || error.code === 'ESRCH') return [];
  throw error;
}
