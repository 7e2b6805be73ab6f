import { parseTimingLine } from '../../core/recording/index.ts';
import type { RecordedFile } from './recorded-file.ts';

/** A point in a recording, between two rows of its timing file. */
export interface Place {
  /** the time, in seconds from the start of the recording */
  at: number;
  /** how much output has been written up to here, as an offset in the recording */
  offset: number;
  /** where the next row begins, as an offset in the timing file, or 0 if there is no timing file */
  timing: number;
  cols: number;
  rows: number;
}

/** One row, which is either output up to `after.offset` or a resize. */
export interface RecordedRow {
  kind: 'output' | 'resize';
  after: Place;
}

export interface RowSource {
  typescript: RecordedFile;
  /** the timing file, or null for a log that Screen wrote */
  timing: RecordedFile | null;
  /** where the output currently ends */
  end: number;
  /** whether nothing more will be added; if so, output that has no row comes at the end */
  isFinished: boolean;
}

/**
 * How many bytes of a timing file are read at once, which amounts to the rows of one to three redraws. Parsing 64 kB of
 * them takes 3 ms.
 */
const TIMING_READ_BYTES = 65_536;
/** The speed at which a log without times is played. A Claude Code turn writes 10 kB per second. */
const UNTIMED_BYTES_PER_SECOND = 10_000;
const UNTIMED_ROW_BYTES = 1_000;
const UNTIMED_BATCH_ROWS = 1_000;

/**
 * Returns the rows after a given place, in batches. If the timing file counts more output than exists, the rows end
 * early. An incomplete row is left for later.
 */
export async function* rowsAfter(source: RowSource, place: Place): AsyncGenerator<RecordedRow[]> {
  if (source.timing === null) yield* untimedRows(source.end, place);
  else yield* timedRows({ ...source, timing: source.timing }, place);
}

async function* timedRows(source: RowSource & { timing: RecordedFile }, place: Place): AsyncGenerator<RecordedRow[]> {
  let now = place;
  let isAtEnd = false;
  while (!isAtEnd) {
    const bytes = await source.timing.read(now.timing, now.timing + TIMING_READ_BYTES);
    const complete = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
    isAtEnd = complete.length === 0;
    const batch: RecordedRow[] = [];
    for (const line of complete.toString('latin1').split('\n').slice(0, -1)) {
      const row = rowOf(line, now, source.end);
      now = row.after;
      if (row.kind !== 'other') batch.push({ kind: row.kind, after: now });
    }
    if (batch.length > 0) yield batch;
  }
  if (source.isFinished) yield* untimedRows(source.end, now);
}

function rowOf(line: string, before: Place, end: number): { kind: RecordedRow['kind'] | 'other'; after: Place } {
  const timing = before.timing + line.length + 1;
  const entry = parseTimingLine(line);
  if (entry === null) return { kind: 'other', after: { ...before, timing } };
  const after = { ...before, at: before.at + entry.delay, timing };
  switch (entry.kind) {
    case 'output':
      after.offset = Math.min(before.offset + entry.bytes, end);
      return { kind: after.offset > before.offset ? 'output' : 'other', after };
    case 'resize':
      return { kind: 'resize', after: { ...after, cols: entry.cols, rows: entry.rows } };
    case 'other':
      return { kind: 'other', after };
  }
}

/** Returns the output that has no row, or a log without times, at an even speed from the given place onwards. */
async function* untimedRows(end: number, place: Place): AsyncGenerator<RecordedRow[]> {
  let batch: RecordedRow[] = [];
  for (let { offset } = place; offset < end; ) {
    offset = Math.min(offset + UNTIMED_ROW_BYTES, end);
    const at = place.at + (offset - place.offset) / UNTIMED_BYTES_PER_SECOND;
    batch.push({ kind: 'output', after: { ...place, at, offset } });
    if (batch.length < UNTIMED_BATCH_ROWS && offset < end) continue;
    yield batch;
    batch = [];
  }
}
