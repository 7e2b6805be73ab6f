import type { ScheduleMissed, ScheduleReason } from '../../protocol/index.ts';
import type { ScheduleTimes } from './times.ts';

/** How late a run may start and still count as on time. The machine may be busy, or the server may be restarting. */
export const ON_TIME_MS = 60_000;

/** How far back to look for times that have not been decided yet. Times before that are not recorded. */
export const LOOK_BACK_MS = 7 * 24 * 3_600_000;

/** The fields that determine the times of a schedule. */
export interface Timed {
  missed: ScheduleMissed;
  isPaused: boolean;
  /** the time up to which all of the schedule's times have been decided, in Unix milliseconds */
  decidedUntil: number;
}

/** The decision about one of a schedule's times. */
export interface DueRun {
  dueAt: number;
  /** why there is no run, or null if the run starts now */
  skipped: ScheduleReason | null;
}

/**
 * Decides, in order, about every time that has passed since the last decision. At most one of those times leads to a
 * run: either the one that is due now or, if the schedule asks for that, the last one that was missed.
 */
export function decideDue(schedule: Timed, times: ScheduleTimes, now: number): DueRun[] {
  const found: number[] = [];
  let at = times.after(Math.max(schedule.decidedUntil, now - LOOK_BACK_MS));
  while (at !== null && at <= now) {
    found.push(at);
    at = times.after(at);
  }
  return found.map((dueAt, index): DueRun => {
    if (schedule.isPaused) return { dueAt, skipped: 'paused' };
    const isLast = index === found.length - 1;
    const isRun = isLast && (now - dueAt <= ON_TIME_MS || schedule.missed === 'run');
    return { dueAt, skipped: isRun ? null : 'missed' };
  });
}

/**
 * Returns when to check a schedule next, or null for never. A paused schedule is checked too, because its times are
 * still recorded.
 */
export function nextDue({ decidedUntil }: Timed, times: ScheduleTimes, now: number): number | null {
  return times.after(Math.max(decidedUntil, now - LOOK_BACK_MS));
}

/** Returns the delivery key for a run. Because of this key, repeated requests lead to only one delivery. */
export function runKey(scheduleId: string, dueAt: number): string {
  return `schedule:${scheduleId}:${dueAt}`;
}
