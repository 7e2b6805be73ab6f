import type { Clock } from '../clock.ts';
import type { Dispose } from '../sessions.ts';

/**
 * How long to gather output while a session writes a lot. The session's status may be late by this much. With little
 * output, the delay is half as long, because the screen is read at most every 40 ms. Both are short compared with the
 * 150 ms for which a reading must last before it counts as the end of a turn.
 */
const GATHER_MS = 80;
/**
 * Gathered output is drawn at multiples of this time, for all sessions together. Each round of drawing that needs a
 * time limit starts a thread, after a check that another thread can be started. Without this grid, twenty sessions
 * would cause that two hundred times a second.
 */
const GRID_MS = 40;
/**
 * How much output within `GATHER_MS` counts as a lot. Of 19,000 writes by 15 versions of Claude Code, this limit would
 * delay 34 writes, but a limit of 2,000 bytes would delay 500. These include the steps of the spinner's highlight,
 * whose pace shows what a turn is doing (2.0.30).
 */
const LITTLE_BYTES = 3_000;

/** Decides when the output of one session is drawn. */
export interface DrawingPace {
  /** Notes that output has arrived. Calls `draw` immediately, or after more output has been gathered. */
  take(bytes: number): void;
  /** Reports whether output is gathered at the moment. */
  isBusy(): boolean;
  /** Stops gathering, because the caller is about to draw everything. */
  hurry(): void;
}

/**
 * Creates the drawing pace of one session. A session that writes little is drawn after every write. A session that
 * writes a lot without pausing is drawn every 80 ms, together with others, because nothing needs its status more often
 * and drawing many small writes one by one takes several times as long.
 */
export function createDrawingPace(clock: Clock, draw: () => void): DrawingPace {
  /** when the current time span began, and how much output has arrived in it */
  let beganAt = Number.NEGATIVE_INFINITY;
  let taken = 0;
  /** whether a lot of output arrived in the previous time span */
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
    isBusy: () => isBusy,
    hurry: () => {
      waiting?.();
      waiting = null;
    },
  };
}
