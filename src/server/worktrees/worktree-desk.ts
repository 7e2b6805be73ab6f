import { findWorktrees, isUsable } from '../../platform/git/existing-worktree.ts';
import { previewFinish } from '../../platform/git/finish-worktree.ts';
import { findGoneAround } from '../../platform/git/gone-worktree.ts';
import { findRepository, isThere } from '../../platform/git/repository.ts';
import { recoverWork } from '../../platform/git/restore-work.ts';
import { listStates, toSavedWork } from '../../platform/git/saved-work.ts';
import {
  CatalogueError,
  type FinishPreview,
  type ProjectSetUp,
  type Recovered,
  type Recovery,
  type RepositoryWorktrees,
  type SavedWork,
  type Session,
  type SetUpTrust,
} from '../../protocol/index.ts';
import { requireWorktree } from './require-worktree.ts';
import type { SetUps } from './set-ups.ts';
import { usersOf } from './users.ts';

/**
 * Handles requests about the worktrees of repositories, previews of finishing them, and the saved states of worktrees
 * that no longer exist.
 */
export interface WorktreeDesk {
  /** @throws CatalogueError no_worktree, git_not_found, git_failed */
  preview(session: Session, into: string | null): Promise<FinishPreview>;
  /** Returns the saved states of worktrees in the repositories of the given sessions and of a folder, newest first. */
  saved(sessions: readonly Session[], path: string | null): Promise<SavedWork[]>;
  /**
   * Returns the worktrees of a folder's repository or, if no folder is given, of the repositories of the given
   * sessions.
   * @throws CatalogueError not_a_repository, invalid_setting, git_not_found, git_failed
   */
  list(sessions: readonly Session[], path: string | null): Promise<RepositoryWorktrees[]>;
  /** @throws CatalogueError not_a_repository, and everything that `SetUps.trust` throws */
  trust(request: SetUpTrust): Promise<ProjectSetUp>;
  /** @throws CatalogueError not_a_repository, no_such_path, invalid_setting */
  untrust(sessions: readonly Session[], path: string): Promise<RepositoryWorktrees>;
  /** @throws CatalogueError everything that `recoverWork` throws */
  recover(request: Recovery): Promise<Recovered>;
}

/** @param environment the environment of the server's own process */
export function createWorktreeDesk(
  environment: Readonly<Record<string, string | undefined>>,
  setUps: SetUps,
): WorktreeDesk {
  const rootOf = async (path: string): Promise<string[]> => {
    try {
      return (await isThere(path)) ? [(await findRepository({ cwd: path, environment })).root] : [];
    } catch (error) {
      if (error instanceof CatalogueError && error.code === 'not_a_repository') return [];
      throw error;
    }
  };
  async function listOne(path: string, sessions: readonly Session[]): Promise<RepositoryWorktrees> {
    const { root, worktrees } = await findWorktrees({ cwd: path, environment });
    const users = await usersOf(
      worktrees.map((one) => one.path),
      sessions,
    );
    return {
      repository: root,
      ...(await setUps.named(root)),
      worktrees: worktrees.map((one) => {
        const names = users.get(one.path) ?? [];
        const { path: folder, branch, isMain: main, isLocked: locked, isGone: gone } = one;
        return { path: folder, branch, main, locked, gone, sessions: names, free: isUsable(one) && names.length === 0 };
      }),
    };
  }
  const rootIn = async (path: string): Promise<string> => (await findRepository({ cwd: path, environment })).root;
  return {
    list: async (sessions, path) => {
      if (path !== null) {
        const gone = (await isThere(path)) ? null : await findGoneAround(environment, path);
        return [await listOne(gone?.repository ?? path, sessions)];
      }
      // A session's own folder finds a bare repository, in which git itself accepts no command.
      const known = new Map(
        sessions.flatMap(({ repository, path: own }) => (repository ? [[repository, own ?? repository]] : [])),
      );
      const rootFrom = async ([repository, own]: [string, string]): Promise<string[]> => {
        const found = await rootOf(repository);
        return found.length > 0 ? found : rootOf(own);
      };
      const roots = new Set((await Promise.all([...known].map(rootFrom))).flat());
      return Promise.all([...roots].sort().map((root) => listOne(root, sessions)));
    },
    trust: async ({ path, sha256 }) => setUps.trust(await rootIn(path), sha256),
    untrust: async (sessions, path) => {
      await setUps.untrust(await rootIn(path));
      return listOne(path, sessions);
    },
    preview: async ({ slug, worktree: recorded, created_at: createdAt }, into) => {
      const worktree = requireWorktree(slug, recorded);
      const since = createdAt === null ? 0 : Date.parse(createdAt);
      return previewFinish({ cwd: '/', environment }, { session: slug, worktree, into, since });
    },
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
