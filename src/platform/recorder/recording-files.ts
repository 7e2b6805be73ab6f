import { access, type FileHandle, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { parseHeader } from '../../core/recording/index.ts';
import { CatalogueError } from '../../protocol/index.ts';
import { ensureOwnDirectory } from '../files/private-directory.ts';
import { openRecorded } from './recorded-file.ts';

/** How a recording begins, and how it is now. */
export interface RecordingStart {
  /**
   * where the output begins: the end of `script`'s header line; 0 for a log of Screen, and while the header is not
   * written yet
   */
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
 * Files of a recording that were deleted while a process has them open, each with a path by which it can still be read.
 */
export type DeletedFiles = Partial<Record<'.typescript' | '.timing', string>>;

/**
 * Moves a slug's recording out of the way of a new one: `SLUG.typescript` becomes `SLUG.N.typescript`, with an N above
 * every one that was ever used, so nothing is overwritten and the order stays.
 * @param deleted what can still be read of these is written there; what has such a name now stays
 * @returns N, or null when there was no recording
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

/** Moves a file that took the name of a recording's to the name of an older one's. */
export async function moveAside(file: string): Promise<void> {
  const dir = dirname(file);
  const ending = extname(file);
  const slug = basename(file, ending);
  await rename(file, join(dir, `${slug}.${nextNumber(await readdir(dir), slug)}${ending}`));
}

const COPY_BYTES = 1024 * 1024;

/** What was packed of a recording is a hole in its file, which would fill the disk as zeros. */
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
 * Gives a slug's current recording another slug's name; whoever writes it goes on, since the files stay the same. A
 * recording that has that name already is rotated away first. Older recordings keep the name they were made under.
 */
export async function renameRecording(dir: string, from: string, to: string): Promise<void> {
  await rotateRecording(dir, to);
  const names = await readdir(dir);
  for (const ending of ENDINGS) {
    if (names.includes(`${from}${ending}`)) await rename(join(dir, `${from}${ending}`), join(dir, `${to}${ending}`));
  }
}

/** Above every number that was ever used for a slug's older recordings. */
function nextNumber(names: readonly string[], slug: string): number {
  return 1 + Math.max(0, ...names.map((name) => numberOf(name, slug)));
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
