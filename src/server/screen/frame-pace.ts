import type { Clock } from '../clock.ts';
import type { Dispose } from '../sessions.ts';

/**
 * The shortest time between two readings of the screen while output keeps arriving. The first output after a pause is
 * read immediately.
 */
const FRAME_INTERVAL_MS = 40;

/** Decides when a changed screen is read, so that a burst of output causes a few readings rather than a thousand. */
export interface FramePace {
  /** Reads the screen immediately if the last reading is long enough ago, or else at the end of the interval. */
  readSoon(): void;
  readNow(): void;
  /** Reports whether a reading is pending for the end of the interval. */
  isDue(): boolean;
  /** Cancels the pending reading. */
  stop(): void;
}

/** @param read reads the screen; `at` is the time since which the screen has looked like this */
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
