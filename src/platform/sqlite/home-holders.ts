import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { mapProcesses } from '../process/index.ts';
import { LOCK_FILE } from './home-lock.ts';

/** What the kernel adds to the name of an open file that has been removed. */
const REMOVED = ' (deleted)';

/** A server as the kernel knows it: a process that has a home's lock open. */
export interface HomeHolder {
  pid: number;
  /** its home was removed, or another one is in its place: no later server sees its lock */
  isRemoved: boolean;
}

/**
 * Who has the lock of a home open, also of one that was removed meanwhile: what stands in the home says nothing about
 * that. Looks at the open files of this user's processes, some 20 ms. Commands have the lock open for a millisecond as
 * well, to try it.
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

/** As the kernel names it, also where it is not there any more. */
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
    // It has ended, or is somebody else's.
    return [];
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // closed meanwhile
  }
}
