import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** The error codes for opening a link that must not be followed, and a socket. */
const IRREGULAR: ReadonlySet<string | undefined> = new Set(['ELOOP', 'ENXIO']);

/**
 * Opens a file for reading that another program put there. Opening a pipe would wait until somebody writes into it, on
 * one of the four threads that read all files of the process; a device has no end. So neither is opened.
 * @param followsLinks false if only this user's own programs write there, and none of them makes a link
 * @returns null if it is no regular file
 */
export async function openRegularFile(path: string, { followsLinks = true } = {}): Promise<FileHandle | null> {
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | (followsLinks ? 0 : constants.O_NOFOLLOW);
  const file = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (IRREGULAR.has(error.code)) return null;
    throw error;
  });
  if (file === null || (await file.stat()).isFile()) return file;
  await file.close();
  return null;
}

/** The text of such a file; null also if it is longer than `mostBytes`. */
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
