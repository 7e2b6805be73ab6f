import type { ScheduleMissed, ScheduleReason } from '../../protocol/index.ts';
import type { ScheduleTimes } from './times.ts';

/** How late a run may begin and still be on time. The machine may be busy, or the server may restart. */
export const ON_TIME_MS = 60_000;

/** How far back to look for times that were not decided yet. Older times are not recorded. */
export const LOOK_BACK_MS = 7 * 24 * 3_600_000;

/** The fields of a schedule that matter for its times. */
export interface Timed {
  missed: ScheduleMissed;
  isPaused: boolean;
  /** the time up to which all its times were decided, in Unix milliseconds */
  decidedUntil: number;
}

/** The decision about one time of a schedule. */
export interface DueRun {
  dueAt: number;
  /** null if it runs now */
  skipped: ScheduleReason | null;
}

/**
 * Decides, in order, about every time of a schedule that has passed since the last decision. At most one of them runs:
 * the one that is due now, or the last missed one if the schedule requests that.
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
 * Returns when to check a schedule next. Null if never. A paused schedule is checked too, because its times are
 * recorded.
 */
export function nextDue({ decidedUntil }: Timed, times: ScheduleTimes, now: number): number | null {
  return times.after(Math.max(decidedUntil, now - LOOK_BACK_MS));
}

/** Returns the key of a run's delivery, so repeated requests lead to only one delivery. */
export function runKey(scheduleId: string, dueAt: number): string {
  return `schedule:${scheduleId}:${dueAt}`;
}
