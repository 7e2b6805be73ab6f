import type { Session } from './session.ts';
import { matchesState, parseStateSelector } from './state-selector.ts';

/** Selects some of the listed sessions. A session must match all the parts that are given. */
export interface SessionSelector {
  /** a word that `parseStateSelector` accepts */
  state?: string | undefined;
  /** tags, all of which the session must have */
  tags?: readonly string[] | undefined;
  /** a repository's name, or the path of a folder inside the repository */
  repo?: string | undefined;
}

export type Selectable = Parameters<typeof matchesState>[0] & Partial<Pick<Session, 'tags' | 'repository' | 'path'>>;

/**
 * Reports whether a session matches a selector. Lists, broadcasts, and all other operations on several sessions use
 * this definition.
 */
export function matchesSelector(session: Selectable, { state, tags, repo }: SessionSelector): boolean {
  const selector = state === undefined ? null : parseStateSelector(state);
  if (state !== undefined && (selector === null || !matchesState(session, selector))) return false;
  if (tags?.some((tag) => session.tags?.includes(tag) !== true) === true) return false;
  return repo === undefined || isOfRepository(session, repo);
}

/** Parses the comma-separated tags in a request. A tag never contains a comma. */
export function tagsIn(words: string): string[] {
  return words.split(',').filter((word) => word !== '');
}

/** Reports whether a selector has any condition. A selector without one selects all sessions. */
export function isSelective({ state, tags, repo }: SessionSelector): boolean {
  return state !== undefined || (tags?.length ?? 0) > 0 || repo !== undefined;
}

/**
 * A path selects the repository that contains it, which means that the path is the main checkout itself or a folder
 * inside it.
 */
function isOfRepository({ repository, path }: Selectable, wanted: string): boolean {
  if (repository == null) return false;
  if (!wanted.startsWith('/')) return folderName(repository) === wanted;
  const asked = wanted === '/' ? wanted : wanted.replace(/\/+$/, '');
  return isBelow(asked, repository) || (path != null && asked === path);
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** Returns the last part of a path, which is what users call the repository. */
export function folderName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1) || path;
}
