import type { Clock } from '../clock.ts';
import type { Dispose } from '../sessions.ts';

/**
 * How long output is gathered while a session writes a lot. Its status may be that late then, twice as late as with
 * little output, where the screen is read every 40 ms at most. A reading must hold for 150 ms before it counts as the
 * end of a turn, so this is not the larger part.
 */
const GATHER_MS = 80;
/**
 * Output that was gathered is drawn at the multiples of this time, for all sessions at once. Each round of drawing
 * that is watched starts a thread and counts what is left of them, which twenty sessions would otherwise do two
 * hundred times a second.
 */
const GRID_MS = 40;
/**
 * How much output in that time counts as a lot. Of 19,000 writes of 15 versions of Claude Code, 34 would wait at this
 * pace. At 2,000 bytes it would be 500, among them the steps of a highlight whose pace shows what a turn is doing
 * (2.0.30).
 */
const LITTLE_BYTES = 3_000;

/** When the output of one session is drawn. */
export interface DrawingPace {
  /** Output has come. Calls `draw` now, or once more has been gathered. */
  take(bytes: number): void;
  /** Nothing is gathered any more, because it is drawn now. */
  hurry(): void;
}

/**
 * Creates the pace of a session. A session that writes little is drawn with every write. One that writes a lot without
 * a pause is drawn every 80 ms, together with others: nobody reads its status more often, and drawing many small
 * writes costs several times what drawing them together does.
 */
export function createDrawingPace(clock: Clock, draw: () => void): DrawingPace {
  /** when the current span of time began, and how much came in it */
  let beganAt = Number.NEGATIVE_INFINITY;
  let taken = 0;
  /** whether a lot came in the span before */
  let isBusy = false;
  let waiting: Dispose | null = null;

  function begin(): void {
    waiting?.();
    waiting = null;
    const now = clock.elapsed();
    isBusy = taken * GATHER_MS > LITTLE_BYTES * (now - beganAt);
    beganAt = now;
    taken = 0;
    draw();
  }

  return {
    take: (bytes) => {
      const endsIn = Math.floor((beganAt + GATHER_MS) / GRID_MS) * GRID_MS - clock.elapsed();
      if (endsIn <= 0) begin();
      else if (!isBusy) draw();
      else waiting ??= clock.after(endsIn, begin);
      taken += bytes;
    },
    hurry: () => {
      waiting?.();
      waiting = null;
    },
  };
}
