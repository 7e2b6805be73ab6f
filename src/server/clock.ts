import type { Dispose } from './sessions.ts';

/** Time as the server sees it; `main.ts` gives the real one. Times are Unix milliseconds. */
export interface Clock {
  now(): number;
  /** runs `work` once after so long; never keeps the process alive by itself */
  after(delayMs: number, work: () => void): Dispose;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, work) => {
    const timer = setTimeout(work, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
