import { isAtWork, nextName } from '../../core/schedules/launches.ts';
import type { RunRecord, ScheduleRecord, ScheduleStore } from '../../platform/sqlite/schedule-store.ts';
import type { ScheduleReason, ScheduleTriggeredBy } from '../../protocol/index.ts';
import type { ScheduledSessions } from './scheduled-sessions.ts';
import { deliveryOf, nameOf } from './view-schedule.ts';

/** Plans the runs of schedules: what a run will do, and whether the previous run prevents it. */
export interface RunPlanner {
  newRun(
    schedule: ScheduleRecord,
    about: { dueAt: number; now: number; reason: ScheduleReason | null; triggeredBy: ScheduleTriggeredBy },
  ): RunRecord;
  /**
   * Returns why the next run must be skipped: the prompt of the last run is still waiting, or the most recently
   * launched session is not done. Returns null if nothing prevents the run.
   */
  overlapOf(schedule: ScheduleRecord): ScheduleReason | null;
  /** Returns the ids of the sessions that a schedule has launched, oldest first. */
  launchedBy(scheduleId: string): string[];
}

export function createRunPlanner({
  store,
  sessions,
}: {
  store: Pick<ScheduleStore, 'runs' | 'lastSent'>;
  sessions: ScheduledSessions;
}): RunPlanner {
  const launchedBy = (id: string): string[] =>
    store.runs(id).flatMap(({ launches, sessionId }) => (launches === null || sessionId === '' ? [] : [sessionId]));

  function freeName(scheduleId: string, base: string): string {
    const taken = new Set(sessions.named().map(({ name }) => name));
    const used = store.runs(scheduleId).map(({ launches }) => launches);
    return nextName(base, used, (name) => taken.has(name));
  }

  return {
    launchedBy,
    newRun: ({ id: scheduleId, sessionId, launch, prompt }, { dueAt, now, reason, triggeredBy }) => {
      const none = { scheduleId, dueAt, at: now, sessionId, triggeredBy, deliveryId: null, error: null };
      if (reason !== null) return { ...none, launches: null, prompt: null, outcome: 'skipped', reason };
      const launches = launch === null ? null : freeName(scheduleId, launch.name);
      return { ...none, launches, prompt, outcome: 'begun', reason: null };
    },
    overlapOf: ({ id, launch }) => {
      const last = store.lastSent(id);
      if (last?.outcome === 'begun') return 'overlapping';
      if (launch?.overlap === 'launch') return null;
      if (last !== null && deliveryOf(sessions, last)?.status === 'queued') return 'overlapping';
      if (launch === null) return null;
      // The check includes a session whose prompt was taken back because the session was asking for its set-up.
      const slug = nameOf(sessions, launchedBy(id).at(-1) ?? '');
      return slug !== null && isAtWork(sessions.get(slug)) ? 'working' : null;
    },
  };
}
