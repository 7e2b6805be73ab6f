import { CatalogueError, MOST_TAGS, type Session, type TagEdit } from '../../protocol/index.ts';

/** The tags, repository, and archive time of a session. Times are in Unix milliseconds. */
export interface Labels {
  /** the tags, in the order in which they were added */
  tags: readonly string[];
  /** the main checkout of its repository; this is stored because the folder of a finished worktree no longer exists */
  repository: string | null;
  archivedAt: number | null;
}

export const UNLABELLED: Labels = { tags: [], repository: null, archivedAt: null };

/**
 * Adds and removes tags. A tag that the session already has keeps its position. A tag that is both removed and added
 * moves to the end.
 * @returns the same object if nothing has changed
 * @throws CatalogueError invalid_request if the session would have too many tags
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

/** Reports whether a session is stopped or parked, and may therefore be removed from the lists. */
export function isEnded({ status, parked_at }: Pick<Session, 'status' | 'parked_at'>): boolean {
  return status.primary === 'dead' || parked_at !== null;
}
