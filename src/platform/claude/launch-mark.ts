import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { environmentOf } from '../process/proc-file.ts';
import { LAUNCH_VARIABLE, SPOOL_VARIABLE } from './environment.ts';

/**
 * The launch that a process belongs to, according to its environment. The mark names the home and the session's launch.
 */
export interface LaunchMark {
  launchId: string;
  /** the path of the home from which the process was launched, or null if the environment contains only the launch */
  home: string | null;
}

/**
 * Reads a process's mark. Returns null for a process that no launch started, that has ended, or that belongs to another
 * user.
 */
export function readLaunchMark(pid: number): LaunchMark | null {
  const environment = environmentOf(pid);
  const read = (name: string): string | null =>
    environment.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
  const launchId = read(LAUNCH_VARIABLE);
  const spool = read(SPOOL_VARIABLE);
  return launchId === null ? null : { launchId, home: spool === null ? null : dirname(spool) };
}

/** Reports whether two paths lead to the same home. Either of them may contain symbolic links. */
export function isSameHome(one: string, other: string): boolean {
  return one === other || realPath(one) === realPath(other);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    // The home was moved or removed after the launch.
    if ((error as NodeJS.ErrnoException).code !== undefined) return path;
    throw error;
  }
}
