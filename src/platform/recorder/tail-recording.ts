import { fstatSync, readSync } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { parseHeader } from '../../core/recording/index.ts';
import { watchFile } from '../files/watch-file.ts';
import { type RecordingStart, startOf } from './recording-files.ts';

export interface TailOptions {
  file: string;
  /** the position in the file to read from; at 0, `script`'s header line is skipped */
  from: number;
  /**
   * Receives the next bytes, which start at `offset`, and may keep them. If it returns a promise, reading pauses until
   * the promise is settled.
   */
  onBytes: (bytes: Buffer, offset: number) => void | Promise<void>;
  /**
   * called with the start of the output and the terminal size; when reading from 0, this happens right before the first
   * bytes, because `script` writes its header only together with the first output
   */
  onStart?: (start: Pick<RecordingStart, 'start' | 'size'>) => void;
  /**
   * called when the file was truncated or replaced; all earlier bytes become invalid, and offsets start at 0 again.
   * `epoch` counts from 1
   */
  onReset?: (epoch: number, cause: 'truncated' | 'replaced') => void;
  /**
   * Set this if the writer keeps its file open and continues at its own position, as `script` does. In that case, the
   * open file is read even if its name later refers to another file, and a truncation does not change any offset. If
   * this is not set, the name decides which file is read, as for a log written by Screen, which reopens its file.
   */
  keepsFile?: boolean;
  /**
   * called when the name refers to a file other than the open one, or to none; called again at every check as long as
   * that is the case
   */
  onNameLost?: () => void;
  /** with `keepsFile`: called when everything before this position was cut off */
  onCut?: (at: number) => void;
  /**
   * called when the file was deleted and another file is taking its name; until the promise is settled, the old file
   * can be read through this path
   */
  onDeleted?: (openPath: string) => Promise<void>;
  /** the time between two reads, in milliseconds; default: {@link READ_INTERVAL_MS} */
  intervalMs?: number;
  /**
   * called when reading has failed (a disk error) or a callback has thrown an error; reading is retried at the next
   * change. Without this callback, the error is unhandled
   */
  onError?: (error: unknown) => void;
}

export interface RecordingTail {
  /** the position at which reading continues */
  position(): number;
  /** stops the tail; no callback is called afterwards */
  dispose(): void;
}

/**
 * The size of a synchronous read. Most reads find a redraw that has just been written and is still in memory, which
 * takes a few µs. A read in another thread would take 0.1 ms, and many times that on a busy machine, where the thread
 * has to wait for a core.
 */
const LEAST_READ_BYTES = 8_192;
/**
 * The maximum size of a read. If a read has filled its buffer, the next one is twice as long, up to this size, and runs
 * in another thread, because older data may have to come from the disk.
 */
const MOST_READ_BYTES = 262_144;
/**
 * The minimum time between two reads of a recording. Because of this limit, a program that draws in a thousand small
 * writes per second causes only 250 reads per second. The first output after a pause is read immediately.
 */
const READ_INTERVAL_MS = 4;
/** The size of a file system block. A hole is never smaller than this. */
const HOLE_BYTES = 4_096;

/**
 * Follows a recording as it grows. Resolves once everything that existed at the time of the call has been delivered. If
 * the file does not exist yet, waits until it does. A deleted file is read as long as its writer keeps writing, until a
 * new file takes its name (with `keepsFile`, even after that).
 *
 * If someone truncates the file, `script` without `--append` continues at its old position, which leaves a hole of NULs
 * before that position. Holes are skipped and never delivered.
 */
export async function tailRecording(options: TailOptions): Promise<RecordingTail> {
  const tail = new Tail(options);
  await tail.catchUp();
  return tail;
}

/** The buffer for synchronous reads. The bytes are copied out of it before anything else runs. */
const scratch = Buffer.alloc(LEAST_READ_BYTES);

class Tail implements RecordingTail {
  private readonly options: TailOptions;
  private readonly stopWatching: () => void;
  private handle: FileHandle | null = null;
  private inode = 0;
  private at: number;
  private readBytes = LEAST_READ_BYTES;
  private epoch = 0;
  private disposed = false;
  /** whether the file's name may now refer to another file */
  private suspicious = true;
  private dirty = false;
  private running: Promise<void> | null = null;
  private lastReadAt = 0;
  /** whether the bytes right before `at` were NULs in a hole */
  private inHole = false;
  /** whether the writer has written nothing since the file was cut off */
  private isCut = false;

  constructor(options: TailOptions) {
    this.options = options;
    this.at = options.from;
    // The watch starts before the first check, so that no change between the two is missed.
    this.stopWatching = watchFile(options.file, (event) => {
      if (event !== 'change') this.suspicious = true;
      this.wake();
    });
  }

  position(): number {
    return this.at;
  }

  dispose(): void {
    this.disposed = true;
    this.stopWatching();
    if (this.running === null) void this.close();
  }

  async catchUp(): Promise<void> {
    this.dirty = true;
    this.running ??= this.start();
    await this.running;
  }

