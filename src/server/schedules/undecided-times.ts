import { decidedUntil } from '../../core/schedules/due.ts';
import { exceptFor, readTimes, type ScheduleTimes } from '../../core/schedules/times.ts';
import type { ScheduleRecord, ScheduleStore } from '../../platform/sqlite/schedule-store.ts';
import type { Clock } from '../clock.ts';

/** The times of saved schedules about which nothing has been decided yet. */
export interface UndecidedTimes {
  /** Returns the schedule's times that are not on record. */
  of(schedule: ScheduleRecord): ScheduleTimes;
  /** Restates when the last decision was made, because the clock may have been set back since then. */
  inPresent(schedule: ScheduleRecord, now: number): ScheduleRecord;
  /** Forgets the pattern of a schedule that was changed or removed. */
  forget(scheduleId: string): void;
}

export function createUndecidedTimes({
  store,
  clock,
}: {
  store: Pick<ScheduleStore, 'isDecided'>;
  clock: Pick<Clock, 'setting'>;
}): UndecidedTimes {
  const read = new Map<string, ScheduleTimes>();
  return {
    of: ({ id, cron, timezone }) => {
      const known = read.get(id);
      if (known !== undefined) return known;
      const all = readTimes(cron, timezone);
      // The times of a saved schedule can become invalid if a system update removes its time zone.
      const times = typeof all === 'string' ? { after: () => null } : exceptFor(all, (at) => store.isDecided(id, at));
      read.set(id, times);
      return times;
    },
    inPresent: (schedule, now) => {
      const setting = clock.setting();
      return { ...schedule, decidedUntil: decidedUntil(schedule, { now, setting }), decidedClock: setting };
    },
    forget: (scheduleId) => void read.delete(scheduleId),
  };
}
