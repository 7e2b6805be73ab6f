import { execFile } from 'node:child_process';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';

/** Bytes of a recording that were packed. */
export interface RecordingPart {
  from: number;
  to: number;
  file: string;
}

export interface RecordingParts {
  /** in order and without gaps; what follows the last is in the recording's own file */
  parts: RecordingPart[];
  /** what stood before this offset was dropped */
  availableFrom: number;
}

/**
 * A part unpacks in 10 ms, which a jump can afford twice; a recording of 1 GB has 1,000 of them. A multiple of every
 * file system's block, so that a whole part can be given back.
 */
export const PART_BYTES = 1024 * 1024;
/**
 * The end stays as it is: the server draws the last 2 MB when it starts, and a slow client reads a little behind the
 * end.
 */
export const UNPACKED_END_BYTES = 8 * 1024 * 1024;
/** The beginning of the file stays as well: `script`'s header line, which every reader of such files looks for. */
const HEAD_BYTES = 64 * 1024;

/**
 * On recordings of Claude Code 2.1.329: a twentieth, in 45 ms a megabyte; gzip leaves a third more, the best quality
 * takes a hundred times as long.
 */
const PACKING = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const DROPPED = /^dropped-(\d+)$/;
const PART = /^(\d+)-(\d+)\.br$/;

/** `SLUG.parts`, a directory beside the recording; `SLUG.timing.parts` for its timing. */
function partsDirectory(typescript: string): string {
  return `${typescript.replace(/\.typescript$/, '')}.parts`;
}

export async function listParts(typescript: string): Promise<RecordingParts> {
  const dir = partsDirectory(typescript);
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const availableFrom = Math.max(0, ...names.map((name) => Number(DROPPED.exec(name)?.[1] ?? 0)));
  const parts = names
    .flatMap((name) => {
      const [, from, to] = PART.exec(name) ?? [];
      return to === undefined ? [] : [{ from: Number(from), to: Number(to), file: join(dir, name) }];
    })
    .filter(({ to }) => to > availableFrom)
    .sort((one, other) => one.from - other.from);
  return { parts, availableFrom };
}

/** Up to here a recording is packed or dropped. */
export function packedUpTo({ parts, availableFrom }: RecordingParts): number {
  return parts.at(-1)?.to ?? availableFrom;
}

/**
 * Packs the next bytes of a recording, and gives their place on the disk back while the file keeps its length: offsets
 * stay, and whoever writes the file is not disturbed. The part is whole and named before anything is given back, so
 * nothing is lost whenever this is cut off; bytes that are in both places are the same.
 * @returns false where the file system cannot give the middle of a file back; nothing has changed then
 */
export async function packPart(typescript: string, from: number): Promise<boolean> {
  const to = from + PART_BYTES;
  const dir = partsDirectory(typescript);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const unfinished = join(dir, 'unfinished');
  const part = join(dir, `${from}-${to}.br`);
  const source = await open(typescript, 'r');
  const target = await openUnfinished(unfinished);
  try {
    const bytes = Buffer.alloc(PART_BYTES);
    for (let done = 0; done < bytes.length; ) {
      const { bytesRead } = await source.read(bytes, done, bytes.length - done, from + done);
      if (bytesRead === 0) throw new Error(`${typescript} ends before ${to}`);
      done += bytesRead;
    }
    await target.writeFile(await promisify(brotliCompress)(bytes, PACKING));
    await target.sync();
  } finally {
    await source.close();
    await target.close();
  }
  await rename(unfinished, part);
  if (await giveBack(typescript, from, to)) return true;
  await rm(part);
  return false;
}

/**
 * After a crash between the two halves of packing: the last part's place is given back, if it was not. Else nothing is
 * touched, for that costs a process and changes the file's time, by which everybody would take it for one that was
 * written to.
 */
export async function finishPacking(typescript: string): Promise<void> {
  const last = (await listParts(typescript)).parts.at(-1);
  if (last === undefined) return;
  const { size, blocks } = await stat(typescript);
  const keptBytes = HEAD_BYTES + Math.max(0, size - last.to);
  if (blocks * 512 >= keptBytes + (last.to - last.from) / 2) await giveBack(typescript, last.from, last.to);
}

/** Forgets the oldest part. What was before its end is dropped for good. */
export async function dropOldestPart(typescript: string): Promise<void> {
  const [oldest] = (await listParts(typescript)).parts;
  if (oldest !== undefined) await dropParts(typescript, oldest.to);
}

/**
 * Forgets all parts up to the end of one of them.
 * @param note kept with it, for a caller that reads on from there: {@link readDropNote}
 */
export async function dropParts(file: string, to: number, note = ''): Promise<void> {
  const dir = partsDirectory(file);
  // Said before it is done: after a crash in between nobody looks for what is gone.
  const unfinished = await openUnfinished(join(dir, 'unfinished'));
  await unfinished.writeFile(note).finally(() => unfinished.close());
  await rename(join(dir, 'unfinished'), join(dir, `dropped-${to}`));
  for (const name of await readdir(dir)) {
    const end = Number(PART.exec(name)?.[2] ?? Number.POSITIVE_INFINITY);
    const mark = Number(DROPPED.exec(name)?.[1] ?? Number.POSITIVE_INFINITY);
    if (end <= to || mark < to) await rm(join(dir, name));
  }
}

/** What was noted when parts were last dropped; null: none ever were. */
export async function readDropNote(file: string): Promise<string | null> {
  const { availableFrom } = await listParts(file);
  return availableFrom === 0 ? null : readFile(join(partsDirectory(file), `dropped-${availableFrom}`), 'utf8');
}

/** The last part that was unpacked: who reads along reads the same one again and again. */
let unpacked: { key: string; bytes: Promise<Buffer> } | null = null;

/** @throws an error of the file system with code ENOENT when it was dropped meanwhile */
export async function unpackPart({ file }: RecordingPart): Promise<Buffer> {
  const { ino, mtimeMs } = await stat(file);
  // Another recording may have got the name.
  const key = `${ino} ${mtimeMs} ${file}`;
  if (unpacked?.key !== key)
    unpacked = { key, bytes: readFile(file).then((packed) => promisify(brotliDecompress)(packed)) };
  return unpacked.bytes;
}

/** Of what was cut off there nothing is used; and a link that somebody has put in its place is not followed. */
async function openUnfinished(file: string): Promise<FileHandle> {
  await rm(file, { force: true });
  return open(file, 'wx', 0o600);
}

/** Node has no call for it; `fallocate` is of util-linux like `script`. */
async function giveBack(typescript: string, from: number, to: number): Promise<boolean> {
  const begin = Math.max(from, HEAD_BYTES);
  const options = ['--punch-hole', '--offset', String(begin), '--length', String(to - begin), typescript];
  try {
    await promisify(execFile)('fallocate', options);
    return true;
  } catch {
    return false;
  }
}
