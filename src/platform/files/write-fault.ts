import { open, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** More than what a file may still find in its last block, or in what a file system keeps beside its nodes. */
const TRIED_BYTES = 65_536;

/**
 * Why nothing can be written in a directory: an error's code, as ENOSPC (full), EDQUOT (over the quota), EROFS; null:
 * something can. Proven by writing: what a file system says of its free bytes leaves out quotas, and what it keeps for
 * the superuser.
 */
export async function writeFault(dir: string): Promise<string | null> {
  const file = join(dir, `.cbos-room-${process.pid}`);
  try {
    const handle = await open(file, 'w', 0o600);
    try {
      await handle.writeFile(Buffer.alloc(TRIED_BYTES, 0x20));
      await handle.datasync();
    } finally {
      await handle.close();
    }
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'EIO';
  } finally {
    await rm(file, { force: true }).catch(() => undefined);
  }
}

/** What a directory's file system has left for this user, in bytes. */
export async function freeBytes(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}

/**
 * Whether a file has no room left in its last block: a write on a full disk first fills that up, and is cut off at its
 * end. An empty file has none either.
 */
export async function endsAtBlock(file: string): Promise<boolean> {
  const [{ size }, { bsize }] = await Promise.all([stat(file), statfs(file)]);
  return size % bsize === 0;
}
