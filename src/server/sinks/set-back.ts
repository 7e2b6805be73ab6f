import type { OutboxMessage, OutboxStore } from '../../platform/sqlite/outbox-store.ts';

/**
 * How far back to look for a message that may have been sent by a clock that was ahead by an unknown time: as long as
 * an ntfy server keeps messages at most, by default.
 */
const SENT_WITHIN_MS = 12 * 3_600_000;

/** Moves the times of all unfinished messages after the clock was set back. @param moved as in {@link setBack} */
export function setAllBack(store: OutboxStore, sinkIds: readonly string[], moved: { byMs: number; now: number }): void {
  for (const message of sinkIds.flatMap((id) => store.unfinished(id))) {
    const next = setBack(message, moved);
    if (next !== null) store.save(next);
  }
}

/**
 * Returns a message with its times on a clock that was set back, or null if they stay the same. Otherwise, CBOS would
 * wait until the clock has caught up, and would look for a message that may have arrived only among later ones.
 * @param byMs by how much the clock was set back; 0 if that is unknown, because no server was running
 */
export function setBack(message: OutboxMessage, { byMs, now }: { byMs: number; now: number }): OutboxMessage | null {
  const move = (at: number): number => Math.min(at - byMs, now);
  const moveSent = (at: number): number => (at - byMs <= now ? at - byMs : now - SENT_WITHIN_MS);
  const { openedAt, changedAt, retryAt, unsureSince } = message;
  const isAhead = [openedAt, changedAt, unsureSince ?? 0].some((at) => at > now);
  if (byMs === 0 && !isAhead) return null;
  return {
    ...message,
    openedAt: move(openedAt),
    changedAt: moveSent(changedAt),
    // Attempts are in the future anyway. If the step is unknown, the next one is made now.
    retryAt: retryAt === null ? null : byMs === 0 ? now : retryAt - byMs,
    unsureSince: unsureSince === null ? null : moveSent(unsureSince),
  };
}
