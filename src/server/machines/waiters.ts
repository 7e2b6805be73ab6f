import type { Clock } from '../clock.ts';

/** Those who wait for something that happens at some time. */
export interface Waiters {
  /** Resolves with true when it happens, or with false when the time is up. */
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
