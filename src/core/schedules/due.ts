import type { ScheduleMissed, ScheduleReason } from '../../protocol/index.ts';
import type { ScheduleTimes } from './times.ts';

/** How late a run may begin and still be on time: a busy machine, a server that restarts. */
export const ON_TIME_MS = 60_000;

/** How far back times are looked for that nobody has decided about. What lies longer ago is not recorded. */
export const LOOK_BACK_MS = 7 * 24 * 3_600_000;

/** A schedule, as far as its times are concerned. */
export interface Timed {
  missed: ScheduleMissed;
  isPaused: boolean;
  /** up to when its times were decided about, in Unix milliseconds */
  decidedUntil: number;
}

/** What becomes of one time of a schedule. */
export interface DueRun {
  dueAt: number;
  /** null: it is run now */
  skipped: ScheduleReason | null;
}

/**
 * Decides about every time of a schedule that has come since the last decision, in order. At most one of them is run:
 * the one that is due now, or of those that were missed the last one, if its schedule says so.
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

/** When a schedule has to be looked at next; null if never. A paused one is looked at too: its times are recorded. */
export function nextDue({ decidedUntil }: Timed, times: ScheduleTimes, now: number): number | null {
  return times.after(Math.max(decidedUntil, now - LOOK_BACK_MS));
}

/** Identifies the delivery of a run: however often it is asked for, there is one. */
export function runKey(scheduleId: string, dueAt: number): string {
  return `schedule:${scheduleId}:${dueAt}`;
}
