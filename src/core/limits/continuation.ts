import type { RateLimit } from '../../protocol/index.ts';
import { type DeliveryContext, decideDelivery } from '../delivery/decide.ts';
import { endOfLimit, type Millis } from '../status/index.ts';

/**
 * How long CBOS leaves a session alone after its limit has ended. Claude Code that continues by itself does so 60 to
 * 75 s after the end, at a moment of its own choice (2.1.330); whoever is first, the other one does nothing.
 */
export const GRACE_MS = 5 * 60_000;

/** The least time between two continuations of a fleet: all of them at once would spend the next limit together. */
export const SPACING_MS = 20_000;

/**
 * How long after its end a limit still gives a reason to continue. It covers a night with the machine asleep; what lay
 * for longer, a person has forgotten or given up.
 */
export const LATEST_MS = 12 * 60 * 60_000;

/** What is sent once after a limit. */
export const CONTINUE_TEXT =
  'The usage limit has ended. Continue the task that it stopped; do not repeat work that is already complete.';

/** How the key of each continuation begins. */
export const CONTINUATION = 'limit:';

/** Identifies the limit in a session's journal of deliveries, where each key has one delivery, whatever happens. */
export function continuationKey({ kind, resets_at: resetsAt }: RateLimit): string {
  return `${CONTINUATION}${kind ?? 'usage'}:${resetsAt}`;
}

/** When a session may be continued; null if it must not be, because the end is unknown or long past. */
export function continuationDue(limit: RateLimit, now: Millis): Millis | null {
  const endsAt = endOfLimit(limit);
  if (endsAt === null || now > endsAt + LATEST_MS) return null;
  return endsAt + GRACE_MS;
}

/**
 * Whether the text may be typed now, as the next prompt of a session that rests. Whatever stands in the way (a draft, a
 * dialog, a queue that is paused, a text that waits already) is somebody's, and ends the matter.
 */
export function mayContinue(context: DeliveryContext, waitingTexts: number): boolean {
  if (context.isQueueStopped || context.draft !== null || waitingTexts > 0) return false;
  const request = { text: CONTINUE_TEXT, command: false, force: false, queue: false };
  const decision = decideDelivery(context, request);
  return decision.kind === 'type' && decision.confirm === 'turn';
}
