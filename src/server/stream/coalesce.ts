import type { Clock } from '../clock.ts';

export interface Coalescer {
  /**
   * Requests a run: right away if the last one is long enough ago, or else later, together with all other requests made
   * until then.
   */
  request(): void;
  dispose(): void;
}

/**
 * Runs `work` at most once per interval, the first time at once. A single event is thus handled without delay, a burst
 * costs one run per interval, and silence costs nothing.
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
