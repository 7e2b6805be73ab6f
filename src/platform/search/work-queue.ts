import { setImmediate } from 'node:timers/promises';
import { Emitter } from '../../emitter/emitter.ts';

/**
 * Does one piece of the work. @returns how many milliseconds to wait before continuing, or null when the work is done
 */
export type Work = () => Promise<number | null>;

/**
 * Does one piece of work at a time, in the order in which the pieces are due. Between two pieces, everything else can
 * run.
 */
export interface WorkQueue {
  /**
   * Does the work after a delay. If work with the same name is already waiting, the earlier of the two times counts.
   */
  add(name: string, delayMs: number, work: Work): void;
  remove(isMeant: (name: string) => boolean): void;
  /** resolves once the queue is empty */
  empty(): Promise<void>;
  /** resolves once the current piece of work is done; nothing runs afterwards */
  close(): Promise<void>;
}

/** When to retry work that has failed. The disk may have been full, or a file may have been in the middle of a move. */
const RETRY_MS = 30_000;

export function createWorkQueue({ elapsed, onError }: { elapsed(): number; onError(cause: unknown): void }): WorkQueue {
  const waiting = new Map<string, { dueAt: number; work: Work }>();
  const emptied = new Emitter();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let isClosed = false;

  const wake = (): void => {
    if (running !== null || isClosed) return;
    clearTimeout(timer);
    const next = first();
    if (next === null) {
      tellEmpty();
      return;
    }
    timer = setTimeout(
      () => {
        running = run().finally(() => {
          running = null;
          wake();
        });
      },
      Math.max(0, next.dueAt - elapsed()),
    );
  };
  /** Every waiting caller is notified once. */
  const tellEmpty = (): void => {
    emptied.tell();
    emptied.clear();
  };
  /**
   * Returns the work that is due first. If several pieces are due at the same time, the one that has waited longest
   * comes first.
   */
  const first = (): { name: string; dueAt: number; work: Work } | null => {
    let best: { name: string; dueAt: number; work: Work } | null = null;
    for (const [name, one] of waiting) if (best === null || one.dueAt < best.dueAt) best = { name, ...one };
    return best;
  };
  const run = async (): Promise<void> => {
    for (let next = first(); next !== null && next.dueAt <= elapsed() && !isClosed; next = first()) {
      waiting.delete(next.name);
      const again = await next.work().catch((cause: unknown) => {
        onError(cause);
        return RETRY_MS;
      });
      if (again !== null) put(next.name, again, next.work);
      await setImmediate();
    }
  };
  const put = (name: string, delayMs: number, work: Work): void => {
    const dueAt = elapsed() + delayMs;
    const before = waiting.get(name);
    if (before === undefined || before.dueAt > dueAt) waiting.set(name, { dueAt, work });
  };

  return {
    add: (name, delayMs, work) => {
      put(name, delayMs, work);
      wake();
    },
    remove: (isMeant) => {
      for (const name of [...waiting.keys()]) if (isMeant(name)) waiting.delete(name);
    },
    empty: () =>
      waiting.size === 0 && running === null
        ? Promise.resolve()
        : new Promise((resolve) => {
            emptied.on(resolve);
          }),
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await running;
      tellEmpty();
    },
  };
}
