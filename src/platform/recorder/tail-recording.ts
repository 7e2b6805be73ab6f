import { closeSync, fstatSync, read, readSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { parseHeader, parseTrailer } from '../../core/recording/index.ts';
import { watchFile } from '../files/watch-file.ts';
import { openOrNull, startOf } from './recording-files.ts';
import type { RecordingTail, TailOptions } from './tail-options.ts';

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
const LINE_FEED = 0x0a;
/** More than the last line of a recording takes. */
const TRAILER_BYTES = 400;
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

const readInOtherThread = promisify(read);

class Tail implements RecordingTail {
  private readonly options: TailOptions;
  private readonly stopWatching: () => void;
  /** the descriptor of the open file */
  private fd: number | null = null;
  private inode = 0;
  private at: number;
  private readBytes = LEAST_READ_BYTES;
  private epoch = 0;
  private disposed = false;
  /** whether the file's name may now refer to another file */
  private suspicious = true;
  private dirty = false;
  private running: Promise<void> | null = null;
  /** whether bytes are being read or delivered, so that the position is about to change */
  private isReading = false;
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
    if (this.running === null) this.close();
  }

  readNow(): void {
    const { fd } = this;
    if (fd === null || this.at === 0 || this.isReading || this.disposed) return;
    this.lastReadAt = performance.now();
    this.isReading = true;
    try {
      // What is written in the meantime is left for later, because the program may write as fast as this reads.
      const { size } = fstatSync(fd);
      for (let before = -1; this.at < size && this.at !== before && !this.disposed; ) {
        before = this.at;
        const bytes = this.readShort(fd);
        if (bytes.length === 0 || this.handOut(fd, bytes) !== undefined) return;
      }
    } catch (error) {
      this.options.onError?.(error);
    } finally {
      this.isReading = false;
    }
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
      if (this.disposed) this.close();
    }
  }

  private async run(): Promise<void> {
    while (this.dirty && !this.disposed) {
      for (let pause = this.pauseMs(); pause > 0; pause = this.pauseMs()) await delay(pause);
      if (this.disposed) return;
      this.dirty = false;
      this.lastReadAt = performance.now();
      this.isReading = true;
      try {
        if (this.suspicious) await this.checkIdentity();
        if (this.fd !== null) await this.readOn(this.fd);
      } finally {
        this.isReading = false;
      }
    }
  }

  /** How long to wait before the next read. */
  private pauseMs(): number {
    const intervalMs = this.options.intervalMs?.() ?? READ_INTERVAL_MS;
    return this.disposed ? 0 : this.lastReadAt + intervalMs - performance.now();
  }

  /** Checks whether the name still refers to the open file. If not, the old file is first read to its end. */
  private async checkIdentity(): Promise<void> {
    this.suspicious = false;
    const found = statSync(this.options.file, { throwIfNoEntry: false });
    if (found?.ino === this.inode) return;
    if (this.fd !== null) this.options.onNameLost?.();
    if (found === undefined || (this.fd !== null && this.options.keepsFile === true)) return;
    if (this.fd !== null) {
      await this.readOn(this.fd);
      if (fstatSync(this.fd).nlink === 0) await this.options.onDeleted?.(`/proc/self/fd/${this.fd}`);
      this.close();
    }
    if (this.disposed) return;
    const opened = openOrNull(this.options.file);
    if (opened === null) return;
    const isFirst = this.inode === 0;
    this.fd = opened;
    this.inode = fstatSync(opened).ino;
    if (!isFirst) this.reset('replaced');
  }

  /**
   * Usually, a single read finds everything. The size of the file is needed only if the read finds nothing or finds
   * NULs.
   */
  private async readOn(fd: number): Promise<void> {
    while (!this.disposed) {
      if (this.at === 0 && !this.skipHeader(fd)) return;
      const wanted = this.readBytes;
      const bytes = wanted === LEAST_READ_BYTES ? this.readShort(fd) : await this.readLong(fd, wanted);
      if (this.disposed) return;
      if (bytes.length > 0) await this.handOut(fd, bytes);
      else if (fstatSync(fd).size < this.at && this.seeCut()) continue;
      this.readBytes = bytes.length < wanted ? LEAST_READ_BYTES : Math.min(wanted * 2, MOST_READ_BYTES);
      if (bytes.length < wanted) return;
    }
  }

  private readShort(fd: number): Buffer {
    return Buffer.from(scratch.subarray(0, readSync(fd, scratch, 0, scratch.length, this.at)));
  }

  private async readLong(fd: number, wanted: number): Promise<Buffer> {
    const { buffer, bytesRead } = await readInOtherThread(fd, Buffer.allocUnsafe(wanted), 0, wanted, this.at);
    return buffer.subarray(0, bytesRead);
  }

  private handOut(fd: number, bytes: Buffer): void | Promise<void> {
    const trailer = this.trailerIn(fd, bytes);
    if (trailer !== null) return trailer === 0 ? undefined : this.handOut(fd, bytes.subarray(0, trailer));
    const hole = bytes[0] === 0 && isSparse(fd) ? leadingNuls(bytes) : 0;
    const skipped = hole === bytes.length || hole >= HOLE_BYTES || (hole > 0 && this.inHole) ? hole : 0;
    this.inHole = skipped === bytes.length;
    const offset = this.at + skipped;
    this.at += bytes.length;
    this.isCut = false;
    if (skipped < bytes.length) return this.options.onBytes(bytes.subarray(skipped), offset);
  }

  /**
   * Returns where in the bytes the last line of the recording begins, or null if it does not. `script` writes that
   * line, so the terminal has not shown it. If more output follows nevertheless, it was not that line, and is read
   * again.
   */
  private trailerIn(fd: number, bytes: Buffer): number | null {
    const last = bytes.at(-1);
    if (last !== LINE_FEED || this.at + bytes.length < fstatSync(fd).size) return null;
    const from = Math.max(0, this.at + bytes.length - TRAILER_BYTES);
    const tail = Buffer.alloc(this.at + bytes.length - from);
    const trailer = parseTrailer(tail.subarray(0, readSync(fd, tail, 0, tail.length, from)));
    return trailer === null ? null : Math.max(0, from + trailer.start - this.at);
  }

  /** @returns false as long as the header line is not complete */
  private skipHeader(fd: number): boolean {
    const buffer = Buffer.alloc(65_536);
    const bytes = buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, 0));
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

  private close(): void {
    const { fd } = this;
    this.fd = null;
    if (fd !== null) closeSync(fd);
  }
}

function isSparse(fd: number): boolean {
  const { size, blocks } = fstatSync(fd);
  return blocks * 512 < size;
}

function leadingNuls(bytes: Buffer): number {
  const first = bytes.findIndex((byte) => byte !== 0);
  return first < 0 ? bytes.length : first;
}
