import { attentionOf } from './attention.ts';
import type { Session } from './session.ts';

/**
 * Whether a session in a terminal has been done since a time (Unix milliseconds), so that it may be parked. What needs
 * its person is not done, and neither is a question in words. Both times count: the status may be as old as the last
 * server, and a person may have looked at the session since.
 */
export function isDoneSince(session: Session, since: number): boolean {
  const { type, adopted, status, last_activity: activity } = session;
  if (type !== 'screen' || !adopted || attentionOf(session) !== 'done') return false;
  return Math.max(Date.parse(status.since), Date.parse(activity ?? status.since)) <= since;
}

/** Why a session is not parked: what would be lost, or why there is nothing to come back to. */
export const PARKING_REFUSALS = [
  /** CBOS did not launch it, so it does not know how to bring it back */
  'not_launched',
  'working',
  'asking',
  'unknown',
  'attached',
  /** a text stands in its prompt, unsent */
  'draft',
  /** something covers its prompt, and a text may stand below */
  'covered',
  /** a text that was typed has not been read */
  'unread',
  /** texts wait for it, and are about to be sent */
  'queued',
  /** shells, agents or schedules of it go on beside the prompt */
  'background',
  /** Claude Code has saved nothing that it could resume */
  'no_conversation',
] as const;
export type ParkingRefusal = (typeof PARKING_REFUSALS)[number];
