import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Place } from './recorded-rows.ts';

/** A screen from the recording, and its place in the recording. */
export interface Keyframe extends Place {
  /** a checksum of the output right before the screen; it differs for another recording under the same name */
  sum: number;
  /** the position of the screen in the keyframe file */
  position: number;
  length: number;
}

/**
 * The first line of a keyframe file. A file of any other version is deleted, because its contents can be computed
 * again.
 */
const FIRST_LINE = 'cbos keyframes 1\n';

/**
 * The keyframes of one recording, in a file next to the recording. After the first line, each keyframe consists of a
 * line of JSON and a packed screen. The file is only appended to, so a crash loses at most the last keyframe. The file
 * is a cache, and it is rebuilt if it is missing.
 */
export class KeyframeFile {
  readonly #handle: FileHandle;
  #frames: Keyframe[];
  #end: number;

  private constructor(handle: FileHandle, frames: Keyframe[], end: number) {
    this.#handle = handle;
    this.#frames = frames;
    this.#end = end;
  }

  /** Opens the file, or creates it so that only this user can read it. */
  static async open(file: string): Promise<KeyframeFile> {
    const handle = await openOwn(file);
    try {
      const { frames, end } = readAll(await handle.readFile());
      const opened = new KeyframeFile(handle, frames, end);
      if (end === 0) await opened.clear();
      else await handle.truncate(end);
      return opened;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  get frames(): readonly Keyframe[] {
    return this.#frames;
  }

  async append({ place, sum, screen }: { place: Place; sum: number; screen: string }): Promise<void> {
    const { at, offset, timing, cols, rows } = place;
    const packed = gzipSync(screen);
    const line = Buffer.from(`${JSON.stringify({ at, offset, timing, cols, rows, sum, length: packed.length })}\n`);
    await this.#handle.appendFile(Buffer.concat([line, packed]));
    const position = this.#end + line.length;
    this.#end = position + packed.length;
    this.#frames.push({ at, offset, timing, cols, rows, sum, position, length: packed.length });
  }

  async screenOf({ position, length }: Keyframe): Promise<string> {
    const { buffer } = await this.#handle.read(Buffer.allocUnsafe(length), 0, length, position);
    return gunzipSync(buffer).toString();
  }

  /** Empties the file, because another recording has replaced this one. */
  async clear(): Promise<void> {
    this.#frames = [];
    await this.#handle.truncate(0);
    await this.#handle.appendFile(FIRST_LINE);
    this.#end = FIRST_LINE.length;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** @returns the complete keyframes, and the position where they end, or 0 for any other kind of file */
function readAll(bytes: Buffer): { frames: Keyframe[]; end: number } {
  const frames: Keyframe[] = [];
  if (bytes.toString('latin1', 0, FIRST_LINE.length) !== FIRST_LINE) return { frames, end: 0 };
  let end = FIRST_LINE.length;
  while (true) {
    const position = bytes.indexOf(0x0a, end) + 1;
    const entry = position === 0 ? null : readEntry(bytes.toString('latin1', end, position));
    if (entry === null || position + entry.length > bytes.length) return { frames, end };
    frames.push({ ...entry, position });
    end = position + entry.length;
  }
}

function readEntry(line: string): Omit<Keyframe, 'position'> | null {
  const [at, offset, timing, cols, rows, sum, length] =
    /^\{"at":([\d.e+-]+),"offset":(\d+),"timing":(\d+),"cols":(\d+),"rows":(\d+),"sum":(\d+),"length":(\d+)\}\n$/
      .exec(line)
      ?.slice(1)
      .map(Number) ?? [];
  if (at === undefined || offset === undefined || timing === undefined) return null;
  if (cols === undefined || rows === undefined || sum === undefined || length === undefined) return null;
  return { at, offset, timing, cols, rows, sum, length };
}

/**
 * Opens the file without following a symbolic link, because the target of the link belongs to something else and would
 * be emptied. Links are removed, and so is anything else that is not a keyframe file.
 */
async function openOwn(file: string): Promise<FileHandle> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;
  try {
    return await open(file, flags, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw error;
    await rm(file, { force: true });
    return open(file, flags, 0o600);
  }
}
