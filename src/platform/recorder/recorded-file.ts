import { fstatSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { CatalogueError } from '../../protocol/index.ts';
import { hasParts, listParts, packedUpTo, unpackPart } from './recording-parts.ts';

/** A recording file that can be read at any offset, whether it is packed or not. */
export interface RecordedFile {
  /** the current length in bytes, including bytes that have been dropped; offsets must not exceed it */
  size(): Promise<number>;
  /** when the file last changed, in Unix milliseconds */
  changedAt(): Promise<number>;
  /** the offset before which everything has been dropped */
  availableFrom(): Promise<number>;
  /**
   * returns the bytes from one offset to another (exclusive), as far as they exist; bytes that have been dropped are
   * read as NULs
   */
  read(from: number, to: number): Promise<Buffer>;
  close(): Promise<void>;
}

/**
 * How far from the end a read is synchronous. These bytes were written a moment ago, so they are in memory, and reading
 * them in another thread would take many times as long. The search index and the keyframes of growing recordings read
 * nothing else.
 */
const RECENT_BYTES = 1_048_576;

/** @throws CatalogueError no_recording if there is no such file */
export async function openRecorded(file: string): Promise<RecordedFile> {
  const handle = await openHandle(file);
  return {
    size: async () => fstatSync(handle.fd).size,
    changedAt: async () => fstatSync(handle.fd).mtimeMs,
    availableFrom: async () => (await listParts(file)).availableFrom,
    read: async (from, to) => {
      const bytes = await readHandle(handle, from, to);
      // This must come last. A part is listed before its space in the file is released, so every hole that was read
      // belongs to a part in the list.
      await fillIn(bytes, from, file);
      return bytes;
    },
    close: () => handle.close(),
  };
}

/** @throws CatalogueError no_recording */
export async function openTiming(file: string): Promise<RecordedFile> {
  try {
    return await openRecorded(file);
  } catch (cause) {
    if (!(cause instanceof CatalogueError)) throw cause;
    throw new CatalogueError('no_recording', `The timing file ${file} does not exist`, { cause });
  }
}

async function fillIn(bytes: Buffer, from: number, file: string): Promise<void> {
  if (!hasParts(file)) return;
  const parts = await listParts(file);
  if (from >= packedUpTo(parts)) return;
  bytes.fill(0, 0, Math.max(0, Math.min(bytes.length, parts.availableFrom - from)));
  for (const part of parts.parts) {
    if (part.to <= from || part.from >= from + bytes.length) continue;
    try {
      const whole = await unpackPart(part);
      whole.copy(bytes, Math.max(0, part.from - from), Math.max(0, from - part.from));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      // The part has been dropped since it was listed.
      bytes.fill(0, Math.max(0, part.from - from), Math.min(bytes.length, part.to - from));
    }
  }
}

async function readHandle(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const { size } = fstatSync(handle.fd);
  const buffer = Buffer.allocUnsafe(Math.max(Math.min(to, size) - from, 0));
  const isRecent = from > size - RECENT_BYTES;
  let filled = 0;
  while (filled < buffer.length) {
    const [rest, at] = [buffer.length - filled, from + filled];
    const bytesRead = isRecent
      ? readSync(handle.fd, buffer, filled, rest, at)
      : (await handle.read(buffer, filled, rest, at)).bytesRead;
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

async function openHandle(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'r');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new CatalogueError('no_recording', `The recording ${file} does not exist`, { cause });
  }
}
