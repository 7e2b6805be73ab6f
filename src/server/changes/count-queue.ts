import type { Clock } from '../clock.ts';
import type { Dispose } from '../sessions.ts';

/**
 * How long a folder is left alone after a count, as a multiple of the time that the count took. Therefore counting a
 * folder takes up at most a fifth of the time, even if turns end quickly in a repository so large that a count takes a
 * second.
 */
const REST_OF_FOLDER = 4;
/**
 * The same multiple for counts in the middle of a turn, across all folders. Such counts take up at most a tenth of one
 * processor.
 */
const REST_AFTER_LATER = 9;
/**
 * The shortest time between two counts of the same folder in the middle of a turn. Nobody could read counts that change
 * faster.
 */
const LEAST_REST_MS = 5_000;

export interface CountQueueOptions {
  clock: Pick<Clock, 'elapsed' | 'after'>;
  /** counts the changes in a folder; the promise never rejects */
  count(folder: string): Promise<void>;
}

export interface CountQueue {
  /**
   * @param when `now` counts the folder before all others, because a turn has ended; `later` counts it at the slower
   * pace
   */
  request(folder: string, when: 'now' | 'later'): void;
  /** Resolves when no count is running any more. */
  dispose(): Promise<void>;
}

/** Counts the folders one at a time. Several requests for the same waiting folder lead to a single count. */
export function createCountQueue({ clock, count }: CountQueueOptions): CountQueue {
  const due = new Map<string, 'now' | 'later'>();
  /** when a folder may be counted again, after a turn and in the middle of a turn */
  const rests = new Map<string, { now: number; later: number }>();
  let laterFrom = 0;
  let running: Promise<void> | null = null;
  let stopTimer: Dispose | null = null;
  let isDisposed = false;

  function startsAt(folder: string, when: 'now' | 'later'): number {
    const rest = rests.get(folder);
    return when === 'now' ? (rest?.now ?? 0) : Math.max(laterFrom, rest?.later ?? 0);
  }

  function next(): { folder: string; when: 'now' | 'later'; at: number } | null {
    const all = [...due].map(([folder, when]) => ({ folder, when, at: startsAt(folder, when) }));
    const at = clock.elapsed();
    const ready = all.filter((one) => one.at <= at);
    const first = ready.find(({ when }) => when === 'now') ?? ready[0];
    return first ?? all.toSorted((one, other) => one.at - other.at)[0] ?? null;
  }

  function work(): void {
    if (isDisposed || running !== null) return;
    stopTimer?.();
    stopTimer = null;
    const one = next();
    if (one === null) return;
    const began = clock.elapsed();
    if (one.at > began) {
      stopTimer = clock.after(one.at - began, work);
      return;
    }
    due.delete(one.folder);
    running = count(one.folder).then(() => {
      running = null;
      const end = clock.elapsed();
      const took = end - began;
      if (one.when === 'later') laterFrom = end + took * REST_AFTER_LATER;
      const rest = took * REST_OF_FOLDER;
      rests.set(one.folder, { now: end + rest, later: end + Math.max(LEAST_REST_MS, rest) });
      forgetRested(end);
      work();
    });
  }

  function forgetRested(at: number): void {
    for (const [folder, { later }] of rests) if (later <= at) rests.delete(folder);
  }

  return {
    request: (folder, when) => {
      if (isDisposed) return;
      if (due.get(folder) !== 'now') due.set(folder, when);
      work();
    },
    dispose: async () => {
      isDisposed = true;
      stopTimer?.();
      await running;
    },
  };
}
