import { folderName, type Session } from '../protocol/index.ts';
import { blockedText } from './blocked-words.ts';
import { sessionGist, stateText } from './session-words.ts';
import { worktreeBranch } from './worktree-words.ts';

/** Returns the words of a filter that the user has typed. A session must match all of them. */
export function filterWords(filter: string): string[] {
  return filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/**
 * Reports whether a session matches all words. `#night` matches only the tag, and `@shop` only the repository. Any
 * other word can match anywhere in the session's row.
 */
export function matchesWords(session: Session, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = searchText(session);
  return words.every((word) => {
    if (word.startsWith('#') && word.length > 1) return (session.tags ?? []).some((tag) => tagWord(tag) === word);
    if (word.startsWith('@') && word.length > 1)
      return session.repository != null && repositoryWord(session.repository) === word;
    return text.includes(word);
  });
}

export function tagWord(tag: string): string {
  return `#${tag.toLowerCase()}`;
}

/** Returns the word that filters by a repository, which is its folder's name without spaces. */
export function repositoryWord(repository: string): string {
  return `@${folderName(repository).toLowerCase().replace(/\s+/g, '-')}`;
}

/** Adds a word to a filter, or removes the word if the filter already contains it. */
export function toggleWord(filter: string, word: string): string {
  const words = filter.split(/\s+/).filter((one) => one !== '');
  const rest = words.filter((one) => one.toLowerCase() !== word);
  return (rest.length < words.length ? rest : [...words, word]).join(' ');
}

function searchText(session: Session): string {
  return [
    session.slug,
    session.path ?? '',
    session.place ?? '',
    stateText(session),
    session.type,
    blockedText(session),
    sessionGist(session),
    worktreeBranch(session.worktree),
    ...(session.tags ?? []),
  ]
    .join(' ')
    .toLowerCase();
}
