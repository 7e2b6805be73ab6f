import { closeSync, constants, fstatSync, openSync, promises, readFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/** The error codes for an attempt to open a socket, or a symbolic link that must not be followed. */
const IRREGULAR: ReadonlySet<string | undefined> = new Set(['ELOOP', 'ENXIO']);

const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Opens a file that another program created, for reading only. Pipes and devices are not opened. Opening a pipe would
 * block until someone writes to it, and would thereby occupy one of the four threads that read all of the process's
 * files. A device has no end.
 * @param followsLinks false if only this user's own programs write to this place, and none of them creates symbolic
 * links
 * @returns null if the file is not a regular file
 */
export async function openRegularFile(path: string | Buffer, { followsLinks = true } = {}): Promise<FileHandle | null> {
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
 * Reads the text of a file that is opened as in {@link openRegularFile}. Also returns null if the file is longer than
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
 * Works like {@link openRegularFile}, but synchronously. Commands use it if they have nothing else to do in the
 * meantime, because Node's promise API for files takes a millisecond to load, and its threads another one.
 * @returns the file's descriptor, or null if the file is not a regular file
 */
export function openRegularFileNow(path: string): number | null {
  let file: number;
  try {
    file = openSync(path, READ);
  } catch (error) {
    if (IRREGULAR.has((error as NodeJS.ErrnoException).code)) return null;
    throw error;
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  return null;
}

/** Works like {@link readRegularFile}, but synchronously. */
export function readRegularFileNow(path: string, { mostBytes }: { mostBytes: number }): string | null {
  const file = openRegularFileNow(path);
  if (file === null) return null;
  try {
    return fstatSync(file).size > mostBytes ? null : readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}
