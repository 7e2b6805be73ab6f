import { previewFinish } from '../../platform/git/finish-worktree.ts';
import { findRepository, isThere } from '../../platform/git/repository.ts';
import { recoverWork } from '../../platform/git/restore-work.ts';
import { listStates, toSavedWork } from '../../platform/git/saved-work.ts';
import {
  CatalogueError,
  type FinishPreview,
  type Recovered,
  type Recovery,
  type SavedWork,
  type Session,
} from '../../protocol/index.ts';
import { requireWorktree } from '../fleet/finish-session.ts';

/** Previews of finishing worktrees, and the saved states of worktrees that are gone. */
export interface WorktreeDesk {
  /** @throws CatalogueError no_worktree, git_not_found, git_failed */
  preview(session: Session, into: string | null): Promise<FinishPreview>;
  /** Returns the saved states in the repositories of these sessions and of a folder, newest first. */
  saved(sessions: readonly Session[], path: string | null): Promise<SavedWork[]>;
  /** @throws CatalogueError as `recoverWork` */
  recover(request: Recovery): Promise<Recovered>;
}

/** @param environment the server's own environment */
export function createWorktreeDesk(environment: Readonly<Record<string, string | undefined>>): WorktreeDesk {
  const rootOf = async (path: string): Promise<string[]> => {
    try {
      return (await isThere(path)) ? [(await findRepository({ cwd: path, environment })).root] : [];
    } catch (error) {
      if (error instanceof CatalogueError && error.code === 'not_a_repository') return [];
      throw error;
    }
  };
  return {
    preview: async ({ slug, worktree }, into) =>
      previewFinish({ cwd: '/', environment }, requireWorktree(slug, worktree), into),
    saved: async (sessions, path) => {
      const known = sessions.flatMap(({ worktree }) => (worktree === undefined ? [] : [worktree.repository]));
      const named = [...new Set([...(path === null ? [] : [path]), ...known])];
      const roots = new Set((await Promise.all(named.map(rootOf))).flat());
      const all = await Promise.all([...roots].map((root) => listStates({ cwd: root, environment }, root)));
      return all
        .flat()
        .sort((one, other) => Date.parse(other.at) - Date.parse(one.at))
        .map(toSavedWork);
    },
    recover: ({ repository, id, branch, folder }) =>
      recoverWork({ cwd: repository, environment }, { id, branch: branch ?? null, folder }),
  };
}
