import type { BroadcastResult, Delivery } from '../protocol/index.ts';
import { cleanLine } from './terminal-text.ts';

/** Returns a line with a session's name and the outcome of the delivery to it. */
export function deliveryLine({ session, status, removed, note }: Delivery): string {
  const words: Readonly<Record<Delivery['status'], string>> = {
    delivered: `Sent to ${session}`,
    queued: `${session}: queued; CBOS sends it as soon as the session is ready`,
    sent: `Typed into ${session}; Claude Code has not confirmed the prompt yet`,
    unknown: `${session}: the prompt may or may not have arrived; cbos buffer ${session} shows what happened`,
    cancelled: `${session}: cancelled, not sent`,
    failed: `${session}: not sent; cbos buffer ${session} shows why`,
  };
  const cleaned = removed > 0 ? ` (${removed} control characters were removed)` : '';
  return cleanLine(`${words[status] ?? `${session}: ${status}`}${cleaned}${note === null ? '' : `. ${note}`}`);
}

/** Returns the outcome of a broadcast for one of the sessions. */
export function broadcastLine({ session, delivery, error }: BroadcastResult): string {
  if (delivery !== undefined) return deliveryLine(delivery);
  const why = error === undefined ? '' : `. ${error.message} — ${error.hint.replace(/\bSLUG\b/g, session)}`;
  return cleanLine(`${session}: not sent${why}`);
}
