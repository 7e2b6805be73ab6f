import { CatalogueError, MOST_TAGS, type Session, type TagEdit } from '../../protocol/index.ts';

/** The tags, repository, and archive time of a session. Times are Unix milliseconds. */
export interface Labels {
  /** in the order in which they were added */
  tags: readonly string[];
  /** the main checkout of its repository; stored, because a finished worktree's folder no longer exists */
  repository: string | null;
  archivedAt: number | null;
}

export const UNLABELLED: Labels = { tags: [], repository: null, archivedAt: null };

/**
 * Adds and removes tags. A tag that already exists keeps its place. A tag that is both removed and added moves to the
 * end.
 * @returns the same object if nothing has changed
 * @throws CatalogueError invalid_request if there are too many tags
 */
export function editTags(before: Labels, { add = [], remove = [] }: TagEdit): Labels {
  const kept = before.tags.filter((tag) => !remove.includes(tag));
  const tags = [...kept, ...new Set(add.filter((tag) => !kept.includes(tag)))];
  if (tags.length > MOST_TAGS) {
    const hint = 'Remove one with `cbos untag` first';
    throw new CatalogueError('invalid_request', `A session can have at most ${MOST_TAGS} tags`, { hint });
  }
  const isSame = tags.length === before.tags.length && tags.every((tag, index) => tag === before.tags[index]);
  return isSame ? before : { ...before, tags };
}

/** Reports whether a session has been stopped or parked, and may therefore leave the lists. */
export function isEnded({ status, parked_at }: Pick<Session, 'status' | 'parked_at'>): boolean {
  return status.primary === 'dead' || parked_at !== null;
}
