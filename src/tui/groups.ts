import type { SessionView } from '../client/index.ts';
import type { Grouping, SeenSession } from '../protocol/index.ts';
import { foldGroups, type ListGroup as Group, listGroupsOf } from '../text/list-groups.ts';
import { attentionStyle } from '../text/session-words.ts';
import type { StyleName } from '../text/style.ts';
import { listedSessions } from './order.ts';

/** The sessions below one heading of the list. */
export interface ListGroup {
  title: string;
  style: StyleName | null;
  sessions: readonly SeenSession[];
}

interface Arrangement {
  view: SessionView;
  filter: string;
  grouping: Grouping;
  /** the keys of the folded groups */
  folded: ReadonlySet<string>;
  selected: string | null;
}

/**
 * Cache the list, because each picture uses it several times, and most pictures show the same sessions. As a result, a
 * hundred sessions are sorted only once per change.
 */
const known = new WeakMap<SessionView, { of: Omit<Arrangement, 'view'>; groups: readonly ListGroup[] }>();

/** Returns the list from the top. Each session is in exactly one group. */
export function listGroups({ view, filter, grouping, folded, selected }: Arrangement): readonly ListGroup[] {
  // The selection affects only folded groups.
  const of = { filter, grouping, folded, selected: folded.size === 0 ? null : selected };
  const last = known.get(view);
  if (last !== undefined && isSame(last.of, of)) return last.groups;
  const groups = foldGroups(listGroupsOf(listedSessions(view, filter), grouping), of).map(headed);
  known.set(view, { of, groups });
  return groups;
}

function headed({ title, attention, isOld, count, isFolded, sessions }: Group): ListGroup {
  if (title === '') return { title, style: null, sessions };
  const style = isOld ? 'dim' : attention === null ? 'bold' : attentionStyle(attention);
  return { title: `${isFolded ? '▸ ' : ''}${title} (${count})`, style, sessions };
}

function isSame(one: Omit<Arrangement, 'view'>, other: Omit<Arrangement, 'view'>): boolean {
  return (
    one.filter === other.filter &&
    one.grouping === other.grouping &&
    one.folded === other.folded &&
    one.selected === other.selected
  );
}
