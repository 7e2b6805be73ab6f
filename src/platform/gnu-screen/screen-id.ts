import { readFile } from 'node:fs/promises';
import { CatalogueError } from '../../protocol/index.ts';

/**
 * The parts of a Screen session's full name. Commands always use the full name, because `-S X` also matches prefixes of
 * names and pids.
 */
export interface ScreenId {
  /** the pid of Screen's daemon */
  pid: number;
  name: string;
}

/** Parses `PID.NAME`, or returns null for anything else. */
export function parseScreenId(id: string): ScreenId | null {
  const match = /^([1-9][0-9]{0,9})\.(.+)$/s.exec(id);
  const [, pid, name] = match ?? [];
  return pid === undefined || name === undefined ? null : { pid: Number(pid), name };
}

/** `sun_path` in unix(7) has 108 bytes, including the terminating NUL. */
const MAX_SOCKET_PATH_BYTES = 107;
/**
 * For `-S`, Screen 4.9.0 refuses ids longer than this, including the pid: "Session-name is too long (max length is 80
 * symbols)".
 */
const MAX_ID_LENGTH = 80;

/**
 * Refuses a name whose socket path would be too long. Screen 4.9.0 does not report such a name and exits with 0, but
 * truncates the name or creates no session at all.
 * @param pidDigits the number of digits in the daemon's pid or, as long as that is unknown, in the longest pid
 * @throws CatalogueError path_too_long
 */
export function assertSocketFits(dir: string, name: string, pidDigits: number): void {
  const bytes = Buffer.byteLength(`${dir}/.${name}`) + pidDigits;
  if (bytes > MAX_SOCKET_PATH_BYTES) {
    const message = `The path ${dir}/PID.${name} would have ${bytes} bytes, but the system allows a socket path only ${MAX_SOCKET_PATH_BYTES}`;
    throw new CatalogueError('path_too_long', message);
  }
  if (pidDigits + 1 + name.length > MAX_ID_LENGTH) {
    const message = `PID.${name} would have over ${MAX_ID_LENGTH} characters, more than Screen allows`;
    throw new CatalogueError('path_too_long', message, { hint: 'Use a shorter session name' });
  }
}

/** Returns how many digits a pid may have on this system: 5 to 7. */
export async function readPidDigits(): Promise<number> {
  const max = Number(await readFile('/proc/sys/kernel/pid_max', 'utf8'));
  return String(max - 1).length;
}
