import type { Clock } from '../clock.ts';

/** Lets callers wait until `wake` is called. */
export interface Waiters {
  /** Resolves with true when `wake` is called, or with false when the time limit is reached first. */
  wait(limitMs: number): Promise<boolean>;
  wake(): void;
}

export function createWaiters(clock: Pick<Clock, 'after'>): Waiters {
  const waiting = new Set<() => void>();
  return {
    wait: (limitMs) =>
      new Promise((resolve) => {
        const settle = (hasHappened: boolean): void => {
          stop();
          waiting.delete(wake);
          resolve(hasHappened);
        };
        const wake = (): void => settle(true);
        const stop = clock.after(limitMs, () => settle(false));
        waiting.add(wake);
      }),
    wake: () => {
      for (const wake of waiting) wake();
    },
  };
}
