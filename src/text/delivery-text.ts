import type { BroadcastResult, Delivery } from '../protocol/index.ts';
import { cleanLine } from './terminal-text.ts';

/** What became of a text, in a line that begins with its session. */
export function deliveryLine({ session, status, removed, note }: Delivery): string {
  const words: Readonly<Record<Delivery['status'], string>> = {
    delivered: 'took it',
    queued: 'gets it as soon as it is ready',
    sent: 'was typed into; Claude Code has not confirmed it yet',
    unknown: `may or may not have got it; cbos attach ${session} shows`,
    cancelled: 'does not get it: it was cancelled',
    failed: `did not get it; cbos attach ${session} shows why`,
  };
  const cleaned = removed > 0 ? ` (${removed} control characters were taken out)` : '';
  return cleanLine(`${session} ${words[status] ?? status}${cleaned}${note === null ? '' : `. ${note}`}`);
}

/** What became of a broadcast in one of its sessions. */
export function broadcastLine({ session, delivery, error }: BroadcastResult): string {
  if (delivery !== undefined) return deliveryLine(delivery);
  const why = error === undefined ? '' : `: ${error.message} — ${error.hint.replace(/\bSLUG\b/g, session)}`;
  return cleanLine(`${session} does not get it${why}`);
}
