import { access, open, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseHeader } from '../../core/recording/index.ts';
import { CatalogueError } from '../../protocol/index.ts';
import { ensureOwnDirectory } from '../files/private-directory.ts';
import { openRecorded } from './recorded-file.ts';

/** How a recording begins, and how it is now. */
export interface RecordingStart {
  /** where the output begins: the end of `script`'s header line; 0 for a log of Screen, and while the header is not written yet */
  start: number;
  /** the terminal's size at the start, null where the recording does not say */
  size: { cols: number; rows: number } | null;
  /** the file's length in bytes */
  length: number;
  /** when it last changed, Unix milliseconds */
  changedAt: number;
}

/** A header holds the launch line, so it is short; the file may be any program's. */
const HEADER_READ_BYTES = 65_536;
/** What makes up a recording, beside the slug. */
const ENDINGS = ['.typescript', '.timing', '.keyframes', '.parts', '.timing.parts', '.cbos'];

/** Reads how a recording begins. @throws CatalogueError no_recording when there is no such file */
export async function readStart(file: string): Promise<RecordingStart> {
  const handle = await openRecording(file);
  try {
    const { size, mtimeMs } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_READ_BYTES), 0, HEADER_READ_BYTES, 0);
    return { ...startOf(buffer.subarray(0, bytesRead)), length: size, changedAt: mtimeMs };
  } finally {
    await handle.close();
  }
}

/** Where the output begins in a recording's first bytes, and the size its header tells. */
export function startOf(bytes: Uint8Array): Pick<RecordingStart, 'start' | 'size'> {
  const reading = parseHeader(bytes);
  if (reading.kind !== 'header') return { start: 0, size: null };
  const { end, cols, rows } = reading.header;
  return { start: end, size: cols === null || rows === null ? null : { cols, rows } };
}

/**
 * The bytes from one position to another (exclusive), as far as the recording has them, also packed ones.
 * @throws CatalogueError no_recording
 */
export async function readRange(file: string, from: number, to: number): Promise<Buffer> {
  const recorded = await openRecorded(file);
  try {
    return await recorded.read(from, to);
  } finally {
    await recorded.close();
  }
}

/**
 * Makes the directory of the recordings, private when it did not exist, and closes it to the writing of others.
 * @throws CatalogueError invalid_setting
 */
export function ensureRecordingDir(dir: string): Promise<void> {
  return ensureOwnDirectory(dir, 'Name a directory that belongs to you in CBOS_STREAM_STREAM_DIR');
}

/**
 * Marks a recording as made by CBOS, with an empty `SLUG.cbos` beside it that moves along: only what is marked is ever
 * removed, since a user may keep recordings of their own in the same directory. Where the mark cannot be written the
 * recording is kept, and marked when the server starts the next time.
 */
export async function markOwn(typescript: string): Promise<void> {
  try {
    await access(typescript);
    await writeFile(ownMark(typescript), '', { mode: 0o600, flag: 'wx' });
  } catch {
    // It is marked already, there is no recording, or the disk is full: none may end a launch.
  }
}

/** Whether CBOS has made a recording; also another home's. */
export async function isOwn(typescript: string): Promise<boolean> {
  return access(ownMark(typescript)).then(
    () => true,
    () => false,
  );
}

const ownMark = (typescript: string): string => typescript.replace(/\.typescript$/, '.cbos');

/**
 * Moves a slug's recording out of the way of a new one: `SLUG.typescript` becomes `SLUG.N.typescript`, with an N above
 * every one that was ever used, so nothing is overwritten and the order stays.
 * @returns N, or null when there was no recording
 */
export async function rotateRecording(dir: string, slug: string): Promise<number | null> {
  const names = await readdir(dir);
  const current = ENDINGS.filter((ending) => names.includes(`${slug}${ending}`));
  if (current.length === 0) return null;
  const number = 1 + Math.max(0, ...names.map((name) => numberOf(name, slug)));
  for (const ending of current) await rename(join(dir, `${slug}${ending}`), join(dir, `${slug}.${number}${ending}`));
  return number;
}

/**
 * Gives a slug's current recording another slug's name; whoever writes it goes on, since the files stay the same. A recording that
 * has that name already is rotated away first. Older recordings keep the name they were made under.
 */
export async function renameRecording(dir: string, from: string, to: string): Promise<void> {
  await rotateRecording(dir, to);
  const names = await readdir(dir);
  for (const ending of ENDINGS) {
    if (names.includes(`${from}${ending}`)) await rename(join(dir, `${from}${ending}`), join(dir, `${to}${ending}`));
  }
}

/** The N of `SLUG.N.typescript` and of whatever such a file was packed into; 0 for other names. */
function numberOf(name: string, slug: string): number {
  if (!name.startsWith(`${slug}.`)) return 0;
  return Number(/^(\d+)\.(typescript|timing|cbos)/.exec(name.slice(slug.length + 1))?.[1] ?? 0);
}

async function openRecording(file: string) {
  try {
    return await open(file, 'r');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new CatalogueError('no_recording', `There is no recording ${file}`, { cause });
  }
}
