import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { environmentOf } from '../process/proc-file.ts';
import { LAUNCH_VARIABLE, SPOOL_VARIABLE } from './environment.ts';
import { configDirectory } from './own-files.ts';

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
  const launchId = valueIn(environment, LAUNCH_VARIABLE);
  const spool = valueIn(environment, SPOOL_VARIABLE);
  return launchId === null ? null : { launchId, home: spool === null ? null : dirname(spool) };
}

/**
 * Returns the configuration directory of a Claude Code process, which a wrapper may have chosen. Returns null if the
 * process has ended or belongs to another user.
 */
export function configDirectoryOfProcess(pid: number): string | null {
  const environment = environmentOf(pid);
  const HOME = valueIn(environment, 'HOME');
  const CLAUDE_CONFIG_DIR = valueIn(environment, 'CLAUDE_CONFIG_DIR') ?? undefined;
  return HOME === null && CLAUDE_CONFIG_DIR === undefined
    ? null
    : configDirectory({ HOME: HOME ?? undefined, CLAUDE_CONFIG_DIR });
}

const valueIn = (environment: readonly string[], name: string): string | null =>
  environment.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;

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
