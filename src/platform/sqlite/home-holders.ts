import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { mapProcesses } from '../process/index.ts';
import { LOCK_FILE } from './home-lock.ts';

/** The suffix that the kernel adds to the name of an open file that has been removed. */
const REMOVED = ' (deleted)';

/** A server as the kernel sees it: a process that has a home's lock open. */
export interface HomeHolder {
  pid: number;
  /** whether its home has been removed or replaced by another one; if so, no later server sees its lock */
  isRemoved: boolean;
}

/**
 * Finds the processes that have a home's lock open, even if the home has been removed in the meantime, because no file
 * in the new home would show that. This inspects the open files of this user's processes, which takes about 20 ms.
 * Commands also open the lock for a millisecond, to try it.
 * @param self the pid of the calling process, which is left out
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

/** Returns the path as the kernel reports it, even if it no longer exists. */
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
    // The process has ended, or belongs to another user.
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
