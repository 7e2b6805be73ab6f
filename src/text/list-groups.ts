import {
  ATTENTIONS,
  type Attention,
  attentionOf,
  GROUPINGS,
  type Grouping,
  groupKey,
  groupName,
  groupSessionsBy,
  isCurrent,
  needsYou,
  type SeenSession,
} from '../protocol/index.ts';
import { causeText } from './machine-words.ts';
import { ATTENTION_TITLES } from './session-words.ts';
import { cleanLine } from './terminal-text.ts';

/** The sessions below one heading in a list. Every face that draws or folds headings uses these groups. */
export interface ListGroup {
  /** identifies the group for folding; unlike the title, the key does not change */
  key: string;
  /** the text of the heading, or an empty string if the list has no headings */
  title: string;
  /** what the group's sessions want, or null if sessions are not grouped by attention */
  attention: Attention | null;
  /** whether the group's sessions are on an unreachable machine; if so, each row shows how old its information is */
  isOld: boolean;
  /** the number of sessions in the group, including those that are not shown */
  count: number;
  isFolded: boolean;
  /**
   * the sessions that are shown; in a folded group, these are the sessions that need attention and the selected session
   */
  sessions: readonly SeenSession[];
}

/** Puts each session below one heading. Sessions in the same group keep their order. */
export function listGroupsOf(sessions: readonly SeenSession[], by: Grouping): ListGroup[] {
  return [...currentGroups(sessions.filter(isCurrent), by), ...oldGroups(sessions)];
}

/**
 * Returns the sessions on unreachable machines. Each machine has its own group, no matter how the other sessions are
 * grouped.
 */
function oldGroups(sessions: readonly SeenSession[]): ListGroup[] {
  const old = sessions.filter((session) => !isCurrent(session));
  const machines = [...new Set(old.flatMap(({ elsewhere }) => elsewhere?.machine ?? []))].toSorted();
  return machines.map((machine) => {
    const members = old.filter(({ elsewhere }) => elsewhere?.machine === machine);
    return {
      key: foldKey('machine', machine),
      title: `${cleanLine(machine)} ${causeText(members[0]?.elsewhere?.cause ?? null)}`,
      attention: null,
      isOld: true,
      count: members.length,
      isFolded: false,
      sessions: members,
    };
  });
}

function currentGroups(sessions: readonly SeenSession[], by: Grouping): ListGroup[] {
  const made = (key: string | null, title: string, members: readonly SeenSession[]): ListGroup => ({
    key: by === 'none' ? '' : foldKey(by, key),
    title,
    attention: null,
    isOld: false,
    count: members.length,
    isFolded: false,
    sessions: members,
  });
  if (by === 'none') return sessions.length === 0 ? [] : [made(null, '', sessions)];
  if (by === 'attention') {
    return ATTENTIONS.flatMap((attention) => {
      const members = sessions.filter((session) => attentionOf(session) === attention);
      return members.length === 0 ? [] : [{ ...made(attention, ATTENTION_TITLES[attention], members), attention }];
    });
  }
  const groups = groupSessionsBy(sessions, by);
  const keys = groups.map(({ key }) => key);
  return groups.map(({ key, sessions: members }) => made(key, cleanLine(groupName(key, by, keys)), members));
}

/**
 * Hides sessions in the groups that the user has folded. Sessions that need attention stay visible, so that a jump
 * always leads to a visible session. A filter searches all groups.
 */
export function foldGroups(
  groups: readonly ListGroup[],
  { folded, filter, selected }: { folded: ReadonlySet<string>; filter: string; selected: string | null },
): readonly ListGroup[] {
  if (filter !== '' || folded.size === 0) return groups;
  return groups.map((group) => {
    if (group.title === '' || !folded.has(group.key)) return group;
    const shown = group.sessions.filter(
      (session) => session.slug === selected || (isCurrent(session) && needsYou(session)),
    );
    return { ...group, isFolded: true, sessions: shown };
  });
}

/** Returns the key of a session's group, which is used for folding. */
export function foldKeyOf(session: SeenSession, by: Grouping): string {
  if (!isCurrent(session)) return foldKey('machine', session.elsewhere?.machine ?? '');
  if (by === 'none') return '';
  return foldKey(by, by === 'attention' ? attentionOf(session) : groupKey(session, by));
}

/** Returns the next way of grouping the list. */
export function nextGrouping(by: Grouping): Grouping {
  return GROUPINGS[(GROUPINGS.indexOf(by) + 1) % GROUPINGS.length] ?? 'attention';
}

/** Returns the end of the message "The list is …". */
export const GROUPING_WORDS: Readonly<Record<Grouping, string>> = {
  attention: 'grouped by what sessions need from you',
  repo: 'grouped by repository',
  tag: 'grouped by their first tag',
  none: 'not grouped',
};

function foldKey(by: Grouping | 'machine', key: string | null): string {
  return `${by} ${key ?? ''}`;
}
