import type { TimingEntry } from './timing.ts';

/**
 * One step of a recording. The screen is read after each step. Times are in milliseconds from the start of the
 * recording.
 */
export type Moment =
  | { kind: 'output'; at: number; bytes: number }
  | { kind: 'resize'; at: number; cols: number; rows: number };

/**
 * Output that arrives within this time counts as one redraw. Reading the screen in the middle of a redraw would show
 * half a frame and take additional time.
 */
export const REDRAW_MS = 50;

/** Combines output rows that belong together into one moment. The moment gets the time of its last row. */
export async function* momentsOf(entries: AsyncIterable<TimingEntry>): AsyncGenerator<Moment> {
  let seconds = 0;
  let gathered: { from: number; at: number; bytes: number } | null = null;
  for await (const entry of entries) {
    seconds += entry.delay;
    const at = Math.round(seconds * 1_000);
    if (entry.kind === 'other') continue;
    if (gathered !== null && (entry.kind === 'resize' || at - gathered.from > REDRAW_MS)) {
      yield { kind: 'output', at: gathered.at, bytes: gathered.bytes };
      gathered = null;
    }
    if (entry.kind === 'resize') yield { kind: 'resize', at, cols: entry.cols, rows: entry.rows };
    else if (gathered === null) gathered = { from: at, at, bytes: entry.bytes };
    else gathered = { from: gathered.from, at, bytes: gathered.bytes + entry.bytes };
  }
  if (gathered !== null) yield { kind: 'output', at: gathered.at, bytes: gathered.bytes };
}
