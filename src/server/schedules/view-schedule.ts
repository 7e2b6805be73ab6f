import type { RunRecord } from '../../platform/sqlite/schedule-store.ts';
import type { Delivery, ScheduleRun } from '../../protocol/index.ts';
import type { ScheduledSessions } from './scheduled-sessions.ts';

/** The session methods that are needed to show a run. */
export type RunSessions = Pick<ScheduledSessions, 'named' | 'delivery' | 'get'>;

/** Returns the delivery of a run's prompt; null if no prompt was sent or the session has been deleted. */
export function deliveryOf(sessions: RunSessions, { sessionId, deliveryId }: RunRecord): Delivery | null {
  const slug = nameOf(sessions, sessionId);
  if (slug === null || deliveryId === null) return null;
  try {
    return sessions.delivery(slug, deliveryId);
  } catch {
    // Sessions do not keep old deliveries, so this one may be gone.
    return null;
  }
}

export function nameOf(sessions: Pick<RunSessions, 'named'>, sessionId: string): string | null {
  return sessions.named().find(({ id }) => id === sessionId)?.name ?? null;
}

export function viewRun(sessions: RunSessions, run: RunRecord): ScheduleRun {
  const { dueAt, at, outcome, reason, triggeredBy, deliveryId, error } = run;
  const delivery = deliveryOf(sessions, run);
  return {
    ...{ due_at: iso(dueAt), at: iso(at), outcome, reason },
    ...{ by_hand: triggeredBy === 'person', triggered_by: triggeredBy },
    session: deliveryId === null && run.launches === null ? null : nameOf(sessions, run.sessionId),
    delivery_id: deliveryId,
    delivery_status: delivery?.status ?? null,
    taken_at: delivery?.status === 'delivered' ? delivery.updated_at : null,
    cost_usd: costOf(sessions, run),
    error,
  };
}

/**
 * Returns the cost of the session that a run has launched. If the session was not launched for this run, the run's
 * share of the cost is unknown.
 */
function costOf(sessions: RunSessions, { launches, sessionId }: RunRecord): number | null {
  const slug = launches === null ? null : nameOf(sessions, sessionId);
  return slug === null ? null : sessions.get(slug).cost_usd;
}

export const iso = (at: number): string => new Date(at).toISOString();
