/** Carries out recorded runs. Every step may be repeated after a crash, but takes effect only once. */

import { isAtWork } from '../../core/schedules/launches.ts';
import type { RunRecord, ScheduleRecord } from '../../platform/sqlite/schedule-store.ts';
import { CatalogueError, type NewSession, type ScheduleLaunch, type Send } from '../../protocol/index.ts';
import type { Logger } from '../logger.ts';
import type { ScheduledSessions } from './scheduled-sessions.ts';
import { nameOf } from './view-schedule.ts';

/** The outcome of a run. */
export type Ended = Pick<RunRecord, 'sessionId' | 'outcome' | 'reason' | 'deliveryId' | 'error'>;

export interface CarryOutOptions {
  sessions: ScheduledSessions;
  log: Logger;
}

/**
 * Sends the prompt of a run. If the schedule uses a new session for each run, the session is launched first.
 * @param request the prompt, with the idempotency key that prevents a second delivery
 */
export async function carryOut(
  { sessions, log }: CarryOutOptions,
  { launch }: ScheduleRecord,
  { run, request }: { run: RunRecord; request: Send },
): Promise<Ended> {
  const none = { sessionId: run.sessionId, deliveryId: null, reason: null };
  try {
    if (run.launches === null || launch === null) {
      const slug = nameOf(sessions, run.sessionId);
      if (slug === null) return { ...none, outcome: 'failed', error: 'its session was deleted' };
      const { id } = await sessions.send(slug, request);
      return { ...none, outcome: 'sent', deliveryId: id, error: null };
    }
    const over = sessions.overBudget(launch.tags ?? []);
    const isThere = sessions.named().some(({ name }) => name === run.launches);
    if (over !== null && !isThere) return { ...none, outcome: 'skipped', reason: 'over_budget', error: null };
    const { id } = await sendToNew(sessions, { slug: run.launches, launch, request });
    return { ...none, sessionId: sessions.idOf(run.launches), outcome: 'sent', deliveryId: id, error: null };
  } catch (cause) {
    if (!(cause instanceof CatalogueError)) log.error({ err: cause }, 'a schedule could not be run');
    const error = cause instanceof Error ? cause.message : String(cause);
    const found = sessions.named().find(({ name }) => name === run.launches);
    const sessionId = found?.id ?? run.sessionId;
    return cause instanceof CatalogueError && cause.code === 'not_accepting_text'
      ? { ...none, sessionId, outcome: 'skipped', reason: 'refused', error }
      : { ...none, sessionId, outcome: 'failed', error };
  }
}

/**
 * Launches a session for a run, and sends the prompt to it. If a killed server had already launched the session, only
 * the prompt is sent, after the session has been restarted if necessary.
 */
async function sendToNew(
  sessions: ScheduledSessions,
  { slug, launch, request }: { slug: string; launch: ScheduleLaunch; request: Send },
): Promise<{ id: string }> {
  const isThere = sessions.named().some(({ name }) => name === slug);
  if (!isThere) await sessions.create(newSession(slug, launch));
  // If the server was killed right after the launch, the session has no tags yet. They are added now, because a budget
  // may apply to them.
  else if (launch.tags !== undefined && launch.tags.length > 0) sessions.tag(slug, { add: launch.tags });
  try {
    return await sessions.send(slug, request);
  } catch (cause) {
    if (!isThere || sessions.get(slug).status.primary !== 'dead') throw cause;
    await sessions.restart(slug);
    return sessions.send(slug, request);
  }
}

/** Returns the request that launches a schedule's session. */
export function newSession(slug: string, { name, overlap, keep, worktree, ...launch }: ScheduleLaunch): NewSession {
  return { slug, ...launch, ...(worktree === undefined ? {} : { worktree }) };
}

/**
 * Parks and archives a schedule's oldest sessions, so that only as many remain listed as the schedule is set to keep. A
 * session remains listed if it is working, is asking something, or would lose something, and is checked again after the
 * next run.
 * @param launched the ids of the schedule's sessions, oldest first
 */
export async function tidy(
  { sessions, log }: CarryOutOptions,
  { launched, keep }: { launched: readonly string[]; keep: number },
): Promise<void> {
  const there = launched.flatMap((id) => nameOf(sessions, id) ?? []);
  for (const slug of there.slice(0, -keep)) {
    const { status, parked_at: parkedAt, archived_at: archivedAt, type } = sessions.get(slug);
    if (archivedAt !== null || isAtWork({ status, parked_at: parkedAt })) continue;
    try {
      // Only a terminal session can be parked, so a JSON session is stopped instead.
      if (status.primary !== 'dead' && parkedAt === null)
        await (type === 'screen' ? sessions.park : sessions.kill)(slug);
      sessions.archive(slug);
    } catch (cause) {
      if (!(cause instanceof CatalogueError)) throw cause;
      log.info({ slug, code: cause.code }, "a schedule's older session stays listed");
    }
  }
}
