import { z } from 'zod';
import type { Row, Value } from './kept-statements.ts';

/** A recording, and how much of it has been indexed. */
export interface IndexedRecording {
  id: number;
  scope: number;
  typescript: string;
  /** the timing file, or null if the recording has no times */
  timing: string | null;
  /** the first bytes of the recording, which identify it even under another name */
  head: Uint8Array;
  /** the offset of the first byte that has not been indexed yet */
  position: number;
  /** how far the timing file has been read, the corresponding offset in the recording, and the time since the start */
  timingPosition: number;
  timedTo: number;
  elapsedMs: number;
  /** when the recording began, in Unix milliseconds, or null if the recording does not contain that time */
  startedAt: number | null;
  /** the size of the terminal at `position` */
  cols: number;
  rows: number;
  /** whether nothing more will be written to the recording, and all of it has been indexed or dropped */
  finished: boolean;
}

const RecordingRow = z.object({
  id: z.number(),
  scope: z.number(),
  typescript: z.string(),
  timing: z.string().nullable(),
  head: z.instanceof(Uint8Array),
  position: z.number(),
  timing_position: z.number(),
  timed_to: z.number(),
  elapsed_ms: z.number(),
  started_at: z.number().nullable(),
  cols: z.number(),
  rows: z.number(),
  finished: z.number(),
});

/** Converts a row of the table `recordings`. */
export function toRecording(value: Row): IndexedRecording {
  const { timing_position, timed_to, elapsed_ms, started_at, finished, ...row } = RecordingRow.parse(value);
  return {
    ...row,
    timingPosition: timing_position,
    timedTo: timed_to,
    elapsedMs: elapsed_ms,
    startedAt: started_at,
    finished: finished === 1,
  };
}

/** Returns the values in the order of the columns, without the id. */
export function valuesOf(recording: Omit<IndexedRecording, 'id'>): Value[] {
  const { scope, typescript, timing, head, position, timingPosition, timedTo, elapsedMs, startedAt } = recording;
  const start = startedAt === null ? null : Math.floor(startedAt);
  const about = [scope, typescript, timing, head, position, timingPosition, timedTo, elapsedMs, start];
  return [...about, recording.cols, recording.rows, recording.finished ? 1 : 0];
}
