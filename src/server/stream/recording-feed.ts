import { incompleteUtf8Tail, splitUtf8 } from '../../core/recording/utf8.ts';
import { FRAME_BYTES } from '../../core/stream/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Dispose } from '../sessions.ts';
import { type Coalescer, coalesce } from './coalesce.ts';
import type { LiveRecording } from './live-recording.ts';
import { bytesBefore } from './recording-tail.ts';

/**
 * How long to collect output after a frame has been sent without delay. When Claude Code redraws, its output arrives in
 * several writes within a millisecond or two. VS Code collects output for 5 ms. With less than 5 ms, the median delay
 * of isolated output is too small to measure.
 */
const COALESCE_MS = 4;

/** The longest incomplete character with which the file can end, in bytes. */
const MAX_INCOMPLETE_BYTES = 3;

/** The file's bytes from `from` to `to`, ready to be sent. */
export interface FeedFrame {
  from: number;
  to: number;
  /** Returns the frame as JSON, which is created when it is first needed. */
  wire(): Buffer;
}

export interface FeedMember {
  /** Called with frames in order, without gaps or repetitions. No frame begins or ends in the middle of a character. */
  onFrame(frame: FeedFrame): void;
  /** Called when the recording has been replaced. */
  onReset(epoch: number): void;
  /** whether the member takes output now, instead of waiting for its client */
  isTaking(): boolean;
}

export interface FeedOptions {
  slug: string;
  recording: LiveRecording;
  clock: Clock;
  logger: Logger;
  /** called when the last member has left the feed */
  onAbandoned(): void;
}

/**
 * The live end of one recording, shared by all clients that follow it. Bytes are collected, decoded, and converted to
 * JSON only once, however many clients there are. The feed keeps nothing that has been sent; for a client that is
 * behind, the bytes are read from the file.
 */
export class RecordingFeed {
  /** the name of the session, which changes if the session is renamed */
  slug: string;
  readonly recording: LiveRecording;
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

  /**
   * Resolves once the recording has been read. From then on, the feed knows whether the recording ends in the middle of
   * a character.
   */
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

  /** Reports whether any member takes output now. */
  isWanted(): boolean {
    return [...this.#members].some((member) => member.isTaking());
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.recording.leave();
    this.#members.clear();
    this.#flushes.dispose();
    for (const dispose of this.#disposers.splice(0)) dispose();
  }

  /**
   * Returns the screen, and an offset from which a client can follow the bytes without splitting a character or an
   * escape sequence.
   */
  snapshot(): Promise<{ data: string; offset: number }> {
    if (this.#snapshot === null) {
      const taken = this.recording.snapshot().finally(() => {
        if (this.#snapshot === taken) this.#snapshot = null;
      });
      this.#snapshot = taken;
    }
    return this.#snapshot;
  }

  /** Returns a frame with the given bytes, which end at the given offset. */
  wire(bytes: Uint8Array, offset: number): Buffer {
    return this.#wire({ data: text(bytes), offset });
  }

  snapshotWire(snapshot: { data: string; offset: number }): Buffer {
    return this.#wire({ ...snapshot, snapshot: true });
  }

  #wire(part: { data: string; offset: number; snapshot?: true }): Buffer {
    return Buffer.from(JSON.stringify({ type: 'stream', session: this.slug, ...part, ts: this.#clock.now() / 1000 }));
  }

  async #settle(): Promise<void> {
    try {
      await this.recording.follow();
    } catch (error) {
      this.#logger.warn({ err: error, session: this.slug }, 'the recording can no longer be read');
    }
    if (this.#isDisposed) return;
    const epoch = this.#epoch;
    const end = this.recording.end();
    if (!this.#isSettled) this.#position = end;
    this.#disposers.push(this.recording.onBytes((bytes, offset) => this.#take(bytes, offset)));
    const tail = await bytesBefore(this.recording, end, MAX_INCOMPLETE_BYTES);
    if (epoch !== this.#epoch || this.#isSettled) return;
    const incomplete = incompleteUtf8Tail(tail);
    this.#carry = new Uint8Array(tail.subarray(tail.length - incomplete));
    this.#position = end - incomplete;
    this.#isSettled = true;
    this.#flush();
  }

  #take(bytes: Uint8Array, offset: number): void {
    const received = this.#position + this.#carry.length + this.#pendingBytes;
    if (offset !== received) {
      // Some bytes were never reported to the feed. They are in the file: members notice that the position has jumped,
      // and read the bytes from there.
      this.#pending = [];
      this.#pendingBytes = 0;
      this.#carry = new Uint8Array();
      this.#position = offset;
      this.#isSettled = true;
    }
    // The bytes must be copied, because the file's reader may reuse its buffer before the next flush. Buffer's own
    // `slice()` would not copy them.
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
 * Returns as many bytes as fit into one frame, without splitting a character. The last frame takes all remaining bytes.
 * They may end with an incomplete character, but only with one that the next character has cut off (`E2 9D` before
 * `F0`) and that will therefore never be complete.
 */
function frameOf(complete: Uint8Array, begin: number): Uint8Array {
  if (complete.length - begin <= FRAME_BYTES) return complete.subarray(begin);
  return splitUtf8(complete.subarray(begin, begin + FRAME_BYTES)).complete;
}

/**
 * Decodes UTF-8. Invalid bytes become U+FFFD, as in the WHATWG decoder, but a byte order mark is kept like any other
 * character.
 */
function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
