import { attentionOf } from './attention.ts';
import type { Session } from './session.ts';

/**
 * Reports whether a terminal session has been done since a given time (Unix milliseconds) and may therefore be parked.
 * A session that needs attention is not done, and neither is one at a closing question. Both times count: the status
 * may be as old as the last server, and a user may have looked at the session since then.
 */
export function isDoneSince(session: Session, since: number): boolean {
  const { type, adopted, status, last_activity: activity } = session;
  if (type !== 'screen' || !adopted || attentionOf(session) !== 'done') return false;
  return Math.max(Date.parse(status.since), Date.parse(activity ?? status.since)) <= since;
}

/** Why a session is not parked: something would be lost, or there is nothing to continue. */
export const PARKING_REFUSALS = [
  /** CBOS did not launch it, so CBOS does not know how to wake it */
  'not_launched',
  'working',
  'asking',
  'unknown',
  'attached',
  /** its prompt contains an unsent text */
  'draft',
  /** something covers its prompt, and text may be below it */
  'covered',
  /** the session has not read text that was typed */
  'unread',
  /** messages are waiting for it and are about to be sent */
  'queued',
  /** its shells, agents, or schedules are running in the background */
  'background',
  /** Claude Code has not saved anything that it could resume */
  'no_conversation',
] as const;
export type ParkingRefusal = (typeof PARKING_REFUSALS)[number];
