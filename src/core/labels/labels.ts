import { CatalogueError, MOST_TAGS, type Session, type TagEdit } from '../../protocol/index.ts';

/** What is kept about where a session belongs. Times are Unix milliseconds. */
export interface Labels {
  /** in the order in which they were given */
  tags: readonly string[];
  /** the main checkout of its repository; kept, because a finished worktree's folder is gone */
  repository: string | null;
  archivedAt: number | null;
}

export const UNLABELLED: Labels = { tags: [], repository: null, archivedAt: null };

/**
 * Adds and removes tags. A tag that is there already keeps its place; one that is removed and added goes to the end.
 * @returns the same object where nothing has changed
 * @throws CatalogueError invalid_request with too many of them
 */
export function editTags(before: Labels, { add = [], remove = [] }: TagEdit): Labels {
  const kept = before.tags.filter((tag) => !remove.includes(tag));
  const tags = [...kept, ...new Set(add.filter((tag) => !kept.includes(tag)))];
  if (tags.length > MOST_TAGS) {
    const hint = 'Remove one with `cbos untag` first';
    throw new CatalogueError('invalid_request', `A session has ${MOST_TAGS} tags at most`, { hint });
  }
  const isSame = tags.length === before.tags.length && tags.every((tag, index) => tag === before.tags[index]);
  return isSame ? before : { ...before, tags };
}

/** Whether a session was stopped or parked, and may therefore leave the lists. */
export function isEnded({ status, parked_at }: Pick<Session, 'status' | 'parked_at'>): boolean {
  return status.primary === 'dead' || parked_at !== null;
}