  private wake(): void {
    this.dirty = true;
    if (this.running !== null || this.disposed) return;
    this.running = this.start();
    const { onError } = this.options;
    if (onError) this.running.catch(onError);
  }

  private async start(): Promise<void> {
    try {
      await this.run();
    } finally {
      this.running = null;
      if (this.disposed) await this.close();
    }
  }

  private async run(): Promise<void> {
    while (this.dirty && !this.disposed) {
      const pause = this.lastReadAt + (this.options.intervalMs ?? READ_INTERVAL_MS) - performance.now();
      if (pause > 0) await delay(pause);
      this.dirty = false;
      this.lastReadAt = performance.now();
      if (this.suspicious) await this.checkIdentity();
      if (this.handle !== null) await this.readOn(this.handle);
    }
  }

  /** Checks whether the name still refers to the open file. If not, the old file is first read to its end. */
  private async checkIdentity(): Promise<void> {
    this.suspicious = false;
    const found = await statOrNull(this.options.file);
    if (found?.ino === this.inode) return;
    if (this.handle !== null) this.options.onNameLost?.();
    if (found === null || (this.handle !== null && this.options.keepsFile === true)) return;
    if (this.handle !== null) {
      await this.readOn(this.handle);
      if ((await this.handle.stat()).nlink === 0) await this.options.onDeleted?.(`/proc/self/fd/${this.handle.fd}`);
      await this.close();
    }
    const opened = await openOrNull(this.options.file);
    if (opened === null || this.disposed) return void (await opened?.close());
    const isFirst = this.inode === 0;
    this.handle = opened;
    this.inode = (await opened.stat()).ino;
    if (!isFirst) this.reset('replaced');
  }

  /**
   * Usually, a single read finds everything. The size of the file is needed only if the read finds nothing or finds
   * NULs.
   */
  private async readOn(handle: FileHandle): Promise<void> {
    while (!this.disposed) {
      if (this.at === 0 && !(await this.skipHeader(handle))) return;
      const wanted = this.readBytes;
      const bytes = wanted === LEAST_READ_BYTES ? this.readNow(handle) : await this.readLater(handle, wanted);
      if (this.disposed) return;
      if (bytes.length > 0) await this.handOut(handle, bytes);
      else if (fstatSync(handle.fd).size < this.at && this.seeCut()) continue;
      this.readBytes = bytes.length < wanted ? LEAST_READ_BYTES : Math.min(wanted * 2, MOST_READ_BYTES);
      if (bytes.length < wanted) return;
    }
  }

  private readNow({ fd }: FileHandle): Buffer {
    return Buffer.from(scratch.subarray(0, readSync(fd, scratch, 0, scratch.length, this.at)));
  }

  private async readLater(handle: FileHandle, wanted: number): Promise<Buffer> {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, this.at);
    return buffer.subarray(0, bytesRead);
  }

  private async handOut(handle: FileHandle, bytes: Buffer): Promise<void> {
    const hole = bytes[0] === 0 && isSparse(handle) ? leadingNuls(bytes) : 0;
    const skipped = hole === bytes.length || hole >= HOLE_BYTES || (hole > 0 && this.inHole) ? hole : 0;
    this.inHole = skipped === bytes.length;
    const offset = this.at + skipped;
    this.at += bytes.length;
    this.isCut = false;
    if (skipped < bytes.length) await this.options.onBytes(bytes.subarray(skipped), offset);
  }

  /** @returns false as long as the header line is not complete */
  private async skipHeader(handle: FileHandle): Promise<boolean> {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(65_536), 0, 65_536, 0);
    const bytes = buffer.subarray(0, bytesRead);
    if (parseHeader(bytes).kind === 'incomplete') return false;
    const found = startOf(bytes);
    this.at = found.start;
    // A log written by Screen starts at 0, but reaches this point only once, because delivering its first byte advances
    // the position.
    if (!this.disposed) this.options.onStart?.(found);
    return true;
  }

  /** @returns whether reading starts over */
  private seeCut(): boolean {
    if (this.options.keepsFile !== true) {
      this.reset('truncated');
      return true;
    }
    if (!this.isCut) this.options.onCut?.(this.at);
    this.isCut = true;
    return false;
  }

  private reset(cause: 'truncated' | 'replaced'): void {
    this.at = 0;
    this.epoch += 1;
    if (!this.disposed) this.options.onReset?.(this.epoch, cause);
  }

  private async close(): Promise<void> {
    const { handle } = this;
    this.handle = null;
    await handle?.close();
  }
}

function isSparse({ fd }: FileHandle): boolean {
  const { size, blocks } = fstatSync(fd);
  return blocks * 512 < size;
}

function leadingNuls(bytes: Buffer): number {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? bytes.length : first;
}

async function statOrNull(file: string) {
  try {
    return await stat(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function openOrNull(file: string): Promise<FileHandle | null> {
  try {
    return await open(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
