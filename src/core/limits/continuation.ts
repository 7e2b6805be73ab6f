import type { RateLimit } from '../../protocol/index.ts';
import { type DeliveryContext, decideDelivery } from '../delivery/decide.ts';
import { endOfLimit, type Millis } from '../status/index.ts';

/**
 * How long CBOS leaves a session alone after its limit has ended. If Claude Code continues on its own, it does so at a
 * random moment 60 to 75 s after the end of the limit (2.1.330). Once either of them has continued the session, the
 * other does nothing.
 */
export const GRACE_MS = 5 * 60_000;

/**
 * The minimum time between two continuations in a fleet. If all sessions continued at the same time, together they
 * would use up the next limit.
 */
export const SPACING_MS = 20_000;

/**
 * How long after the end of a limit CBOS may still continue a session. This is long enough for a night during which the
 * machine sleeps. If a task has been stopped for longer, its user has probably forgotten or abandoned it.
 */
export const LATEST_MS = 12 * 60 * 60_000;

/** The text that CBOS sends once after a limit. */
export const CONTINUE_TEXT =
  'The usage limit has ended. Continue the task that it stopped; do not repeat work that is already complete.';

/** What the key of each continuation begins with. */
export const CONTINUATION = 'limit:';

/**
 * Returns the key that identifies a limit in a session's delivery journal. The journal accepts only one delivery per
 * key.
 */
export function continuationKey({ kind, resets_at: resetsAt }: RateLimit): string {
  return `${CONTINUATION}${kind ?? 'usage'}:${resetsAt}`;
}

/**
 * Returns when CBOS may continue a session, or null if it must not, because the limit ended too long ago or its end is
 * unknown.
 */
export function continuationDue(limit: RateLimit, now: Millis): Millis | null {
  const endsAt = endOfLimit(limit);
  if (endsAt === null || now > endsAt + LATEST_MS) return null;
  return endsAt + GRACE_MS;
}

/**
 * Returns the percentage that is left of the limit closest to exhaustion, as last reported by sessions. Limits that
 * have ended are ignored, because nothing is known about the period that follows. Returns null if nothing is known.
 */
export function leastLeft(reported: readonly (RateLimit | null)[], now: Millis): number | null {
  const left = reported.flatMap((limit) => {
    const endsAt = limit === null ? null : endOfLimit(limit);
    if (limit === null || limit.utilization === null || endsAt === null || endsAt <= now) return [];
    return [Math.max(0, Math.round(100 - 100 * limit.utilization))];
  });
  return left.length === 0 ? null : Math.min(...left);
}

/**
 * Reports whether CBOS may now type the message as the next prompt of an idle session. Any obstacle (a draft, a dialog,
 * a paused queue, a waiting message) shows that a user or a program is using the prompt, so CBOS does not continue the
 * session in that case.
 */
export function mayContinue(context: DeliveryContext, waitingTexts: number): boolean {
  if (context.isQueueStopped || context.draft !== null || waitingTexts > 0) return false;
  const request = { text: CONTINUE_TEXT, command: false, force: false, queue: false };
  const decision = decideDelivery(context, request);
  return decision.kind === 'type' && decision.confirm === 'turn';
}
