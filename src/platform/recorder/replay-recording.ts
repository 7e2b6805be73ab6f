import { type Moment, momentsOf, type TimingEntry } from '../../core/recording/index.ts';
import type { ScreenFrame } from '../../core/status/screen/screen-evidence.ts';
import { createEmulator, type Emulator } from '../emulator/index.ts';
import { keptRowsFrom } from './kept-rows.ts';
import { openRecorded, type RecordedFile } from './recorded-file.ts';
import { type RecordingSource, readEntries, readFacts } from './recording-steps.ts';

/** Called with the fraction of a recording that has been read, from 0 to 1. */
export type ProgressListener = (share: number) => void;

export interface ReplayRequest extends RecordingSource {
  /** the screen after each redraw; `at` is in milliseconds from the start of the recording and never decreases */
  onFrame(frame: ScreenFrame, at: number): void;
  onProgress?: ProgressListener;
  /** how many lines to keep above the window; default: none */
  scrollback?: number;
  /** called with the terminal before anything is drawn, for callers that need more than its frames */
  onStart?(emulator: Emulator): void;
  /** called with the terminal once everything has been drawn, before the terminal is disposed of */
  onEnd?(emulator: Emulator): void;
}

export interface ReplayEnd {
  /** when the last recorded event happened, in milliseconds from the start */
  at: number;
  /** whether the recorded program has ended, which is the case if `script` wrote its closing line */
  ended: boolean;
  /** false if there is no timing file; `at` then counts pieces and is not a time */
  timed: boolean;
}

/**
 * How many bytes are read and drawn at once. That many keep the emulator busy, and take little memory compared with the
 * recording of a whole day.
 */
const BATCH_BYTES = 1_000_000;
/** How many redraws may wait in the emulator at the same time. */
const BATCH_MOMENTS = 2_000;
/**
 * The size of a piece if there is no timing file, which is about the size of a Claude Code redraw. Each piece counts as
 * a separate moment.
 */
const PIECE_BYTES = 1_000;
/**
 * How much time a piece takes if there is no timing file. It is long enough that a reading counts once two or three
 * pieces agree on it.
 */
const PIECE_MS = 100;

/**
 * Plays a recording made by `script`, or a log written by Screen, through a terminal as fast as possible. Only one
 * batch is in memory at a time, and silence takes no time. If the timing file was cut off, the bytes that it does not
 * count come at the end. If the timing file counts more bytes than exist, the replay ends early.
 * @throws CatalogueError no_recording
 */
export async function replayRecording(request: ReplayRequest): Promise<ReplayEnd> {
  const facts = await readFacts(request);
  const { timed, end } = facts;
  const kept = await keptRowsFrom(request.timing);
  const start = kept?.offset ?? facts.start;
  const file = await openRecorded(request.typescript);
  const emulator = createEmulator({ cols: facts.cols, rows: facts.rows, scrollback: request.scrollback ?? 0 });
  let seconds = 0;
  const told = async function* (): AsyncGenerator<TimingEntry> {
    for await (const entry of readEntries(request.timing)) {
      seconds += entry.delay;
      yield entry;
    }
  };
  try {
    request.onStart?.(emulator);
    const moments = timed ? momentsOf(told()) : piecesOf(end - start);
    const at = await draw({ file, emulator, start, end, moments, request });
    request.onEnd?.(emulator);
    return { at: Math.max(at, Math.round(seconds * 1_000)), ended: facts.isClosed, timed };
  } finally {
    emulator.dispose();
    await file.close();
  }
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
  moments: AsyncIterable<Moment> | Iterable<Moment>;
  request: Pick<ReplayRequest, 'onFrame' | 'onProgress'>;
}

/** Draws the moments in batches. @returns the time of the last moment */
async function draw({ file, emulator, start, end, moments, request }: Drawing): Promise<number> {
  const { onFrame, onProgress } = request;
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
    onProgress?.((offset - start) / (end - start));
  };
  const add = async (at: number, wanted: number): Promise<void> => {
    const bytes = Math.min(wanted, end - offset - batchBytes);
    last = Math.max(last, at);
    batch.push({ kind: 'output', at, bytes });
    batchBytes += bytes;
    if (batchBytes >= BATCH_BYTES || batch.length >= BATCH_MOMENTS) await drawBatch();
  };
  for await (const moment of moments) {
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
