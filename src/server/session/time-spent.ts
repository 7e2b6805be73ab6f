import { partsByDay, type SpentAs } from '../../core/history/index.ts';
import type { DayStore } from '../../platform/sqlite/day-store.ts';
import type { Clock } from '../clock.ts';
import type { PatientWrites } from './patient-writes.ts';

/** How often time is counted while nothing changes: a kill of the server costs no more than this. */
export const COUNT_EVERY_MS = 60_000;
/** Longer than this between two counts the machine stood still: what the session did then nobody knows. */
const LONGEST_KNOWN_MS = 3 * COUNT_EVERY_MS;

/**
 * Counts how a session spends its time, by day. Only what a running server has seen: what it did without one is not
 * known.
 */
export interface TimeSpent {
  /** from now on it spends its time so; null: that counts as nothing */
  change(spent: SpentAs | null): void;
  /** writes down what has passed */
  count(): void;
}

export function createTimeSpent({
  clock,
  days,
  write,
  sessionId,
}: {
  clock: Clock;
  days: DayStore;
  write: PatientWrites['write'];
  sessionId: string;
}): TimeSpent {
  let current: SpentAs | null = null;
  let countedTo = clock.elapsed();
  const count = (): void => {
    const elapsed = clock.elapsed();
    const passedMs = elapsed - countedTo;
    countedTo = elapsed;
    if (current === null || passedMs > LONGEST_KNOWN_MS) return;
    const spent = current;
    const now = clock.now();
    for (const { day, ms } of partsByDay(now - passedMs, now)) write(() => days.add(sessionId, day, spent, ms));
  };
  return {
    count,
    change: (spent) => {
      if (spent === current) return;
      count();
      current = spent;
    },
  };
}
