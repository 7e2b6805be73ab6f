import type { SessionView } from '../client/index.ts';
import {
  attentionOf,
  GROUPINGS,
  type Grouping,
  groupKey,
  groupName,
  groupSessionsBy,
  needsYou,
  type Session,
} from '../protocol/index.ts';
import { attentionHeading, attentionStyle } from '../text/session-words.ts';
import type { StyleName } from '../text/style.ts';
import { cleanLine } from '../text/terminal-text.ts';
import { listedSessions } from './order.ts';

/** The sessions below one heading, as the list shows them. */
export interface ListGroup {
  /** what it is folded by: unlike its title it stays */
  key: string;
  title: string;
  style: StyleName | null;
  /** those that are shown: of a folded group the ones that need their person, and the selected one */
  sessions: readonly Session[];
}

interface Arrangement {
  view: SessionView;
  filter: string;
  grouping: Grouping;
  /** what the folded groups are folded by */
  folded: ReadonlySet<string>;
  selected: string | null;
}

/**
 * Each picture needs the list several times, and most pictures show the same sessions. A hundred sessions are
 * therefore sorted only once for each change.
 */
const known = new WeakMap<SessionView, { of: Omit<Arrangement, 'view'>; groups: readonly ListGroup[] }>();

/** The list from the top. Every session is in one group. */
export function listGroups({ view, filter, grouping, folded, selected }: Arrangement): readonly ListGroup[] {
  // The selection decides only in folded groups.
  const of = { filter, grouping, folded, selected: folded.size === 0 ? null : selected };
  const last = known.get(view);
  if (last !== undefined && isSame(last.of, of)) return last.groups;
  const groups = allGroups(listedSessions(view, filter), grouping).map((group): ListGroup => {
    // A filter looks for a session in all groups.
    if (filter !== '' || !folded.has(group.key)) return group;
    const shown = group.sessions.filter((session) => session.slug === selected || needsYou(session));
    return { ...group, title: `▸ ${group.title}`, sessions: shown };
  });
  known.set(view, { of, groups });
  return groups;
}

function isSame(one: Omit<Arrangement, 'view'>, other: Omit<Arrangement, 'view'>): boolean {
  return (
    one.filter === other.filter &&
    one.grouping === other.grouping &&
    one.folded === other.folded &&
    one.selected === other.selected
  );
}

function allGroups(sessions: readonly Session[], by: Grouping): ListGroup[] {
  if (by === 'none') return [{ key: '', title: '', style: null, sessions }];
  if (by !== 'attention') {
    const groups = groupSessionsBy(sessions, by);
    const keys = groups.map(({ key }) => key);
    return groups.map(({ key, sessions: members }) => ({
      key: foldKey(by, key),
      title: `${cleanLine(groupName(key, by, keys))} (${members.length})`,
      style: 'bold',
      sessions: members,
    }));
  }
  const attentions = [...new Set(sessions.map(attentionOf))];
  return attentions.map((attention) => {
    const members = sessions.filter((session) => attentionOf(session) === attention);
    return {
      key: foldKey(by, attention),
      title: attentionHeading(attention, members.length),
      style: attentionStyle(attention),
      sessions: members,
    };
  });
}

function foldKey(by: Grouping, key: string | null): string {
  return `${by} ${key ?? ''}`;
}

/** What the group of a session is folded by. */
export function foldKeyOf(session: Session, by: Grouping): string {
  if (by === 'none') return '';
  return foldKey(by, by === 'attention' ? attentionOf(session) : groupKey(session, by));
}

export function nextGrouping(by: Grouping): Grouping {
  return GROUPINGS[(GROUPINGS.indexOf(by) + 1) % GROUPINGS.length] ?? 'attention';
}
