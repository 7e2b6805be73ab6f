import { type Listed, sortByAttention } from './attention.ts';
import type { Session } from './session.ts';
import { folderName } from './session-selector.ts';

/** The ways to group sessions. `attention` groups them by what they want from the user. */
export const GROUPINGS = ['attention', 'repo', 'tag', 'none'] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface SessionGroup<S> {
  /** the repository's path or the tag, or null for the group of sessions without one */
  key: string | null;
  /** the group's sessions, ordered by attention */
  sessions: S[];
}

type Grouped = Listed & Partial<Pick<Session, 'tags' | 'repository'>>;

/**
 * Puts each session into exactly one group, so that the groups' counts add up. If a session has several tags, the first
 * one determines its group. The group with the most urgent session comes first. The group of sessions without a tag or
 * repository comes last.
 */
export function groupSessionsBy<S extends Grouped>(sessions: Iterable<S>, by: 'repo' | 'tag'): SessionGroup<S>[] {
  const groups = new Map<string | null, S[]>();
  for (const session of sortByAttention(sessions)) {
    const key = groupKey(session, by);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [session]);
    else group.push(session);
  }
  const rest = groups.get(null);
  groups.delete(null);
  const named = [...groups].map(([key, list]) => ({ key, sessions: list }));
  return rest === undefined ? named : [...named, { key: null, sessions: rest }];
}

export function groupKey(
  { tags, repository }: Pick<Grouped, 'tags' | 'repository'>,
  by: 'repo' | 'tag',
): string | null {
  return (by === 'repo' ? repository : tags?.[0]) ?? null;
}

/**
 * Returns the heading of a group: the tag, or the name of the repository's folder. If two repositories have the same
 * name, the parent folder is added.
 */
export function groupName(key: string | null, by: 'repo' | 'tag', keys: readonly (string | null)[]): string {
  if (key === null) return by === 'repo' ? 'No repository' : 'No tag';
  if (by === 'tag') return key;
  const name = folderName(key);
  const isShared = keys.some((other) => other !== null && other !== key && folderName(other) === name);
  return isShared ? key.split('/').slice(-2).join('/') : name;
}
