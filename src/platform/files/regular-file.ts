import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** What opening says of a link that is not to be followed, and of a socket. */
const IRREGULAR: ReadonlySet<string | undefined> = new Set(['ELOOP', 'ENXIO']);

/**
 * Opens a file for reading that another program has put there. Opening a pipe waits until somebody writes into it, on
 * one of the four threads that all files of the process are read on; a device has no end. So neither is opened.
 * @param followsLinks false where only this user's own programs write, and none of them makes a link
 * @returns null where it is no regular file
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

/** The text of such a file; null also where it is longer than that. */
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
