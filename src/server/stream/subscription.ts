import { splitUtf8 } from '../../core/recording/utf8.ts';
import { acknowledged, allowedLag, beginning, MAX_LAG_BYTES, nextStep } from '../../core/stream/index.ts';
import type { Logger } from '../logger.ts';
import type { ClientSocket } from './client-socket.ts';
import type { FeedFrame, FeedMember, RecordingFeed } from './recording-feed.ts';

export interface SubscriptionOptions {
  feed: RecordingFeed;
  socket: ClientSocket;
  logger: Logger;
  /** the offset at which to begin; undefined to begin with a snapshot */
  from: number | undefined;
  /** reports whether this client acknowledges the data that it receives */
  acknowledges(): boolean;
}

/**
 * The modes of a subscription. `beginning`: the recording is being read. `live`: frames are sent as they arrive.
 * `catching-up`: a snapshot or bytes from the file are being sent. `waiting`: nothing is sent until the client
 * acknowledges data or its connection drains.
 */
type Mode = 'beginning' | 'live' | 'catching-up' | 'waiting';

/**
 * One client that follows one recording, either at the recording's live end or somewhere behind it. The subscription
 * itself holds no output.
 */
export class Subscription implements FeedMember {
  readonly feed: RecordingFeed;
  readonly #socket: ClientSocket;
  readonly #logger: Logger;
  readonly #acknowledges: () => boolean;
  #from: number | undefined;
  #mode: Mode = 'beginning';
  #position = 0;
  #wantsSnapshot = true;
  #ackedTo: number | null = null;
  #allowedLagBytes = MAX_LAG_BYTES;
  #isOver = false;

  constructor(options: SubscriptionOptions) {
    this.feed = options.feed;
    this.#socket = options.socket;
    this.#logger = options.logger;
    this.#acknowledges = options.acknowledges;
    this.#from = options.from;
  }

  /** Begins sending as soon as the recording has been read. */
  async start(): Promise<void> {
    this.feed.join(this);
    await this.feed.settled();
    const { recording } = this.feed;
    const start = await recording.availableFrom();
    const begin = beginning(this.#from, { start, end: recording.end() });
    if (begin.kind === 'offset') {
      this.#moveTo(begin.position);
      this.#allowedLagBytes = allowedLag(begin.position, recording.end());
    }
    await this.#catchUp();
  }

  dispose(): void {
    this.#isOver = true;
    this.feed.leave(this);
  }

  /** Records that the client has processed everything up to this offset. */
  acknowledge(offset: number): void {
    this.#ackedTo = acknowledged(this.#ackedTo, offset, this.#position);
    this.resume();
  }

  /** Records that the client acknowledges data from now on. Everything sent so far counts as processed. */
  expectAcknowledgements(): void {
    this.#ackedTo ??= this.#position;
  }

  /** Continues after waiting, because an acknowledgement has arrived or the connection has drained. */
  resume(): void {
    if (this.#mode === 'waiting') void this.#catchUp();
  }

  onFrame(frame: FeedFrame): void {
    if (this.#mode !== 'live' || frame.to <= this.#position) return;
    if (!this.#wantsSnapshot && frame.from === this.#position && this.#nextStep(frame.to) === frame.to) {
      this.#position = frame.to;
      this.#socket.send(frame.wire());
      return;
    }
    void this.#catchUp();
  }

  isTaking(): boolean {
    return this.#mode !== 'waiting';
  }

  onReset(epoch: number): void {
    this.#socket.send({ type: 'reset', session: this.feed.slug, epoch });
    // The offset that the client requested belongs to the previous recording.
    this.#from = undefined;
    this.#wantsSnapshot = true;
    this.#ackedTo = null;
    if (this.#mode !== 'beginning') void this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    if (this.#mode === 'catching-up') return;
    this.#mode = 'catching-up';
    while (!this.#isOver && this.#mode === 'catching-up') {
      const { epoch } = this.feed;
      try {
        await this.#advance();
      } catch (error) {
        // The recording was replaced while its file was being read. The new file is already known, so reading continues
        // there.
        if (epoch !== this.feed.epoch) continue;
        // Nothing is lost, because CBOS tries again when output arrives or when the recording is reset.
        this.#logger.debug({ err: error, session: this.feed.slug }, 'a stream was interrupted and will be retried');
        this.#wantsSnapshot = true;
        this.#mode = 'live';
      }
    }
  }

  /** Takes one step: either sends something or changes the mode. */
  async #advance(): Promise<void> {
    if (this.#wantsSnapshot) {
      if (this.#socket.isFull()) this.#mode = 'waiting';
      else await this.#sendSnapshot();
      return;
    }
    this.#skipHeader();
    const step = this.#nextStep(this.feed.position);
    if (step === 'snapshot') this.#wantsSnapshot = true;
    else if (step === 'wait') this.#mode = 'waiting';
    else if (step === 'live') {
      this.#mode = 'live';
      this.#allowedLagBytes = MAX_LAG_BYTES;
      this.feed.recording.goOn();
    } else await this.#sendFromFile(step);
  }

  /**
   * Returns what to do next, given that output extends to `end`. A number means that the bytes up to that offset must
   * be sent.
   */
  #nextStep(end: number): number | 'live' | 'wait' | 'snapshot' {
    const step = nextStep({
      position: this.#position,
      end,
      ackedTo: this.#ackedTo,
      allowedLagBytes: this.#allowedLagBytes,
      congested: this.#socket.isFull(),
    });
    return step.kind === 'chunk' ? step.to : step.kind;
  }

  /**
   * Skips the header line of a new recording. Where the output begins is known only once the header line has been
   * written.
   */
  #skipHeader(): void {
    this.#position = Math.max(this.#position, this.feed.recording.start());
  }

  async #sendSnapshot(): Promise<void> {
    const { epoch } = this.feed;
    const snapshot = await this.feed.snapshot();
    if (this.#isOver || epoch !== this.feed.epoch) return;
    // If the emulator itself is behind the recording, the snapshot is out of date. Requesting another one would not
    // help, so this lag is allowed.
    this.#allowedLagBytes = allowedLag(snapshot.offset, this.feed.position);
    this.#moveTo(snapshot.offset);
    this.#socket.send(this.feed.snapshotWire(snapshot));
  }

  async #sendFromFile(to: number): Promise<void> {
    const { epoch, position: end } = this.feed;
    const from = this.#position;
    const bytes = await this.feed.recording.read(from, to);
    if (this.#isOver || epoch !== this.feed.epoch || this.#wantsSnapshot) return;
    if (bytes.length < to - from) throw new Error(`the recording ends before ${to}`);
    // If the size of a frame or the allowed lag limits the bytes, they may end in the middle of a character. At the
    // feed's own position, they cannot.
    const complete = to === end ? bytes : splitUtf8(bytes).complete;
    this.#position = from + complete.length;
    this.#socket.send(this.feed.wire(complete, this.#position));
  }

  #moveTo(position: number): void {
    this.#position = position;
    this.#wantsSnapshot = false;
    if (this.#acknowledges()) this.#ackedTo = Math.max(this.#ackedTo ?? 0, position);
  }
}
