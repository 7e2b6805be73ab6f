import type { Clock } from '../clock.ts';
import type { Dispose } from '../sessions.ts';

/**
 * How long output is gathered while a session writes a lot. Its status may be late by this much. With little output,
 * the delay is half as long, because the screen is read at most every 40 ms. A reading must hold for 150 ms before it
 * counts as the end of a turn, so this delay is the smaller one.
 */
const GATHER_MS = 80;
/**
 * Gathered output is drawn at multiples of this time, for all sessions at once. Each watched round of drawing starts a
 * thread and counts the available threads. Without the grid, twenty sessions would do so two hundred times a second.
 */
const GRID_MS = 40;
/**
 * How much output within `GATHER_MS` counts as a lot. Of 19,000 writes by 15 versions of Claude Code, this limit would
 * delay 34 writes. A limit of 2,000 bytes would delay 500 of these writes. Among them are the steps of the spinner's
 * highlight, whose pace shows what a turn is doing (2.0.30).
 */
const LITTLE_BYTES = 3_000;

/** Decides when the output of one session is drawn. */
export interface DrawingPace {
  /** Registers output. Calls `draw` now, or after more output has been gathered. */
  take(bytes: number): void;
  /** Stops gathering, because everything is drawn now. */
  hurry(): void;
}

/**
 * Creates the pace of a session. A session that writes little is drawn with every write. A session that writes a lot
 * without a pause is drawn every 80 ms, together with others. Nothing reads its status more often, and drawing many
 * small writes one by one costs several times as much.
 */
export function createDrawingPace(clock: Clock, draw: () => void): DrawingPace {
  /** when the current time span began, and how much output it has brought */
  let beganAt = Number.NEGATIVE_INFINITY;
  let taken = 0;
  /** whether the previous span brought a lot of output */
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
