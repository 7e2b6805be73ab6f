import { incompleteUtf8Tail, splitUtf8 } from '../../core/recording/utf8.ts';
import { FRAME_BYTES, SEQUENCE_LOOKBACK_BYTES, unfinishedLength } from '../../core/stream/index.ts';
import { readRange } from '../../platform/recorder/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Dispose, RecordingStream } from '../sessions.ts';
import { type Coalescer, coalesce } from './coalesce.ts';

/**
 * How long to collect the output that follows a frame that was sent at once. When Claude Code redraws, its output
 * arrives in several writes within a millisecond or two. VS Code waits 5 ms. Below 5 ms, the median delay of isolated
 * output remains too small to measure.
 */
const COALESCE_MS = 4;

/** The longest incomplete character that the end of the file can contain. */
const MAX_INCOMPLETE_BYTES = 3;

/** Bytes `from` to `to` of the file, ready to be sent. */
export interface FeedFrame {
  from: number;
  to: number;
  /** The frame as JSON, created when it is first needed. */
  wire(): Buffer;
}

export interface FeedMember {
  /** Called in order, without gaps or repetitions, and never with half a character at either end. */
  onFrame(frame: FeedFrame): void;
  /** The recording was replaced. */
  onReset(epoch: number): void;
}

export interface FeedOptions {
  slug: string;
  recording: RecordingStream;
  clock: Clock;
  logger: Logger;
  /** called when the last member has left */
  onAbandoned(): void;
}

/**
 * The live end of one recording, shared by all its followers. However many clients there are, bytes are collected,
 * decoded, and converted to JSON only once. The feed does not keep anything that was sent. A client that is behind
 * reads the file.
 */
export class RecordingFeed {
  /** name of the session, which a rename changes */
  slug: string;
  readonly recording: RecordingStream;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #members = new Set<FeedMember>();
  readonly #flushes: Coalescer;
  readonly #disposers: Dispose[];
  readonly #onAbandoned: () => void;
  readonly #settled: Promise<void>;
  /** everything before this offset has been sent to the members */
  #position: number;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #carry: Uint8Array = new Uint8Array();
  #isSettled = false;
  #isDisposed = false;
  #epoch: number;
  #snapshot: Promise<{ data: string; offset: number }> | null = null;

  constructor(options: FeedOptions) {
    this.slug = options.slug;
    this.recording = options.recording;
    this.#clock = options.clock;
    this.#logger = options.logger;
    this.#onAbandoned = options.onAbandoned;
    this.#position = this.recording.end();
    this.#epoch = this.recording.epoch();
    this.#flushes = coalesce({ clock: options.clock, intervalMs: COALESCE_MS, work: () => this.#flush() });
    this.#disposers = [this.recording.onReset((epoch) => this.#reset(epoch))];
    this.#settled = this.#settle();
  }

