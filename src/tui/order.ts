import type { SessionView } from '../client/index.ts';
import type { Session, State } from '../protocol/index.ts';
import { sessionGist, stateText } from '../text/session-words.ts';

/** Those who wait for the person come first, then what went wrong, what works, what rests, what is over. */
const RANKS: Readonly<Record<State, number>> = {
  waiting: 0,
  error: 1,
  thinking: 3,
  working: 3,
  unknown: 4,
  idle: 5,
  dead: 6,
};
const STUCK_RANK = 2;

const rank = ({ state, status }: Session): number =>
  status.primary === 'stuck' ? STUCK_RANK : (RANKS[state] ?? RANKS.unknown);

/** The sessions as they are listed: by rank, and within one those first that are in their state the longest. */
export function listedSessions(view: SessionView, filter: string): Session[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return [...view.values()]
    .filter((session) => words.every((word) => searchText(session).includes(word)))
    .sort(
      (one, other) =>
        rank(one) - rank(other) || compare(one.status.since, other.status.since) || compare(one.slug, other.slug),
    );
}

/** Times on the wire sort as texts. */
function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function searchText(session: Session): string {
  return [session.slug, session.path ?? '', stateText(session), session.type, sessionGist(session)]
    .join(' ')
    .toLowerCase();
}

/**
 * The session that somebody means who types a name: the one that is called so, else the first whose name begins so, else the first that has
 * it in its name; null where it is in no name.
 */
export function bestMatch(sessions: readonly Session[], typed: string): string | null {
  const name = typed.trim().toLowerCase();
  if (name === '') return null;
  const slugs = sessions.map(({ slug }) => slug);
  const like = (test: (slug: string) => boolean): string | undefined => slugs.find((slug) => test(slug.toLowerCase()));
  return (
    like((slug) => slug === name) ??
    like((slug) => slug.startsWith(name)) ??
    like((slug) => slug.includes(name)) ??
    null
  );
}

/** Whether it cannot go on without the person. */
export function needsPerson({ state, status }: Session): boolean {
  return state === 'waiting' || state === 'error' || status.primary === 'stuck';
}

/** The next one that needs the person, after a session and around; null where there is no other. */
export function nextNeedy(listed: readonly Session[], slug: string | null): string | null {
  const start = listed.findIndex((session) => session.slug === slug) + 1;
  const around = [...listed.slice(start), ...listed.slice(0, start)];
  return around.find((session) => session.slug !== slug && needsPerson(session))?.slug ?? null;
}

/** How many sessions are in each state, in the order of the list; states without any are left out. */
export function countStates(view: SessionView): { state: State; count: number }[] {
  const counts = new Map<State, number>();
  for (const { state } of view.values()) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts]
    .map(([state, count]) => ({ state, count }))
    .sort((one, other) => (RANKS[one.state] ?? 9) - (RANKS[other.state] ?? 9) || compare(one.state, other.state));
}
