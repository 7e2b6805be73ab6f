import { type Grouping, groupName, groupSessionsBy, type Session } from '../protocol/index.ts';
import { cleanLine } from './terminal-text.ts';

/** The heading above a group of sessions. */
export interface GroupHeading {
  /** `shop (3)` */
  title: string;
  /** identifies the group: the path of a repository, a tag, or an empty string for sessions without one */
  key: string;
}

/** Returns all sessions, in the order of their groups, and the heading of each session by the session's name. */
export function groupedBy(
  sessions: readonly Session[],
  by: Exclude<Grouping, 'attention' | 'none'>,
): { sessions: Session[]; headings: ReadonlyMap<string, GroupHeading> } {
  const groups = groupSessionsBy(sessions, by);
  const keys = groups.map(({ key }) => key);
  const headings = new Map<string, GroupHeading>();
  for (const { key, sessions: members } of groups) {
    const heading = { title: `${cleanLine(groupName(key, by, keys))} (${members.length})`, key: key ?? '' };
    for (const { slug } of members) headings.set(slug, heading);
  }
  return { sessions: groups.flatMap((group) => group.sessions), headings };
}
