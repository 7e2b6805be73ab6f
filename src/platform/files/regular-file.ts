import { closeSync, constants, fstatSync, openSync, promises, readFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/** The error codes for opening a socket, or a link that must not be followed. */
const IRREGULAR: ReadonlySet<string | undefined> = new Set(['ELOOP', 'ENXIO']);

const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Opens, for reading, a file that another program created. Pipes and devices are not opened. Opening a pipe would block
 * until someone writes to it, and would block one of the four threads that read all of the process's files. A device
 * has no end.
 * @param followsLinks false if only this user's own programs write there, and none of them creates links
 * @returns null if the file is not a regular one
 */
export async function openRegularFile(path: string, { followsLinks = true } = {}): Promise<FileHandle | null> {
  const flags = followsLinks ? READ : READ | constants.O_NOFOLLOW;
  const file = await promises.open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (IRREGULAR.has(error.code)) return null;
    throw error;
  });
  if (file === null || (await file.stat()).isFile()) return file;
  await file.close();
  return null;
}

/**
 * Reads the text of a file, opened as in {@link openRegularFile}. Also returns null if the file is longer than
 * `mostBytes`.
 */
export async function readRegularFile(
  path: string,
  { mostBytes, followsLinks = true }: { mostBytes: number; followsLinks?: boolean },
): Promise<string | null> {
  const file = await openRegularFile(path, { followsLinks });
  if (file === null) return null;
  try {
    const { size } = await file.stat();
    return size > mostBytes ? null : await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/**
 * Works like {@link readRegularFile}, but synchronously. Commands use this when they have nothing else to do yet,
 * because Node's promise API for files takes a millisecond to load.
 */
export function readRegularFileNow(path: string, { mostBytes }: { mostBytes: number }): string | null {
  let file: number;
  try {
    file = openSync(path, READ);
  } catch (error) {
    if (IRREGULAR.has((error as NodeJS.ErrnoException).code)) return null;
    throw error;
  }
  try {
    const status = fstatSync(file);
    return status.isFile() && status.size <= mostBytes ? readFileSync(file, 'utf8') : null;
  } finally {
    closeSync(file);
  }
}
