import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';

/** A packed range of a recording's bytes. */
export interface RecordingPart {
  from: number;
  to: number;
  file: string;
}

export interface RecordingParts {
  /** the parts, in order and without gaps; the bytes after the last part are in the recording's own file */
  parts: RecordingPart[];
  /** the offset before which everything has been dropped */
  availableFrom: number;
}

/**
 * How many bytes a part holds. Unpacking a part takes 10 ms, and a jump has enough time for two parts. A recording of 1
 * GB has 1,000 parts. The size is a multiple of every file system's block size, so that the space of a whole part can
 * be released.
 */
export const PART_BYTES = 1024 * 1024;
/**
 * How much of the end stays unpacked. The server draws the last 2 MB when it starts, and a slow client reads slightly
 * behind the end.
 */
export const UNPACKED_END_BYTES = 8 * 1024 * 1024;
/**
 * How much of the beginning also stays unpacked. It contains `script`'s header line, which every program that reads
 * such files needs.
 */
const HEAD_BYTES = 64 * 1024;

/**
 * With this quality, recordings of Claude Code 2.1.329 are packed to a twentieth of their size, at 45 ms per megabyte.
 * The result of gzip is a third larger, and the best quality takes a hundred times as long.
 */
const PACKING = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const DROPPED = /^dropped-(\d+)$/;
const PART = /^(\d+)-(\d+)\.br$/;

/**
 * Returns `SLUG.parts`, which is a directory next to the recording, or `SLUG.timing.parts` for the recording's timing.
 */
function partsDirectory(typescript: string): string {
  return `${typescript.replace(/\.typescript$/, '')}.parts`;
}

/** Reports whether any of a recording has ever been packed or dropped. */
export function hasParts(typescript: string): boolean {
  return existsSync(partsDirectory(typescript));
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

/** Returns the offset up to which a recording has been packed or dropped. */
export function packedUpTo({ parts, availableFrom }: RecordingParts): number {
  return parts.at(-1)?.to ?? availableFrom;
}

/**
 * Packs the next bytes of a recording and releases their disk space. The file keeps its length, so offsets stay the
 * same and the program that writes the file is not disturbed. The part is complete and has its final name before any
 * space is released, so a crash loses nothing, whenever it happens. Bytes that exist in both places are identical.
 * @returns false if the file system cannot release space in the middle of a file, in which case nothing changes
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
 * If a crash interrupted the last packing, completes it by releasing the space of the last part. If that has already
 * been done, the file is not touched, because touching it would take a process and would change its modification time,
 * as if someone had just written to it.
 */
export async function finishPacking(typescript: string): Promise<void> {
  const last = (await listParts(typescript)).parts.at(-1);
  if (last === undefined) return;
  const { size, blocks } = await stat(typescript);
  const keptBytes = HEAD_BYTES + Math.max(0, size - last.to);
  if (blocks * 512 >= keptBytes + (last.to - last.from) / 2) await giveBack(typescript, last.from, last.to);
}

/** Deletes the oldest part. Everything before the end of that part is lost permanently. */
export async function dropOldestPart(typescript: string): Promise<void> {
  const [oldest] = (await listParts(typescript)).parts;
  if (oldest !== undefined) await dropParts(typescript, oldest.to);
}

/**
 * Deletes all parts up to and including the given one.
 * @param note a note to store together with the drop, for a caller that continues reading from there; see {@link
 * readDropNote}
 */
export async function dropParts(file: string, to: number, note = ''): Promise<void> {
  const dir = partsDirectory(file);
  // The drop is recorded before it takes place, so that after a crash no one looks for the missing parts.
  const unfinished = await openUnfinished(join(dir, 'unfinished'));
  await unfinished.writeFile(note).finally(() => unfinished.close());
  await rename(join(dir, 'unfinished'), join(dir, `dropped-${to}`));
  for (const name of await readdir(dir)) {
    const end = Number(PART.exec(name)?.[2] ?? Number.POSITIVE_INFINITY);
    const mark = Number(DROPPED.exec(name)?.[1] ?? Number.POSITIVE_INFINITY);
    if (end <= to || mark < to) await rm(join(dir, name));
  }
}

/** Returns the note that was stored when parts were last dropped, or null if no parts have ever been dropped. */
export async function readDropNote(file: string): Promise<string | null> {
  const { availableFrom } = await listParts(file);
  return availableFrom === 0 ? null : readFile(join(partsDirectory(file), `dropped-${availableFrom}`), 'utf8');
}

/** The part that was unpacked last. A reader that moves forward needs the same part again and again. */
let unpacked: { key: string; bytes: Promise<Buffer> } | null = null;

/** @throws a file system error with code ENOENT if the part has been dropped in the meantime */
export async function unpackPart({ file }: RecordingPart): Promise<Buffer> {
  const { ino, mtimeMs } = await stat(file);
  // By now, the name may belong to a different recording.
  const key = `${ino} ${mtimeMs} ${file}`;
  if (unpacked?.key !== key)
    unpacked = { key, bytes: readFile(file).then((packed) => promisify(brotliDecompress)(packed)) };
  return unpacked.bytes;
}

/**
 * Opens a new file. What is left of an interrupted write is not reused, and a symbolic link that someone has put in its
 * place is not followed.
 */
async function openUnfinished(file: string): Promise<FileHandle> {
  await rm(file, { force: true });
  return open(file, 'wx', 0o600);
}

/**
 * Releases the disk space of a range. Node has no call for this, but `fallocate` is part of util-linux, just like
 * `script`.
 */
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
