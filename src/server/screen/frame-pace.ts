import type { Clock } from '../clock.ts';
import type { Dispose } from '../sessions.ts';

/**
 * The minimum time between two readings of the screen while output flows. The first output after a pause is read at
 * once.
 */
const FRAME_INTERVAL_MS = 40;

/** Decides when a changed screen is read: a burst of output is read a few times instead of a thousand times. */
export interface FramePace {
  /** Reads the screen now if it has been quiet, or else at the end of the interval. */
  readSoon(): void;
  readNow(): void;
  /** Reports whether a reading is due at the end of the interval. */
  isDue(): boolean;
  /** Cancels the pending reading. */
  stop(): void;
}

/** @param read reads the screen, which has looked like this since `at` */
export function createFramePace(clock: Clock, read: (at: number) => void): FramePace {
  let due: Dispose | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  const stop = (): void => {
    due?.();
    due = null;
  };
  const readNow = (): void => {
    stop();
    readAt = clock.elapsed();
    read(clock.now());
  };
  return {
    readSoon: () => {
      if (due !== null) return;
      const wait = Math.max(0, readAt + FRAME_INTERVAL_MS - clock.elapsed());
      if (wait === 0) readNow();
      else due = clock.after(wait, readNow);
    },
    readNow,
    isDue: () => due !== null,
    stop,
  };
}
