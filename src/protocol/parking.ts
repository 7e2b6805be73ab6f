import { attentionOf } from './attention.ts';
import type { Session } from './session.ts';

/**
 * Reports whether a terminal session has been done since a given time (in Unix milliseconds) and may therefore be
 * parked. A session that needs attention is not done, nor is one at a closing question. Both the status and the user's
 * last look must be older than the given time: the status may date from an earlier server, and the user may have looked
 * at the session since.
 */
export function isDoneSince(session: Session, since: number): boolean {
  const { type, adopted, status, last_activity: activity } = session;
  if (type !== 'screen' || !adopted || attentionOf(session) !== 'done') return false;
  return Math.max(Date.parse(status.since), Date.parse(activity ?? status.since)) <= since;
}

/** Why a session cannot be parked: either something would be lost, or there would be nothing to continue later. */
export const PARKING_REFUSALS = [
  /** CBOS did not launch the session, and therefore does not know how to wake it */
  'not_launched',
  'working',
  'asking',
  'unknown',
  'attached',
  /** its prompt contains unsent text */
  'draft',
  /** something covers its prompt, which may contain text */
  'covered',
  /** text was typed that the session has not read yet */
  'unread',
  /** messages for the session are about to be sent */
  'queued',
  /** its shells, agents, or scheduled tasks are running in the background */
  'background',
  /** Claude Code has not saved a conversation that it could resume */
  'no_conversation',
] as const;
export type ParkingRefusal = (typeof PARKING_REFUSALS)[number];
