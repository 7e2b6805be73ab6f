import { type FileHandle, open } from 'node:fs/promises';
import {
  parseHeader,
  parseStartTime,
  parseTimingLine,
  parseTrailer,
  type ScriptTrailer,
  type TimingEntry,
} from '../../core/recording/index.ts';
import { keptRowsFrom } from './kept-rows.ts';
import { openRecorded, openTiming } from './recorded-file.ts';
import { readStart } from './recording-files.ts';

/** A recording to read: its files, and a terminal size that overrides the recorded one. */
export interface RecordingSource {
  typescript: string;
  /** the path of the timing file, or null if there is none */
  timing: string | null;
  cols: number | null;
  rows: number | null;
}

/** One event. `at` is in seconds from the start. A write is split only if it is too large for one step. */
export type RecordedStep =
  | { kind: 'output'; at: number; bytes: Uint8Array /** where the output ends in the file */; to: number }
  | { kind: 'resize'; at: number; cols: number; rows: number };

export interface RecordingFacts {
  cols: number;
  rows: number;
  /** when the recording began, in Unix seconds, or null if that was not recorded */
  startedAt: number | null;
  /** the value of TERM in the recorded terminal */
  term: string | null;
  /** the exit code of the recorded program, or null if the program is still running or the code was not recorded */
  exitCode: number | null;
  /** the position in the file where the output begins */
  start: number;
  end: number;
  /** whether `script` wrote its closing line */
  isClosed: boolean;
  /** false if there is no timing file; all times are then 0 */
  timed: boolean;
}

/** The size that is used if neither the flags nor the recording contain one, which is the default size of terminals. */
const DEFAULT_SIZE = { cols: 80, rows: 24 };
/**
 * How many bytes at the end of the file are searched for the closing line, which contains the date and the exit code.
 */
const TRAILER_BYTES = 200;
/**
 * The maximum size of one piece of output. A program rarely writes more at once, and a longer write becomes several
 * steps with the same time.
 */
const PIECE_BYTES = 65_536;
/**
 * How much is read from the file at once. The output of a row is a few hundred bytes, and reading it separately would
 * take a quarter of a millisecond.
 */
const AHEAD_BYTES = 1_048_576;
/** How many lines are searched. In the advanced format, the first lines describe the recording. */
const HEAD_ROWS = 20;
const HEADER_READ_BYTES = 65_536;

/** Returns the information that a recording contains about itself. @throws CatalogueError no_recording */
export async function readFacts(source: RecordingSource): Promise<RecordingFacts> {
  const { start, size, length } = await readStart(source.typescript);
  const handle = await open(source.typescript, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_READ_BYTES), 0, HEADER_READ_BYTES, 0);
    const head = buffer.subarray(0, bytesRead);
    const reading = parseHeader(head);
    const kept = await keptRowsFrom(source.timing);
    const told = await readTimingHead(source.timing, kept?.timing ?? 0);
    const trailer = await findTrailer(handle, length);
    return {
      cols: source.cols ?? told.cols ?? size?.cols ?? DEFAULT_SIZE.cols,
      rows: source.rows ?? told.rows ?? size?.rows ?? DEFAULT_SIZE.rows,
      startedAt: parseStartTime(head),
      term: reading.kind === 'header' ? reading.header.term : null,
      exitCode: trailer?.exitCode ?? null,
      start,
      end: trailer?.start ?? length,
      isClosed: trailer !== null,
      timed: told.timed || kept !== null,
    };
  } finally {
    await handle.close();
  }
}

/** Returns the closing line of a file of this length, together with its position in the file. */
async function findTrailer(handle: FileHandle, length: number): Promise<ScriptTrailer | null> {
  const from = Math.max(0, length - TRAILER_BYTES);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length - from), 0, length - from, from);
  const trailer = parseTrailer(buffer.subarray(0, bytesRead));
  return trailer === null ? null : { ...trailer, start: from + trailer.start };
}

/**
 * Returns everything that happened, in order, one piece at a time. Only one piece is in memory at a time, however long
 * the recording is. If the timing file was cut off, the bytes that it does not count come at the end. If the timing
 * file counts more bytes than exist, the steps end early.
 */
export async function* readSteps(
  source: RecordingSource,
  { start, end }: RecordingFacts,
): AsyncGenerator<RecordedStep> {
  const file = await openRecorded(source.typescript);
  try {
    const kept = await keptRowsFrom(source.timing);
    let at = 0;
    let offset = kept?.offset ?? start;
    const availableFrom = await file.availableFrom();
    let ahead: { from: number; bytes: Buffer } = { from: offset, bytes: Buffer.alloc(0) };
    const pieces = async function* (bytes: number): AsyncGenerator<RecordedStep> {
      for (const stop = Math.min(offset + bytes, end); offset < stop; ) {
        if (offset < availableFrom) {
          offset = Math.min(stop, availableFrom);
          continue;
        }
        if (offset >= ahead.from + ahead.bytes.length) {
          ahead = { from: offset, bytes: await file.read(offset, Math.min(end, offset + AHEAD_BYTES)) };
        }
        const begin = offset - ahead.from;
        const piece = ahead.bytes.subarray(begin, Math.min(begin + stop - offset, begin + PIECE_BYTES));
        if (piece.length === 0) return;
        offset += piece.length;
        yield { kind: 'output', at, bytes: piece, to: offset };
      }
    };
    for await (const entry of readEntries(source.timing)) {
      at += entry.delay;
      if (entry.kind === 'resize') yield { kind: 'resize', at, cols: entry.cols, rows: entry.rows };
      if (entry.kind === 'output') yield* pieces(entry.bytes);
    }
    yield* pieces(end - offset);
  } finally {
    await file.close();
  }
}

/**
 * Returns the rows of a timing file of any length. If its first rows have been dropped, a resize that sums them up
 * comes first.
 */
export async function* readEntries(timing: string | null): AsyncGenerator<TimingEntry> {
  const kept = await keptRowsFrom(timing);
  if (kept !== null) yield { kind: 'resize', delay: kept.at, cols: kept.cols, rows: kept.rows };
  for await (const line of linesOf(timing, kept?.timing ?? 0)) {
    const entry = parseTimingLine(line);
    if (entry !== null) yield entry;
  }
}

async function readTimingHead(timing: string | null, from: number) {
  const told: { cols: number | null; rows: number | null; timed: boolean } = { cols: null, rows: null, timed: false };
  let count = 0;
  for await (const line of linesOf(timing, from)) {
    if (parseTimingLine(line) !== null) told.timed = true;
    const [, name, value] = /^H \S+ (COLUMNS|LINES) (\d+)$/.exec(line) ?? [];
    if (name === 'COLUMNS') told.cols = Number(value);
    if (name === 'LINES') told.rows = Number(value);
    if (++count >= HEAD_ROWS) break;
  }
  return told;
}

/** @param from where to start, which must be the beginning of a line */
async function* linesOf(file: string | null, from: number): AsyncGenerator<string> {
  if (file === null) return;
  const timing = await openTiming(file);
  try {
    let rest = '';
    for (let position = from; ; ) {
      const bytes = await timing.read(position, position + PIECE_BYTES);
      if (bytes.length === 0) break;
      position += bytes.length;
      const lines = `${rest}${bytes.toString('latin1')}`.split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    if (rest !== '') yield rest;
  } finally {
    await timing.close();
  }
}