  get position(): number {
    return this.#position;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** Resolves once the recording has been read, so that it is known whether it ends in half a character. */
  settled(): Promise<void> {
    return this.#settled;
  }

  join(member: FeedMember): void {
    this.#members.add(member);
  }

  leave(member: FeedMember): void {
    if (this.#members.delete(member) && this.#members.size === 0) {
      this.dispose();
      this.#onAbandoned();
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#members.clear();
    this.#flushes.dispose();
    for (const dispose of this.#disposers.splice(0)) dispose();
  }

  /**
   * The screen, and an offset from which the bytes can be followed without splitting a character or escape sequence.
   */
  snapshot(): Promise<{ data: string; offset: number }> {
    if (this.#snapshot === null) {
      const taken = this.#takeSnapshot().finally(() => {
        if (this.#snapshot === taken) this.#snapshot = null;
      });
      this.#snapshot = taken;
    }
    return this.#snapshot;
  }

  /** Returns the frame for some bytes, given the offset where they end. */
  wire(bytes: Uint8Array, offset: number): Buffer {
    return this.#wire({ data: text(bytes), offset });
  }

  snapshotWire(snapshot: { data: string; offset: number }): Buffer {
    return this.#wire({ ...snapshot, snapshot: true });
  }

  #wire(part: { data: string; offset: number; snapshot?: true }): Buffer {
    return Buffer.from(JSON.stringify({ type: 'stream', session: this.slug, ...part, ts: this.#clock.now() / 1000 }));
  }

  async #takeSnapshot(): Promise<{ data: string; offset: number }> {
    const { data, offset } = await this.recording.snapshot();
    const before = await this.#bytesBefore(offset, SEQUENCE_LOOKBACK_BYTES);
    return { data, offset: offset - unfinishedLength(before) };
  }

  async #settle(): Promise<void> {
    try {
      await this.recording.follow();
    } catch (error) {
      this.#logger.warn({ err: error, session: this.slug }, 'the recording cannot be followed');
    }
    if (this.#isDisposed) return;
    const epoch = this.#epoch;
    const end = this.recording.end();
    if (!this.#isSettled) this.#position = end;
    this.#disposers.push(this.recording.onBytes((bytes, offset) => this.#take(bytes, offset)));
    const tail = await this.#bytesBefore(end, MAX_INCOMPLETE_BYTES);
    if (epoch !== this.#epoch || this.#isSettled) return;
    const incomplete = incompleteUtf8Tail(tail);
    this.#carry = new Uint8Array(tail.subarray(tail.length - incomplete));
    this.#position = end - incomplete;
    this.#isSettled = true;
    this.#flush();
  }

  /**
   * Returns output before an offset, or nothing if the file cannot be read there (because it was just moved away, or is
   * shorter).
   */
  async #bytesBefore(offset: number, length: number): Promise<Uint8Array> {
    const from = Math.max(this.recording.start(), offset - length);
    try {
      const bytes = await readRange(this.recording.file(), from, offset);
      return bytes.length === offset - from ? bytes : new Uint8Array();
    } catch (error) {
      this.#logger.debug({ err: error, session: this.slug }, 'the recording could not be read');
      return new Uint8Array();
    }
  }

  #take(bytes: Uint8Array, offset: number): void {
    const received = this.#position + this.#carry.length + this.#pendingBytes;
    if (offset !== received) {
      // Bytes that were never reported are in the file. Members notice that the position differs, and read the bytes
      // from there.
      this.#pending = [];
      this.#pendingBytes = 0;
      this.#carry = new Uint8Array();
      this.#position = offset;
      this.#isSettled = true;
    }
    // A copy is needed, because the file's reader may reuse its buffer before the next flush. Buffer's own slice() does
    // not copy.
    this.#pending.push(new Uint8Array(bytes));
    this.#pendingBytes += bytes.length;
    if (!this.#isSettled) return;
    if (this.#pendingBytes >= FRAME_BYTES) this.#flush();
    else this.#flushes.request();
  }

  #flush(): void {
    if (!this.#isSettled || this.#pendingBytes === 0) return;
    const { complete, rest } = splitUtf8(Buffer.concat([this.#carry, ...this.#pending]));
    this.#carry = new Uint8Array(rest);
    this.#pending = [];
    this.#pendingBytes = 0;
    for (let begin = 0; begin < complete.length; ) {
      const piece = frameOf(complete, begin);
      begin += piece.length;
      const from = this.#position;
      this.#position += piece.length;
      const to = this.#position;
      let wire: Buffer | null = null;
      const frame: FeedFrame = {
        from,
        to,
        wire: () => {
          wire ??= this.wire(piece, to);
          return wire;
        },
      };
      for (const member of this.#members) member.onFrame(frame);
    }
  }

  #reset(epoch: number): void {
    this.#epoch = epoch;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#carry = new Uint8Array();
    this.#position = this.recording.end();
    this.#isSettled = true;
    this.#snapshot = null;
    for (const member of this.#members) member.onReset(epoch);
  }
}

/**
 * Returns as much as fits into one frame. The last frame takes the rest unchanged. A character at its end that is cut
 * off by the beginning of another one (`E2 9D` before `F0`) will never be complete.
 */
function frameOf(complete: Uint8Array, begin: number): Uint8Array {
  if (complete.length - begin <= FRAME_BYTES) return complete.subarray(begin);
  return splitUtf8(complete.subarray(begin, begin + FRAME_BYTES)).complete;
}

/** Each invalid byte becomes U+FFFD, as in the WHATWG decoder. A byte order mark is treated like any other text. */
function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
