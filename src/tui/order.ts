import type { SessionView } from '../client/index.ts';
import {
  ATTENTIONS,
  type Attention,
  countAttentions as countAttentionsOf,
  isCurrent,
  needsYou,
  type SeenSession,
  type Session,
  sortByAttention,
} from '../protocol/index.ts';
import { filterWords, matchesWords } from '../text/session-filter.ts';

/**
 * Returns the sessions in list order. Sessions that need attention come first, starting with the one that has waited
 * longest.
 */
export function listedSessions(view: SessionView, filter: string): SeenSession[] {
  const words = filterWords(filter);
  return sortByAttention([...view.values()].filter((session) => matchesWords(session, words)));
}

/**
 * Returns the session that matches a typed name, or null if none does. An exact match takes precedence over a name that
 * begins with the text, which takes precedence over a name that contains the text.
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

/**
 * Returns the next session that needs attention, wrapping around at the end of the list. Returns null if there is no
 * other.
 */
export function nextNeedy(listed: readonly SeenSession[], slug: string | null): string | null {
  const start = listed.findIndex((session) => session.slug === slug) + 1;
  const around = [...listed.slice(start), ...listed.slice(0, start)];
  return around.find((session) => session.slug !== slug && isCurrent(session) && needsYou(session))?.slug ?? null;
}

/**
 * Counts the sessions that need attention, are done, are working, and so on. The counts are in list order, and counts
 * of zero are omitted.
 */
export function countAttentions(view: SessionView): { attention: Attention; count: number }[] {
  const counts = countAttentionsOf([...view.values()].filter(isCurrent));
  return ATTENTIONS.map((attention) => ({ attention, count: counts[attention] })).filter(({ count }) => count > 0);
}
