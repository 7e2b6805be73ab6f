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

/** How a clock is set: the boot of the machine, and the wall clock minus the monotonic one, in milliseconds. */
interface Setting {
  boot: string;
  offset_ms: number;
}

/**
 * Reports whether two settings can be compared. The monotonic clock starts again with each boot, and an empty boot is
 * an unknown one.
 */
export function isSameBoot(one: Setting, other: Setting): boolean {
  return one.boot !== '' && one.boot === other.boot;
}

/**
 * Returns the time up to which all of a schedule's times have been decided, on the clock as it is set now. If the clock
 * was set back since the decision, the same moment is earlier on it. Otherwise, times that the clock shows again would
 * neither be run nor be recorded. If the clock was set forward, it has passed the times in between, and they are still
 * to be decided.
 *
 * After a reboot, the only sign of a clock that was set back is a decision in the future. Its moment is not known, so
 * decisions begin at the present.
 */
export function decidedUntil(
  last: { decidedUntil: number; decidedClock: Setting },
  present: { now: number; setting: Setting },
): number {
  const setBackMs = isSameBoot(last.decidedClock, present.setting)
    ? Math.max(0, last.decidedClock.offset_ms - present.setting.offset_ms)
    : 0;
  return Math.min(last.decidedUntil - setBackMs, present.now);
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
