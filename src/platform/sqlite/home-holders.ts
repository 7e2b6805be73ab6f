import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { mapProcesses } from '../process/index.ts';
import { LOCK_FILE } from './home-lock.ts';

/** The suffix that the kernel adds to the name of an open file that has been removed. */
const REMOVED = ' (deleted)';

/** A server as seen by the kernel: a process that has the lock file of a home open. */
export interface HomeHolder {
  pid: number;
  /**
   * whether the server's home has been removed or replaced by another one; if so, no later server sees the server's
   * lock
   */
  isRemoved: boolean;
}

/**
 * Finds the processes that have the lock file of a home open, even if the home has been removed in the meantime,
 * because no file in a new home would reveal such a process. This inspects the open files of this user's processes,
 * which takes about 20 ms. Commands also open the lock file for a millisecond, to try the lock.
 * @param self the pid of the calling process, which is not included in the result
 */
export function findHomeHolders(home: string, self: number): Promise<HomeHolder[]> {
  const lock = join(realHome(home), LOCK_FILE);
  return mapProcesses((pid) => {
    if (pid === self) return null;
    const open = openFiles(pid);
    if (open.includes(lock)) return { pid, isRemoved: false };
    return open.includes(`${lock}${REMOVED}`) ? { pid, isRemoved: true } : null;
  });
}

/** Returns a path as the kernel reports it, even if the path no longer exists. */
function realHome(home: string): string {
  try {
    return realpathSync(home);
  } catch {
    return dirname(home) === home ? home : join(realHome(dirname(home)), basename(home));
  }
}

function openFiles(pid: number): string[] {
  const dir = `/proc/${pid}/fd`;
  try {
    return readdirSync(dir).map((fd) => linkOf(join(dir, fd)));
  } catch {
    // The process has ended, or it belongs to another user.
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // closed in the meantime
  }
}
