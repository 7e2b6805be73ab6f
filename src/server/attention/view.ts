import { type Attended, isUnreadBy } from '../../core/attention/index.ts';
import type { Session } from '../../protocol/index.ts';
import { toTimestamp } from '../session/view.ts';

/** @param slugOf returns the current name of a session; null if the session no longer exists */
export function viewAttended(
  attended: Attended,
  slugOf: (id: string) => string | null,
): Pick<Session, 'unread' | 'marked_unread' | 'news' | 'snoozed'> {
  const { isMarked, news, snooze } = attended;
  return {
    unread: isUnreadBy(attended),
    marked_unread: isMarked,
    news,
    snoozed: snooze && {
      since: toTimestamp(snooze.since),
      until: snooze.until === null ? null : toTimestamp(snooze.until),
      until_asks: snooze.untilAsks,
      until_turn_ends: snooze.untilTurnEnds,
      until_ends: snooze.untilEnds.flatMap((id) => slugOf(id) ?? []),
    },
  };
}
