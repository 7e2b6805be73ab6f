import { type FileHandle, open } from 'node:fs/promises';
import {
  durationOf,
  type Moment,
  momentsOf,
  parseTiming,
  parseTrailer,
  type ScriptTrailer,
} from '../../core/recording/index.ts';
import type { ScreenFrame } from '../../core/status/evidence.ts';
import { createEmulator, type Emulator } from '../emulator/index.ts';
import { keptRowsFrom } from './kept-rows.ts';
import { openRecorded, openTiming, type RecordedFile } from './recorded-file.ts';
import { readStart } from './recording-files.ts';

export interface ReplayRequest {
  typescript: string;
  /** null: there is none */
  timing: string | null;
  /** stronger than what the recording itself says; null where nobody knows better */
  cols: number | null;
  rows: number | null;
  /** the screen after each redraw; `at` in milliseconds from the recording's start, never falling */
  onFrame(frame: ScreenFrame, at: number): void;
  /** lines kept above the window; none when left out */
  scrollback?: number;
  /** the terminal before anything is drawn, for who wants more of it than its frames */
  onStart?(emulator: Emulator): void;
  /** the terminal when all is drawn, before it is gone */
  onEnd?(emulator: Emulator): void;
}

export interface ReplayEnd {
  /** when the last thing happened that the recording tells of, in milliseconds from its start */
  at: number;
  /** whether the recorded program has ended: `script` wrote its closing line */
  ended: boolean;
  /** false: no timing, so `at` counts pieces and is no time */
  timed: boolean;
}

/** Where neither flags nor recording tell: what terminals are born with. */
export const DEFAULT_SIZE = { cols: 80, rows: 24 };
/** The closing line is the date and the exit code. */
const TRAILER_BYTES = 200;
/** So many bytes are read and drawn at once: enough for the emulator to work without pause, little beside a day's recording. */
const BATCH_BYTES = 1_000_000;
/** So many redraws wait in the emulator at once. */
const BATCH_MOMENTS = 2_000;
/** Without timing: a redraw of Claude Code is about so long, and counts as a moment of its own. */
const PIECE_BYTES = 1_000;
/** Without timing: long enough for a reading that two or three pieces agree in to count. */
const PIECE_MS = 100;

/**
 * Plays a recording of `script`, or a log of Screen, through a terminal as fast as it goes: silence takes no time. A timing
 * that is cut off is made up for by the bytes that it does not mention, which come at its end; one that tells of more than
 * there is ends early.
 * @throws CatalogueError no_recording
 */
export async function replayRecording(request: ReplayRequest): Promise<ReplayEnd> {
  const { start: firstByte, size: headerSize, length } = await readStart(request.typescript);
  const kept = await keptRowsFrom(request.timing);
  const start = kept?.offset ?? firstByte;
  const timing = parseTiming(request.timing === null ? '' : await readTiming(request.timing, kept?.timing ?? 0));
  if (kept !== null) timing.entries.unshift({ kind: 'resize', delay: kept.at, cols: kept.cols, rows: kept.rows });
  const handle = await open(request.typescript, 'r');
  const file = await openRecorded(request.typescript);
  const emulator = createEmulator({
    cols: request.cols ?? timing.headers.cols ?? headerSize?.cols ?? DEFAULT_SIZE.cols,
    rows: request.rows ?? timing.headers.rows ?? headerSize?.rows ?? DEFAULT_SIZE.rows,
    scrollback: request.scrollback ?? 0,
  });
  try {
    request.onStart?.(emulator);
    const trailer = await findTrailer(handle, length);
    const end = trailer?.start ?? length;
    const timed = timing.entries.length > 0;
    const moments = timed ? momentsOf(timing.entries) : piecesOf(end - start);
    const at = await draw({ file, emulator, start, end, moments, onFrame: request.onFrame });
    request.onEnd?.(emulator);
    return { at: Math.max(at, timed ? durationOf(timing.entries) : 0), ended: trailer !== null, timed };
  } finally {
    emulator.dispose();
    await handle.close();
    await file.close();
  }
}

async function readTiming(file: string, from: number): Promise<string> {
  const timing = await openTiming(file);
  try {
    return (await timing.read(from, await timing.size())).toString('latin1');
  } finally {
    await timing.close();
  }
}

/** The closing line of a file of this length, its start counted from the file's. */
export async function findTrailer(handle: FileHandle, length: number): Promise<ScriptTrailer | null> {
  const from = Math.max(0, length - TRAILER_BYTES);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length - from), 0, length - from, from);
  const trailer = parseTrailer(buffer.subarray(0, bytesRead));
  return trailer === null ? null : { ...trailer, start: from + trailer.start };
}

function* piecesOf(bytes: number): Generator<Moment> {
  for (let done = 0, at = 0; done < bytes; done += PIECE_BYTES, at += PIECE_MS) {
    yield { kind: 'output', at, bytes: Math.min(PIECE_BYTES, bytes - done) };
  }
}

interface Drawing {
  file: RecordedFile;
  emulator: Emulator;
  start: number;
  end: number;
  moments: Iterable<Moment>;
  onFrame: ReplayRequest['onFrame'];
}

/** Draws the moments in batches. @returns the time of the last one */
async function draw({ file, emulator, start, end, moments, onFrame }: Drawing): Promise<number> {
  let offset = start;
  let last = 0;
  let batch: Extract<Moment, { kind: 'output' }>[] = [];
  let batchBytes = 0;
  const drawBatch = async (): Promise<void> => {
    if (batch.length === 0) return;
    const from = offset;
    const buffer = await file.read(from, from + batchBytes);
    const bytesRead = buffer.length;
    let done = 0;
    for (const { at, bytes } of batch) {
      const piece = buffer.subarray(Math.min(done, bytesRead), Math.min(done + bytes, bytesRead));
      done += bytes;
      emulator.write(piece, () => onFrame(emulator.frame(), at));
    }
    offset = Math.min(from + batchBytes, end);
    batch = [];
    batchBytes = 0;
    await emulator.flush();
  };
  const add = async (at: number, wanted: number): Promise<void> => {
    const bytes = Math.min(wanted, end - offset - batchBytes);
    last = Math.max(last, at);
    batch.push({ kind: 'output', at, bytes });
    batchBytes += bytes;
    if (batchBytes >= BATCH_BYTES || batch.length >= BATCH_MOMENTS) await drawBatch();
  };
  for (const moment of moments) {
    if (moment.kind === 'output') await add(moment.at, moment.bytes);
    else {
      await drawBatch();
      emulator.resize(moment.cols, moment.rows);
      last = Math.max(last, moment.at);
      onFrame(emulator.frame(), moment.at);
    }
  }
  const left = end - offset - batchBytes;
  if (left > 0) await add(last, left);
  await drawBatch();
  return last;
}
