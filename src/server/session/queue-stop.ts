import type { DeliveryStore } from '../../platform/sqlite/delivery-store.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { StashStore } from '../../platform/sqlite/stash-store.ts';
import type { Clock } from '../clock.ts';

/** The parts of a session that are needed to pause and resume its queue. */
interface QueueOwner {
  readonly record: Pick<SessionRecord, 'id' | 'queueStoppedAt'>;
  readonly deps: {
    readonly deliveries: Pick<DeliveryStore, 'withStatus'>;
    readonly stash: Pick<StashStore, 'list'>;
    readonly clock: Clock;
  };
  update(change: Pick<SessionRecord, 'queueStoppedAt'>): void;
  commit(change: Pick<SessionRecord, 'queueStoppedAt'>): void;
  lookAgain(): void;
}

/**
 * Pauses the queue after an interrupt. Until a person resumes the queue, no queued prompt and no stashed reply is sent
 * automatically.
 */
export function stopQueue(session: QueueOwner): void {
  session.update({ queueStoppedAt: session.deps.clock.now() });
}

/** @throws while the home is not writable, in which case nothing is sent */
export function resumeQueue(session: QueueOwner): void {
  session.commit({ queueStoppedAt: null });
  session.lookAgain();
}

export function isQueueStopped({ record }: QueueOwner): boolean {
  return record.queueStoppedAt !== null;
}

/** Returns when the queue was paused, in Unix milliseconds; null if it is not paused or nothing is waiting in it. */
export function queueStoppedSince(session: QueueOwner): number | null {
  return isQueueStopped(session) && hasWaiting(session) ? session.record.queueStoppedAt : null;
}

/** Returns how to resume the queue that an interrupt without a known effect has paused, if it is paused. */
export function pausedHint(session: QueueOwner & { readonly slug: string }): string[] {
  if (queueStoppedSince(session) === null) return [];
  return [`the queue is paused, and \`cbos queue resume ${session.slug}\` resumes it`];
}

/**
 * Ends an old pause before a new prompt is accepted, if nothing is waiting in the paused queue any more. Otherwise the
 * new prompt would be held for no reason.
 */
export function forgetOldStop(session: QueueOwner): void {
  if (isQueueStopped(session) && !hasWaiting(session)) session.update({ queueStoppedAt: null });
}

function hasWaiting({ record: { id }, deps: { deliveries, stash } }: QueueOwner): boolean {
  if (deliveries.withStatus(id, 'queued').length > 0) return true;
  return stash.list(id).some(({ when, appliedAt }) => when === 'next_waiting' && appliedAt === null);
}
