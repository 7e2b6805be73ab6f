import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, fault, ok, warning } from '../check.ts';
import type { DoctorContext } from '../context.ts';

/** CBOS needs one inotify instance, with one watch for each recording and each directory. */
const NEEDED_INSTANCES = 1;
/**
 * The number of watches that is enough for fifty sessions, each with a recording, a folder for the transcript, and a
 * registry.
 */
const COMFORTABLE_WATCHES = 200;

/**
 * Compares the kernel's limits per user with what this user's programs already use. Editors and bundlers use thousands
 * of watches.
 */
export function checkInotify({ proc }: DoctorContext): Finding {
  const limits = {
    instances: readNumber(proc, 'max_user_instances'),
    watches: readNumber(proc, 'max_user_watches'),
  };
  const used = countInotify(proc);
  const detail = `${used.watches} of ${limits.watches} watches, ${used.instances} of ${limits.instances} instances in use`;
  const cure = (name: string, value: number) =>
    `sudo sysctl fs.inotify.${name}=${value} (and write the setting to /etc/sysctl.d/ to keep it after a reboot)`;
  if (limits.instances - used.instances < NEEDED_INSTANCES) return fault(detail, cure('max_user_instances', 1_024));
  if (limits.watches - used.watches < COMFORTABLE_WATCHES) return warning(detail, cure('max_user_watches', 524_288));
  return ok(detail);
}

function readNumber(proc: string, name: string): number {
  return Number(readFileSync(join(proc, 'sys/fs/inotify', name), 'utf8'));
}

/**
 * Counts instances and watches through /proc/PID/fdinfo. Other users' processes are not visible there, and they do not
 * count toward our limit.
 */
function countInotify(proc: string): { instances: number; watches: number } {
  const total = { instances: 0, watches: 0 };
  for (const pid of readdirSync(proc).filter((name) => /^\d+$/.test(name))) {
    for (const fd of ignoreGone(() => readdirSync(join(proc, pid, 'fd'))) ?? []) {
      if (ignoreGone(() => readlinkSync(join(proc, pid, 'fd', fd))) !== 'anon_inode:inotify') continue;
      const info = ignoreGone(() => readFileSync(join(proc, pid, 'fdinfo', fd), 'utf8')) ?? '';
      total.instances += 1;
      total.watches += info.split('\n').filter((line) => line.startsWith('inotify ')).length;
    }
  }
  return total;
}

/**
 * Reads a file or returns null, because processes may end and files may be closed at any moment, and because some
 * belong to other users.
 */
function ignoreGone<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'ENOTDIR'].includes(code)) return null;
    throw error;
  }
}
