import type { SessionView } from '../client/index.ts';
import {
  ATTENTIONS,
  type Attention,
  compareAttention,
  countAttentions as countAttentionsOf,
  needsYou,
  type Session,
} from '../protocol/index.ts';
import { sessionGist, stateText } from '../text/session-words.ts';

/** Returns the sessions in the order of the list: those that need the person first, and the longest waiting first. */
export function listedSessions(view: SessionView, filter: string): Session[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return [...view.values()].filter((session) => words.every((word) => isShownBy(session, word))).sort(compareAttention);
}

/** `#night` means the tag alone; any other word may be in what a row says of the session. */
function isShownBy(session: Session, word: string): boolean {
  if (word.startsWith('#') && word.length > 1)
    return (session.tags ?? []).some((tag) => tag.toLowerCase() === word.slice(1));
  return searchText(session).includes(word);
}

function searchText(session: Session): string {
  return [
    session.slug,
    session.path ?? '',
    stateText(session),
    session.type,
    sessionGist(session),
    ...(session.tags ?? []),
  ]
    .join(' ')
    .toLowerCase();
}

/**
 * Returns the session that is meant by a typed name: the one with exactly this name, or else the first whose name
 * begins with it, or else the first whose name contains it; null if no name does.
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

/** Returns the next session that needs the person, continuing at the top of the list; null if there is no other. */
export function nextNeedy(listed: readonly Session[], slug: string | null): string | null {
  const start = listed.findIndex((session) => session.slug === slug) + 1;
  const around = [...listed.slice(start), ...listed.slice(0, start)];
  return around.find((session) => session.slug !== slug && needsYou(session))?.slug ?? null;
}

/**
 * Counts how many sessions need the person, are done, work, and so on, in the order of the list, without those of
 * which there is none.
 */
export function countAttentions(view: SessionView): { attention: Attention; count: number }[] {
  const counts = countAttentionsOf(view.values());
  return ATTENTIONS.map((attention) => ({ attention, count: counts[attention] })).filter(({ count }) => count > 0);
}
