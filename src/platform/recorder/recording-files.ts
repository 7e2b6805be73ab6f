import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { access, type FileHandle, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { parseHeader, parseTrailer } from '../../core/recording/index.ts';
import { CatalogueError, settingVariable } from '../../protocol/index.ts';
import { ensureOwnDirectory } from '../files/private-directory.ts';
import { openRecorded } from './recorded-file.ts';

/** The beginning of a recording, together with its current length and time. */
export interface RecordingStart {
  /**
   * where the output begins, which is the end of `script`'s header line; 0 for a log that Screen wrote, and until the
   * header has been written
   */
  start: number;
  /** the initial size of the terminal, or null if the recording does not contain it */
  size: { cols: number; rows: number } | null;
  /** the length of the file in bytes */
  length: number;
  /** where the output ends so far: before `script`'s last line, if that has been written */
  end: number;
  /** when the file last changed, in Unix milliseconds */
  changedAt: number;
}

/**
 * How much is read to find the header. The header contains little more than the launch command, so it is short, but the
 * file may come from any program.
 */
const HEADER_READ_BYTES = 65_536;
/** How much is read to find `script`'s last line, which is shorter. */
const TRAILER_READ_BYTES = 400;
/** The suffixes of a recording's files, which follow the slug. */
const ENDINGS = ['.typescript', '.timing', '.keyframes', '.parts', '.timing.parts', '.cbos'];

/** The buffer for the beginning of a recording. What was found in it is copied before anything else runs. */
const beginning = Buffer.alloc(HEADER_READ_BYTES);
const ending = Buffer.alloc(TRAILER_READ_BYTES);

/**
 * Reads the beginning of a recording. The file is read synchronously, because this takes 20 µs, or many times that in
 * another thread. A starting server does this for every session, and the search index does it for every slice of work.
 * @throws CatalogueError no_recording if there is no such file
 */
export async function readStart(file: string): Promise<RecordingStart> {
  const opened = openOrNull(file);
  if (opened === null) throw new CatalogueError('no_recording', `The recording ${file} does not exist`);
  try {
    const { size, mtimeMs } = fstatSync(opened);
    const bytesRead = readSync(opened, beginning, 0, HEADER_READ_BYTES, 0);
    const start = startOf(beginning.subarray(0, bytesRead));
    const from = Math.max(start.start, size - TRAILER_READ_BYTES);
    const tail = ending.subarray(0, readSync(opened, ending, 0, size - from, from));
    const trailer = parseTrailer(tail);
    return { ...start, length: size, end: trailer === null ? size : from + trailer.start, changedAt: mtimeMs };
  } finally {
    closeSync(opened);
  }
}

/**
 * Returns where the output begins, and which terminal size the header contains, based on the first bytes of a
 * recording.
 */
export function startOf(bytes: Uint8Array): Pick<RecordingStart, 'start' | 'size'> {
  const reading = parseHeader(bytes);
  if (reading.kind !== 'header') return { start: 0, size: null };
  const { end, cols, rows } = reading.header;
  return { start: end, size: cols === null || rows === null ? null : { cols, rows } };
}

/**
 * Returns the bytes of a recording from one position to another (exclusive), as far as they exist, including packed
 * ones.
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
 * Creates the directory for recordings if it is missing, so that only its user can read it. If the directory already
 * exists, removes write permission for other users.
 * @throws CatalogueError invalid_setting
 */
export function ensureRecordingDir(dir: string): Promise<void> {
  return ensureOwnDirectory(dir, `Set ${settingVariable('stream_dir')} to a directory that belongs to you`);
}

/**
 * Marks a recording as made by CBOS. The mark is an empty file `SLUG.cbos` next to the recording, which moves along
 * with it. Only marked recordings are ever removed, because users may keep their own recordings in the same directory.
 * If the mark cannot be written, the recording is kept, and it is marked when the server starts the next time.
 */
export async function markOwn(typescript: string): Promise<void> {
  try {
    await access(typescript);
    await writeFile(ownMark(typescript), '', { mode: 0o600, flag: 'wx' });
  } catch {
    // The recording is already marked or does not exist, or the disk is full. None of this must make a launch fail.
  }
}

/** Reports whether CBOS made a recording, in this home or in another one. */
export async function isOwn(typescript: string): Promise<boolean> {
  return access(ownMark(typescript)).then(
    () => true,
    () => false,
  );
}

const ownMark = (typescript: string): string => typescript.replace(/\.typescript$/, '.cbos');

/**
 * Files of a recording that have been deleted but that a process still has open. Each comes with a path through which
 * it can be read.
 */
export type DeletedFiles = Partial<Record<'.typescript' | '.timing', string>>;

/**
 * Moves the recording of a slug out of the way of a new one: `SLUG.typescript` becomes `SLUG.N.typescript`. N is higher
 * than any number used before, so nothing is overwritten and the order is preserved.
 * @param deleted files whose remaining content is written under the new names; if a file with such a name already
 * exists, it is kept
 * @returns N, or null if there was no recording
 */
export async function rotateRecording(dir: string, slug: string, deleted: DeletedFiles = {}): Promise<number | null> {
  const saved = Object.entries(deleted);
  const unfinished = (ending: string): string => join(dir, `.${slug}${ending}`);
  for (const [ending, source] of saved) await copySparse(source, unfinished(ending));
  const names = await readdir(dir);
  const current = ENDINGS.filter((ending) => !(ending in deleted) && names.includes(`${slug}${ending}`));
  if (current.length === 0 && saved.length === 0) return null;
  const number = nextNumber(names, slug);
  const aside = (ending: string): string => join(dir, `${slug}.${number}${ending}`);
  for (const ending of current) await rename(join(dir, `${slug}${ending}`), aside(ending));
  for (const [ending] of saved) await rename(unfinished(ending), aside(ending));
  return number;
}

/** Renames a file that has taken the name of a recording, as if it were an older recording. */
export async function moveAside(file: string): Promise<void> {
  const dir = dirname(file);
  const ending = extname(file);
  const slug = basename(file, ending);
  await rename(file, join(dir, `${slug}.${nextNumber(await readdir(dir), slug)}${ending}`));
}

const COPY_BYTES = 1024 * 1024;

/**
 * Copies a file and keeps its holes. The packed parts of a recording are holes in its file, and they would fill the
 * disk if they were written as zeros.
 */
async function copySparse(from: string, to: string): Promise<void> {
  const source = await open(from, 'r');
  let target: FileHandle | null = null;
  try {
    target = await open(to, 'w', 0o600);
    const buffer = Buffer.alloc(COPY_BYTES);
    const zeros = Buffer.alloc(COPY_BYTES);
    let at = 0;
    for (;;) {
      const { bytesRead } = await source.read(buffer, 0, COPY_BYTES, at);
      if (bytesRead === 0) break;
      const bytes = buffer.subarray(0, bytesRead);
      if (!bytes.equals(zeros.subarray(0, bytesRead))) await writeAll(target, bytes, at);
      at += bytesRead;
    }
    await target.truncate(at);
  } catch (error) {
    await rm(to, { force: true });
    throw error;
  } finally {
    await source.close();
    await target?.close();
  }
}

async function writeAll(target: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await target.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
}

/**
 * Renames the current recording of a slug to that of another slug. The program that writes it is not disturbed, because
 * the files stay the same. If a recording already has that name, it is moved aside first. Older recordings keep their
 * names.
 */
export async function renameRecording(dir: string, from: string, to: string): Promise<void> {
  await rotateRecording(dir, to);
  const names = await readdir(dir);
  for (const ending of ENDINGS) {
    if (names.includes(`${from}${ending}`)) await rename(join(dir, `${from}${ending}`), join(dir, `${to}${ending}`));
  }
}

/** Returns the number that follows the highest one ever used for older recordings of a slug. */
function nextNumber(names: readonly string[], slug: string): number {
  return 1 + Math.max(0, ...names.map((name) => numberOf(name, slug)));
}

/** Returns the N of `SLUG.N.typescript` and of its packed files, or 0 for other names. */
function numberOf(name: string, slug: string): number {
  if (!name.startsWith(`${slug}.`)) return 0;
  return Number(/^(\d+)\.(typescript|timing|cbos)/.exec(name.slice(slug.length + 1))?.[1] ?? 0);
}

/** Opens a file for synchronous reads. Returns null if there is no such file. */
export function openOrNull(file: string): number | null {
  try {
    // Without O_NONBLOCK, opening a pipe would block the thread until somebody writes to it.
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
