import { partsByDay, type SpentAs } from '../../core/history/index.ts';
import type { DayStore } from '../../platform/sqlite/day-store.ts';
import type { Clock } from '../clock.ts';
import type { PatientWrites } from './patient-writes.ts';

/** How often time is counted while nothing changes. If the server is killed, at most this much time is not counted. */
export const COUNT_EVERY_MS = 60_000;
/**
 * The longest plausible time between two counts. If more time has passed, the machine was suspended, and nobody knows
 * what the session did.
 */
const LONGEST_KNOWN_MS = 3 * COUNT_EVERY_MS;

/**
 * Counts how a session spends its time, day by day. Only time during which a server is running is counted, because
 * nobody knows what the session does at other times.
 */
export interface TimeSpent {
  /** Sets how the session spends its time from now on; null if the time must not be counted. */
  change(spent: SpentAs | null): void;
  /** Saves the time that has passed since the last count. */
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
