import type { Clock } from '../clock.ts';

export interface Coalescer {
  /**
   * Requests a run. If the last run is long enough ago, `work` runs right away. Otherwise it runs at the end of the
   * interval, once for all requests made until then.
   */
  request(): void;
  dispose(): void;
}

/**
 * Runs `work` at most once per interval, and without delay at the first request. Therefore a single event is handled
 * immediately, a burst causes one run per interval, and nothing runs while there are no events.
 */
export function coalesce(options: { clock: Clock; intervalMs: number; work(): void }): Coalescer {
  const { clock, intervalMs, work } = options;
  let stop: (() => void) | null = null;
  let asked = false;
  const run = (): void => {
    asked = false;
    stop = clock.after(intervalMs, () => {
      stop = null;
      if (asked) run();
    });
    work();
  };
  return {
    request: () => {
      if (stop === null) run();
      else asked = true;
    },
    dispose: () => {
      stop?.();
      stop = null;
      asked = false;
    },
  };
}
