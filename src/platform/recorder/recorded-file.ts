import { type FileHandle, open } from 'node:fs/promises';
import { CatalogueError } from '../../protocol/index.ts';

/** A file of a recording, open for reading at any offset. */
export interface RecordedFile {
  /** bytes it has by now */
  size(): Promise<number>;
  /** when it last changed, Unix milliseconds */
  changedAt(): Promise<number>;
  /** the bytes from one offset to another (exclusive), as far as there are any */
  read(from: number, to: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** @throws CatalogueError no_recording when there is no such file */
export async function openRecorded(file: string): Promise<RecordedFile> {
  const handle = await openHandle(file);
  return {
    size: async () => (await handle.stat()).size,
    changedAt: async () => (await handle.stat()).mtimeMs,
    read: (from, to) => readHandle(handle, from, to),
    close: () => handle.close(),
  };
}

async function readHandle(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.max(to - from, 0));
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, from + filled);
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
    throw new CatalogueError('no_recording', `There is no recording ${file}`, { cause });
  }
}
