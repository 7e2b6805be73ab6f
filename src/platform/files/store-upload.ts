import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileTooLarge } from '../../protocol/index.ts';

/** Reports whether a name belongs to a file that is still being written. */
export const isUnfinished = (name: string): boolean => name.startsWith('.');

export interface Upload {
  /** the final path of the file, in a directory that exists; the file's name does not begin with a dot */
  path: string;
  bytes: AsyncIterable<Uint8Array>;
  /** the maximum size of the file */
  mostBytes: number;
}

/**
 * Writes bytes into a new private file as they arrive. The file gets its final name only when all bytes are on the
 * disk, so a reader never sees only part of it. A failure leaves nothing behind.
 * @returns the size of the file
 * @throws CatalogueError file_too_large, and everything that `bytes` and the file system throw
 */
export async function storeUpload({ path, bytes, mostBytes }: Upload): Promise<number> {
  const unfinished = join(dirname(path), `.${basename(path)}`);
  const file = await open(unfinished, 'wx', 0o600);
  try {
    let size = 0;
    try {
      for await (const chunk of bytes) {
        size += chunk.length;
        if (size > mostBytes) throw fileTooLarge(mostBytes);
        await file.writeFile(chunk);
      }
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
    return size;
  } catch (cause) {
    await rm(unfinished, { force: true });
    throw cause;
  }
}
