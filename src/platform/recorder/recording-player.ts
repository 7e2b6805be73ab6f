import { crc32 } from 'node:zlib';
import { SEQUENCE_LOOKBACK_BYTES, unfinishedLength } from '../../core/stream/index.ts';
import { createEmulator } from '../emulator/index.ts';
import { Drawing } from './draw-rows.ts';
import { dropRowsBefore, keptRowsFrom } from './kept-rows.ts';
import { type Keyframe, KeyframeFile } from './keyframe-file.ts';
import { openRecorded, type RecordedFile } from './recorded-file.ts';
import { type Place, type RecordedRow, type RowSource, rowsAfter } from './recorded-rows.ts';
import { type RecordingFacts, type RecordingSource, readFacts } from './recording-steps.ts';

export interface PlayerOptions {
  source: RecordingSource;
  /** the keyframe file, which is created if it is missing and replaced if it belongs to another recording */
  keyframes: string;
  /** returns the current time, in Unix milliseconds */
  now(): number;
  /** bytes of output between two keyframes; default: {@link KEYFRAME_BYTES} */
  intervalBytes?: number;
}

/** Times are in seconds from the start of the recording. */
export interface PlayerFacts {
  /** when the recording began, in Unix seconds, or null if the recording does not contain that time */
  startedAt: number | null;
  duration: number;
  cols: number;
  rows: number;
  sizeBytes: number;
  timed: boolean;
  /** the start of the part of the recording that still exists */
  available: { at: number; offset: number };
}

export interface PlayerFrame {
  at: number;
  /** the screen shows all output before this offset */
  offset: number;
  cols: number;
  rows: number;
  /** escape codes that draw the screen in an empty terminal of this size */
  data: string;
}

export type PlayerEvent =
  | { kind: 'output'; at: number; text: string }
  | { kind: 'resize'; at: number; cols: number; rows: number };

/**
 * The maximum amount of output, and the maximum number of rows, between two keyframes, so that a jump has little to
 * read and draw. Keyframes take half a kilobyte each, less than a hundredth of the recording. With intervals four times
 * as long, the slowest jumps took 220 ms.
 */
const KEYFRAME_BYTES = 128 * 1024;
const KEYFRAME_ROWS = 2_000;
/** How many of the bytes before a keyframe are used to identify the recording. */
const SUM_BYTES = 256;
/**
 * How long to wait for the timing rows of existing output. If `script` was killed, the recording has no closing line,
 * so it counts as finished after this time.
 */
const SILENT_MS = 5_000;

/** Quickly provides any point in a recording: its screen and the output after it, even while the recording grows. */
export class RecordingPlayer {
  readonly #options: PlayerOptions;
  readonly #intervalBytes: number;
  readonly #typescript: RecordedFile;
  readonly #timing: RecordedFile | null;
  readonly #keyframes: KeyframeFile;
  /** the place up to which rows have been counted for the duration */
  #counted: Place | null = null;
  #growing: Promise<void> | null = null;
  /** whether a jump is waiting for the keyframes that are being created */
  #isAwaited = false;
  #isClosed = false;

  private constructor(
    options: PlayerOptions,
    files: { typescript: RecordedFile; timing: RecordedFile | null; keyframes: KeyframeFile },
  ) {
    this.#options = options;
    this.#intervalBytes = options.intervalBytes ?? KEYFRAME_BYTES;
    this.#typescript = files.typescript;
    this.#timing = files.timing;
    this.#keyframes = files.keyframes;
  }

