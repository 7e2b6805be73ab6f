import { accessSync, constants, readdirSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { settingVariable } from '../../../protocol/index.ts';
import { dropText, formatSize } from '../../../text/recording-words.ts';
import { REMADE_FILE } from '../../claude/index.ts';
import { writeFault } from '../../files/write-fault.ts';
import { readDrops } from '../../sqlite/drop-store.ts';
import { type Finding, fault, ok, warning } from '../check.ts';
import type { DoctorContext } from '../context.ts';
import { formatMode, isPrivate, statIfThere } from '../permissions.ts';

const MEGABYTE = 1_000_000;
/** The amount of free space below which the doctor warns. A busy session writes about 10 MB an hour. */
const LITTLE_SPACE_BYTES = 1_000 * MEGABYTE;
/** The amount of free space below which SQLite and `script` will soon fail. `script` fails silently. */
const NO_SPACE_BYTES = 100 * MEGABYTE;

export async function checkHome({ settings: { home, socket } }: DoctorContext): Promise<Finding> {
  const found = statIfThere(home);
  if (found === null) return ok(`${home} (created at the first start)`);
  if (!isPrivate(found)) return fault(`${home} has mode ${formatMode(found)}`, `chmod 700 ${home}`);
  for (const file of [join(home, 'token'), join(home, 'cbos.db'), socket]) {
    const inside = statIfThere(file);
    if (inside !== null && !isPrivate(inside)) {
      return fault(`${file} has mode ${formatMode(inside)}`, `chmod 600 ${file}`);
    }
  }
  // Only an actual write shows whether writing is possible. After a disk error, nothing else reveals that a file system
  // has become read-only (ext4, Linux 6.18).
  if ((await writeFault(home)) === 'EROFS') {
    return fault(
      `${home} is on a read-only file system`,
      `Make it writable again (mount -o remount,rw, or fsck), or set ${settingVariable('home')}`,
    );
  }
  const freeBytes = freeIn(home);
  if (freeBytes < NO_SPACE_BYTES)
    return fault(
      `${home}, ${formatSize(freeBytes)} free`,
      'Free some space; on a full disk, CBOS cannot record anything new',
    );
  return ok(home);
}

export async function checkRecordings({ settings: { stream_dir }, askSessions }: DoctorContext): Promise<Finding> {
  const place = nearestExisting(stream_dir);
  if (!statSync(place).isDirectory())
    return fault(`${place} isn't a directory`, `Set ${settingVariable('stream_dir')} to another directory`);
  if (!isWritable(place))
    return fault(
      `${place} cannot be written to`,
      `Make the directory writable, or set ${settingVariable('stream_dir')} to another one`,
    );
  const sessions = await askSessions();
  const undrawn = sessions.filter(({ undrawn_since: since }) => since !== undefined).map(({ slug }) => slug);
  if (undrawn.length > 0)
    return warning(
      `${undrawn.join(', ')} wrote output that CBOS cannot draw quickly enough, so CBOS shows an empty screen; other sessions are not affected`,
      `cbos attach ${undrawn[0]} shows the screen; cbos restart ${undrawn[0]} starts a new recording`,
    );
  const removed = sessions.flatMap((one) => (one.recording_stopped_because === 'removed' ? one.slug : []));
  if (removed.length > 0)
    return fault(
      `the files of ${removed.join(', ')} were removed, and new ones could not be created yet`,
      'Fix the faults that this report shows for Screen and the disk; CBOS retries every few seconds, and server.log in the home shows why it fails',
    );
  const freeBytes = freeIn(place);
  const detail = `${stream_dir}, ${formatSize(freeBytes)} free`;
  if (freeBytes < NO_SPACE_BYTES)
    return fault(detail, 'Free some space; on a full disk recordings stop, and `cbos status` lists which ones');
  if (freeBytes < LITTLE_SPACE_BYTES) return warning(detail, 'Free some space');
  return checkPrivacy(stream_dir) ?? ok(detail);
}

function freeIn(place: string): number {
  const { bavail, bsize } = statfsSync(place);
  return bavail * bsize;
}

/**
 * Checks the permissions of existing files. CBOS makes its own directory and files private, but does not change any
 * that already existed.
 */
function checkPrivacy(dir: string): Finding | null {
  const found = statIfThere(dir);
  if (found !== null && !isPrivate(found))
    return warning(`other users can list ${dir} (mode ${formatMode(found)})`, `chmod 700 ${dir}`);
  const names = filesIn(dir);
  const open = names.filter((name) => {
    const slug = RECORDED.exec(name)?.[1];
    // A file without CBOS's mark belongs to the user, who may have a reason for its mode.
    if (slug === undefined || !names.includes(`${slug}.cbos`)) return false;
    const file = statIfThere(join(dir, name));
    return file !== null && !isPrivate(file);
  });
  if (open.length === 0) return null;
  const more = open.length > SHOWN_FILES ? `, and ${open.length - SHOWN_FILES} more` : '';
  return warning(
    `other users can read ${open.slice(0, SHOWN_FILES).join(', ')}${more} in ${dir}`,
    `chmod -R go= ${open.map((name) => join(dir, name)).join(' ')}`,
  );
}

/** Reports dropped output as a fact rather than as a warning, because the settings ask for it. */
export function checkDrops({ settings: { home } }: DoctorContext): Finding {
  const drops = readDropsIfReadable(join(home, 'cbos.db'));
  if (drops === null) return ok('unknown, because the database cannot be read');
  if (drops.length === 0) return ok('none');
  const [last] = drops;
  const bytes = drops.reduce((sum, drop) => sum + drop.bytes, 0);
  const all = `${formatSize(bytes)} in all`;
  return ok(last === undefined ? all : `${all}; last ${dropText(last)}`);
}

/**
 * Returns null if the server has opened the database exclusively, or if the database is damaged. Another check reports
 * the damage.
 */
function readDropsIfReadable(file: string): ReturnType<typeof readDrops> | null {
  try {
    return readDrops(file);
  } catch {
    return null;
  }
}

/** Matches every file that contains something that a session has shown. */
const RECORDED = /^(.+?)\.(?:typescript|timing|keyframes|parts|timing\.parts)$/;
/** How many names are shown, which is as many as a user would read. The suggested fix covers all files. */
const SHOWN_FILES = 3;

/** While a server is running, a payload remains in the spool only for milliseconds. */
const LEFT_OVER_MS = 60_000;

export async function checkSpool({ settings: { home }, now, askServer }: DoctorContext): Promise<Finding> {
  const spool = join(home, 'hooks');
  const found = statIfThere(spool);
  if (found === null) {
    return (await askServer()) === null
      ? ok(`${spool} (created at the first start)`)
      : fault(
          `${spool} is missing although the server is running`,
          'cbos down && cbos up; the log in the home shows why',
        );
  }
  if (!found.isDirectory()) return fault(`${spool} isn't a directory`, `rm ${spool}; cbos down && cbos up`);
  if (!isPrivate(found)) return fault(`${spool} has mode ${formatMode(found)}`, `chmod 700 ${spool}`);
  const rejected = filesIn(join(spool, 'rejected'));
  const waiting = filesIn(spool).filter(
    (name) => name.endsWith('.json') && now - (statIfThere(join(spool, name))?.mtimeMs ?? now) > LEFT_OVER_MS,
  );
  if (waiting.length > 0 && (await askServer()) !== null) {
    return warning(
      `${waiting.length} hook payloads are waiting in ${spool} although the server is running`,
      'cbos down && cbos up; the log in the home shows why',
    );
  }
  const remade = readRemade(spool);
  if (remade !== null) {
    return warning(
      `${spool} was removed while the server was running, and created again at ${remade}; hooks from that moment are lost`,
      `Find out what removed it (a clean-up program, a script), then run rm ${join(spool, REMADE_FILE)}`,
    );
  }
  if (rejected.length > 0) {
    return warning(
      `${rejected.length} hook payloads could not be read`,
      `Look at the files in ${join(spool, 'rejected')}, then delete that folder`,
    );
  }
  return ok(waiting.length === 0 ? spool : `${spool}, ${waiting.length} payloads are waiting for the server`);
}

function readRemade(spool: string): string | null {
  const file = join(spool, REMADE_FILE);
  return statIfThere(file) === null ? null : readFileSync(file, 'utf8').trim();
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
    return false; // The failed write is the result.
  }
}
