import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { mapProcesses } from '../process/index.ts';
import { LOCK_FILE } from './home-lock.ts';

/** What the kernel adds to the name of an open file that has been removed. */
const REMOVED = ' (deleted)';

/** A server as the kernel sees it: a process that has a home's lock open. */
export interface HomeHolder {
  pid: number;
  /** its home was removed, or another one is in its place, so no later server sees its lock */
  isRemoved: boolean;
}

/**
 * Finds who has the lock of a home open, even if the home was removed in the meantime: no file in the home shows that.
 * Inspects the open files of this user's processes, which takes some 20 ms. Commands also open the lock for a
 * millisecond to try it.
 * @param self the pid of the asking process, which is left out
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

/** The path as the kernel names it, even if it no longer exists. */
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