  /** @throws CatalogueError no_recording */
  static async open(options: PlayerOptions): Promise<RecordingPlayer> {
    const { source } = options;
    const typescript = await openRecorded(source.typescript);
    const { timed } = await readFacts(source);
    const timing = timed && source.timing !== null ? await openRecorded(source.timing) : null;
    const keyframes = await KeyframeFile.open(options.keyframes);
    const player = new RecordingPlayer(options, { typescript, timing, keyframes });
    if (!(await player.#isOfThisRecording(keyframes.frames.at(-1)))) await keyframes.clear();
    return player;
  }

  async facts(): Promise<PlayerFacts> {
    const { facts, rows } = await this.#look();
    const first = await this.#first(facts);
    let place = this.#counted ?? this.#keyframes.frames.at(-1) ?? first;
    for await (const batch of rowsAfter({ ...rows, isFinished: false }, place)) place = batch.at(-1)?.after ?? place;
    this.#counted = place;
    if (rows.isFinished) for await (const batch of rowsAfter(rows, place)) place = batch.at(-1)?.after ?? place;
    const { startedAt, cols, rows: height, timed } = facts;
    const sizeBytes = await this.#typescript.size();
    const isWhole = first.offset === facts.start;
    const available = isWhole ? { at: 0, offset: 0 } : { at: first.at, offset: first.offset };
    return { startedAt, duration: place.at, cols, rows: height, sizeBytes, timed, available };
  }

  /**
   * Returns the screen at a given time, or after the row that contains a given offset. At 0, the screen is empty.
   * Beyond the end, it is the last screen.
   */
  async frame(where: { at: number } | { offset: number }): Promise<PlayerFrame> {
    const isBefore = (place: Place): boolean =>
      'at' in where ? place.at <= where.at && where.at > 0 : place.offset < where.offset;
    const { facts, rows } = await this.#look();
    await this.#growTo(isBefore, rows);
    const first = await this.#first(facts);
    const isKept = (place: Place): boolean => place.offset >= first.offset;
    let place: Place = this.#keyframes.frames.findLast((frame) => isKept(frame) && isBefore(frame)) ?? first;
    const drawing = await this.#restore(place, facts);
    try {
      search: for await (const batch of rowsAfter(rows, place)) {
        for (const { kind, after } of batch) {
          if ('at' in where ? !isBefore(after) : place.offset >= where.offset) break search;
          await drawing.add({ kind, after });
          place = after;
        }
      }
      await drawing.draw();
      const at = 'at' in where ? Math.max(place.at, Math.min(where.at, (await this.facts()).duration)) : place.at;
      return { at, offset: place.offset, cols: place.cols, rows: place.rows, data: drawing.emulator.serialize() };
    } finally {
      drawing.emulator.dispose();
    }
  }

  /**
   * Returns about `limitBytes` of the output after a given time (for 0, from the very beginning). The output begins
   * with the character or escape sequence that is unfinished at that time, if any, and ends before the next unfinished
   * one. A terminal can therefore continue with it either from `frame` or from the output that precedes it.
   */
  async output(from: number, limitBytes: number): Promise<{ events: PlayerEvent[]; next: number | null }> {
    const { facts, rows } = await this.#look();
    const isPassed = (place: Place): boolean => place.at <= from && from > 0;
    const first = await this.#first(facts);
    const isKept = (place: Place): boolean => place.offset >= first.offset;
    let before: Place = this.#keyframes.frames.findLast((frame) => isKept(frame) && isPassed(frame)) ?? first;
    const wanted: RecordedRow[] = [];
    let next: number | null = null;
    search: for await (const batch of rowsAfter(rows, before)) {
      for (const row of batch) {
        if (isPassed(row.after)) {
          before = row.after;
          continue;
        }
        const last = wanted.at(-1)?.after;
        // Rows that have the same time stay together, because the next call begins after a given time.
        if (last !== undefined && last.offset - before.offset >= limitBytes && row.after.at > last.at) {
          next = last.at;
          break search;
        }
        wanted.push(row);
      }
    }
    return { events: await this.#eventsOf(wanted, { before, isLast: next === null && rows.isFinished }), next };
  }

  /**
   * Creates the keyframes that are still missing.
   * @param pause awaited after each keyframe unless a jump needs it, for callers that are not in a hurry
   */
  grow(pause: () => Promise<void> = async () => undefined): Promise<void> {
    this.#growing ??= this.#grow(pause).finally(() => {
      this.#growing = null;
      this.#isAwaited = false;
    });
    return this.#growing;
  }

  /** Drops the timing rows of output that has been dropped. */
  async dropRows(): Promise<void> {
    const { timing } = this.#options.source;
    const { facts } = await this.#look();
    if (timing !== null) await dropRowsBefore(timing, await this.#first(facts));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#growing?.catch(() => undefined);
    await Promise.all([this.#typescript.close(), this.#timing?.close(), this.#keyframes.close()]);
  }

  async #look(): Promise<{ facts: RecordingFacts; rows: RowSource }> {
    const facts = await readFacts(this.#options.source);
    const isFinished = facts.isClosed || (await this.#typescript.changedAt()) < this.#options.now() - SILENT_MS;
    return { facts, rows: { typescript: this.#typescript, timing: this.#timing, end: facts.end, isFinished } };
  }

  async #isOfThisRecording(keyframe: Keyframe | undefined): Promise<boolean> {
    if (keyframe === undefined) return true;
    if (keyframe.offset > (await this.#typescript.size())) return false;
    return (await this.#sumBefore(keyframe.offset)) === keyframe.sum;
  }

  async #sumBefore(offset: number): Promise<number> {
    return crc32(await this.#typescript.read(Math.max(0, offset - SUM_BYTES), offset));
  }

  /** If more than one keyframe up to a given place is missing, waits until they have been created. */
  async #growTo(isBefore: (place: Place) => boolean, { end }: RowSource): Promise<void> {
    const last = this.#keyframes.frames.at(-1);
    const isMissing = end - (last?.offset ?? 0) > 2 * this.#intervalBytes && (last === undefined || isBefore(last));
    this.#isAwaited ||= isMissing;
    if (isMissing) await this.grow();
  }

  async #grow(pause: () => Promise<void>): Promise<void> {
    const { facts, rows } = await this.#look();
    let since: Place = this.#keyframes.frames.at(-1) ?? (await this.#start(facts));
    let rowsSince = 0;
    const drawing = await this.#restore(since, facts);
    try {
      for await (const batch of rowsAfter(rows, since)) {
        for (const row of batch) {
          await drawing.add(row);
          rowsSince += 1;
          const isDue = row.after.offset - since.offset >= this.#intervalBytes || rowsSince >= KEYFRAME_ROWS;
          if (!isDue) continue;
          await drawing.draw();
          if (this.#isClosed) return;
          const sum = await this.#sumBefore(row.after.offset);
          await this.#keyframes.append({ place: row.after, sum, screen: drawing.emulator.serialize() });
          since = row.after;
          rowsSince = 0;
          if (!this.#isAwaited) await pause();
        }
      }
    } finally {
      drawing.emulator.dispose();
    }
  }

  /** Returns the first keyframe in the part of the recording that still exists, or the beginning of the recording. */
  async #first(facts: RecordingFacts): Promise<Place | Keyframe> {
    const availableFrom = await this.#typescript.availableFrom();
    if (availableFrom <= facts.start) return this.#start(facts);
    return this.#keyframes.frames.find(({ offset }) => offset >= availableFrom) ?? this.#start(facts);
  }

  /** Returns where the rows of the recording begin. */
  async #start({ cols, rows, start }: RecordingFacts): Promise<Place> {
    return (await keptRowsFrom(this.#options.source.timing)) ?? { at: 0, offset: start, timing: 0, cols, rows };
  }

  /** Returns a terminal in the state that it had at a keyframe or at the start. */
  async #restore(place: Place | Keyframe, facts: RecordingFacts): Promise<Drawing> {
    const emulator = createEmulator({ cols: place.cols, rows: place.rows, scrollback: 0 });
    if ('position' in place) {
      emulator.write(Buffer.from(await this.#keyframes.screenOf(place)));
      emulator.write(await this.#unfinishedBefore(place.offset, facts.start));
    }
    return new Drawing(this.#typescript, emulator, place);
  }

  /** Returns the beginning of a character or escape sequence that is still incomplete at this offset. */
  async #unfinishedBefore(offset: number, start: number): Promise<Buffer> {
    const bytes = await this.#typescript.read(Math.max(start, offset - SEQUENCE_LOOKBACK_BYTES), offset);
    return bytes.subarray(bytes.length - unfinishedLength(bytes));
  }

  async #eventsOf(rows: readonly RecordedRow[], { before, isLast }: { before: Place; isLast: boolean }) {
    const events: PlayerEvent[] = [];
    const { facts } = await this.#look();
    const carried = await this.#unfinishedBefore(before.offset, facts.start);
    const end = rows.at(-1)?.after.offset ?? before.offset;
    const fresh = await this.#typescript.read(before.offset, end);
    const all = Buffer.concat([carried, fresh]);
    const complete = all.length - (isLast ? 0 : unfinishedLength(all.subarray(-SEQUENCE_LOOKBACK_BYTES)));
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    let done = 0;
    for (const { kind, after } of rows) {
      const { at, cols, rows: height } = after;
      if (kind === 'resize') events.push({ kind, at, cols, rows: height });
      else {
        const to = Math.min(after.offset - before.offset + carried.length, complete);
        const isEnd = isLast && to === complete;
        const text = decoder.decode(all.subarray(done, to), { stream: !isEnd });
        done = Math.max(done, to);
        if (text !== '') events.push({ kind: 'output', at, text });
      }
    }
    return events;
  }
}
