import { parseTimingLine, type TimingEntry } from '../../core/recording/index.ts';
import { readRange } from '../recorder/index.ts';
import type { IndexedRecording } from '../sqlite/indexed-recording.ts';

/** A piece of a recording, with its time from the timing file. Times are in Unix milliseconds. */
export type TimedPiece =
  | { kind: 'output'; at: number; bytes: Uint8Array; offset: number }
  | { kind: 'resize'; at: number; cols: number; rows: number };

/** How far a recording and its timing file have been read. */
export type ReadingPosition = Pick<IndexedRecording, 'position' | 'timingPosition' | 'timedTo' | 'elapsedMs'>;

/** How much of a timing file is read at once. A row takes about 20 bytes. */
const TIMING_READ_BYTES = 65_536;
/** Output that arrives within this time is combined into one piece, up to this size. */
const PIECE_MS = 200;
const PIECE_BYTES = 32_768;
/**
 * How long to wait for the timing rows of existing output. If they do not arrive, the timing file was cut off, and the
 * output has no time.
 */
const TIMING_LATE_MS = 5_000;

/** Continues reading a recording from a given position, along with the times at which it was written. */
export class TimedOutput {
  #rows: { entry: TimingEntry | null; end: number }[] = [];
  #readTo: number;

  constructor({ timingPosition }: IndexedRecording) {
    this.#readTo = timingPosition;
  }

  /**
   * Returns the next bytes as pieces, together with the position after them.
   * @param options.changedAt when the recording was last written to, in Unix milliseconds
   */
  async read(
    recording: IndexedRecording,
    { most, now, changedAt }: { most: number; now: number; changedAt: number },
  ): Promise<{ pieces: TimedPiece[]; after: ReadingPosition }> {
    const { typescript, timing, position, timingPosition, timedTo, elapsedMs, startedAt } = recording;
    const bytes = await readRange(typescript, position, position + most);
    const end = position + bytes.length;
    const after = { position, timingPosition, timedTo, elapsedMs };
    const pieces: TimedPiece[] = [];
    const timeNow = (): number => (startedAt === null ? changedAt : startedAt + after.elapsedMs);
    const take = (to: number, at: number): void => {
      addOutput(pieces, {
        kind: 'output',
        at,
        bytes: bytes.subarray(after.position - position, to - position),
        offset: after.position,
      });
      after.position = to;
    };
    while (after.position < end) {
      if (after.position < after.timedTo) {
        take(Math.min(after.timedTo, end), timeNow());
        continue;
      }
      const row = await this.#nextRow(timing);
      if (row === null) break;
      after.timingPosition = row.end;
      after.elapsedMs += (row.entry?.delay ?? 0) * 1_000;
      if (row.entry?.kind === 'output') after.timedTo += row.entry.bytes;
      if (row.entry?.kind === 'resize') pieces.push({ ...row.entry, at: timeNow() });
    }
    if (after.position < end && (timing === null || now - changedAt > TIMING_LATE_MS)) {
      take(end, changedAt);
      after.timedTo = end;
    }
    return { pieces, after };
  }

  async #nextRow(timing: string | null): Promise<{ entry: TimingEntry | null; end: number } | null> {
    const row = this.#rows.shift();
    if (row !== undefined) return row;
    if (timing === null) return null;
    const text = (await readRange(timing, this.#readTo, this.#readTo + TIMING_READ_BYTES)).toString('latin1');
    const lines = text.split('\n').slice(0, -1);
    for (const line of lines) {
      this.#readTo += line.length + 1;
      this.#rows.push({ entry: parseTimingLine(line), end: this.#readTo });
    }
    return this.#rows.shift() ?? null;
  }
}

/** Joins output that arrived at about the same time. */
function addOutput(pieces: TimedPiece[], next: Extract<TimedPiece, { kind: 'output' }>): void {
  const last = pieces.at(-1);
  const isJoined =
    last?.kind === 'output' &&
    next.at - last.at < PIECE_MS &&
    last.bytes.length + next.bytes.length <= PIECE_BYTES &&
    last.bytes.byteOffset + last.bytes.length === next.bytes.byteOffset;
  if (!isJoined) pieces.push(next);
  else last.bytes = new Uint8Array(last.bytes.buffer, last.bytes.byteOffset, last.bytes.length + next.bytes.length);
}
