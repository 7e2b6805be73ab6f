import { open, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * How many bytes to write as a test, which is more than fit into a file's last block or into the space that a file
 * system reserves in its inodes.
 */
const TRIED_BYTES = 65_536;

/**
 * Returns why nothing can be written in a directory, as an error code such as ENOSPC (full), EDQUOT (over the quota),
 * or EROFS, or null if writing works. Only an actual write reveals this, because the number of free bytes that a file
 * system reports ignores quotas and the superuser's reserve.
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

/** Returns how many bytes this user can still write to the file system that contains a directory. */
export async function freeBytes(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}

/**
 * Reports whether a file has no room left in its last block. On a full disk, a write first fills that block and is cut
 * off where the block ends. An empty file has no room either.
 */
export async function endsAtBlock(file: string): Promise<boolean> {
  const [{ size }, { bsize }] = await Promise.all([stat(file), statfs(file)]);
  return size % bsize === 0;
}
