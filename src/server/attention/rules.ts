import type { SnoozeRule } from '../../core/attention/index.ts';
import { CatalogueError, type NewSnooze, type Session } from '../../protocol/index.ts';

interface Asked {
  /** the session that will be snoozed */
  session: Session;
  now: number;
  /** @throws CatalogueError no_such_session */
  of(slug: string): { id: string; session: Session };
}

/**
 * Reads the conditions that end a snooze.
 * @throws CatalogueError time_passed, session_dead, no_such_session for a snooze that would never end or never begin
 */
export function readRule(request: NewSnooze, { session, now, of }: Asked): SnoozeRule {
  const until = request.until === undefined ? null : Date.parse(request.until);
  if (until !== null && until <= now) throw new CatalogueError('time_passed', `${request.until} has passed`);
  const awaited = (request.until_ends ?? []).map(of);
  for (const { session: other } of awaited) requireAlive(other, `${other.slug} is already stopped, so it cannot end`);
  const hasRule = request.until_asks === true || request.until_turn_ends === true;
  const isBare = !hasRule && until === null && awaited.length === 0;
  if (until === null && awaited.length === 0)
    requireAlive(session, `${session.slug} is stopped, so it can neither ask nor end a turn`);
  return {
    since: now,
    until,
    untilAsks: request.until_asks ?? isBare,
    untilTurnEnds: request.until_turn_ends ?? isBare,
    untilEnds: awaited.map(({ id }) => id),
  };
}

function requireAlive({ slug, status }: Session, message: string): void {
  if (status.primary !== 'dead') return;
  const hint = `Snooze until a time, as in \`--until 17:00\`, or \`cbos restart ${slug}\` first`;
  throw new CatalogueError('session_dead', message, { hint });
}
