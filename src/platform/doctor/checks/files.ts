import { accessSync, constants, readdirSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Finding, fault, ok, warning } from '../check.ts';
import type { DoctorContext } from '../context.ts';
import { formatMode, isPrivate, statIfThere } from '../permissions.ts';

const MEGABYTE = 1_000_000;
/** A busy session writes some 10 MB an hour. */
const LITTLE_SPACE_BYTES = 1_000 * MEGABYTE;
/** With less SQLite and `script` fail soon; `script` does so in silence. */
const NO_SPACE_BYTES = 100 * MEGABYTE;

export function checkHome({ settings: { home, socket } }: DoctorContext): Finding {
  const found = statIfThere(home);
  if (found === null) return ok(`${home} (made at the first start)`);
  if (!isPrivate(found)) return fault(`${home} has mode ${formatMode(found)}`, `chmod 700 ${home}`);
  for (const file of [join(home, 'token'), join(home, 'cbos.db'), socket]) {
    const inside = statIfThere(file);
    if (inside !== null && !isPrivate(inside)) {
      return fault(`${file} has mode ${formatMode(inside)}`, `chmod 600 ${file}`);
    }
  }
  return ok(home);
}

export function checkRecordings({ settings: { stream_dir } }: DoctorContext): Finding {
  const place = nearestExisting(stream_dir);
  if (!statSync(place).isDirectory())
    return fault(`${place} is no directory`, 'Name another one in CBOS_STREAM_STREAM_DIR');
  if (!isWritable(place)) return fault(`${place} cannot be written`, `Make it yours, or set CBOS_STREAM_STREAM_DIR`);
  const { bavail, bsize } = statfsSync(place);
  const freeBytes = bavail * bsize;
  const detail = `${stream_dir}, ${formatSize(freeBytes)} free`;
  if (freeBytes < NO_SPACE_BYTES)
    return fault(detail, 'Free some space: a recording stops without a word on a full disk');
  if (freeBytes < LITTLE_SPACE_BYTES) return warning(detail, 'Free some space');
  const shortened = filesIn(stream_dir).filter((name) => hasLostBeginning(join(stream_dir, name)));
  if (shortened.length === 0) return ok(detail);
  const names = shortened.map((name) => name.replace(/\.parts$/, '')).join(', ');
  return ok(`${detail}; only the newer part is kept of: ${names} (max_recording_size, max_total_size)`);
}

function hasLostBeginning(dir: string): boolean {
  return dir.endsWith('.parts') && filesIn(dir).some((name) => name.startsWith('dropped-'));
}

/** A payload lies in the spool for milliseconds while a server runs. */
const LEFT_OVER_MS = 60_000;

export async function checkSpool({ settings: { home }, now, askServer }: DoctorContext): Promise<Finding> {
  const spool = join(home, 'hooks');
  const found = statIfThere(spool);
  if (found === null) return ok(`${spool} (made at the first start)`);
  if (!isPrivate(found)) return fault(`${spool} has mode ${formatMode(found)}`, `chmod 700 ${spool}`);
  const rejected = filesIn(join(spool, 'rejected'));
  const waiting = filesIn(spool).filter(
    (name) => name.endsWith('.json') && now - (statIfThere(join(spool, name))?.mtimeMs ?? now) > LEFT_OVER_MS,
  );
  if (waiting.length > 0 && (await askServer()) !== null) {
    return warning(
      `${waiting.length} hook payloads lie in ${spool} although the server runs`,
      'cbos down && cbos up; the log in the home says why',
    );
  }
  if (rejected.length > 0) {
    return warning(
      `${rejected.length} hook payloads could not be understood`,
      `Look at ${join(spool, 'rejected')}, then delete it`,
    );
  }
  return ok(waiting.length === 0 ? spool : `${spool}, ${waiting.length} payloads wait for the server`);
}

function filesIn(folder: string): string[] {
  return statIfThere(folder) === null ? [] : readdirSync(folder);
}

function nearestExisting(path: string): string {
  return statIfThere(path) !== null || path === dirname(path) ? path : nearestExisting(dirname(path));
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false; // that is the answer
  }
}

function formatSize(bytes: number): string {
  return bytes < 1_000 * MEGABYTE
    ? `${Math.floor(bytes / MEGABYTE)} MB`
    : `${(bytes / (1_000 * MEGABYTE)).toFixed(1)} GB`;
}
