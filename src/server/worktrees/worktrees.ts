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
export interface Worktrees {
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
export function createWorktrees(environment: Readonly<Record<string, string | undefined>>, setUps: SetUps): Worktrees {
  /** Returns no root outside a repository. A repository that git cannot read is added to `unread` if that is given. */
  const rootOf = async (path: string, unread?: Map<string, CatalogueError>): Promise<string[]> => {
    try {
      return (await isThere(path)) ? [(await findRepository({ cwd: path, environment })).root] : [];
    } catch (error) {
      if (error instanceof CatalogueError && error.code === 'not_a_repository') return [];
      if (!(error instanceof CatalogueError) || unread === undefined) throw error;
      unread.set(path, error);
      return [];
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
      const unread = new Map<string, CatalogueError>();
      const rootFrom = async ([repository, own]: [string, string]): Promise<string[]> => {
        const found = await rootOf(repository, unread);
        return found.length > 0 || unread.has(repository) ? found : rootOf(own, unread);
      };
      const roots = new Set((await Promise.all([...known].map(rootFrom))).flat());
      const lists = await Promise.all(
        [...roots].map((root) => listOne(root, sessions).catch((cause: unknown) => unreadList(root, cause))),
      );
      const all = [...lists, ...[...unread].map(([root, cause]) => unreadList(root, cause))];
      return all.sort((one, other) => (one.repository < other.repository ? -1 : 1));
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
      const unread = new Map<string, CatalogueError>();
      const rootFrom = (one: string): Promise<string[]> => rootOf(one, one === path ? undefined : unread);
      const roots = new Set((await Promise.all(named.map(rootFrom))).flat());
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

/** Returns the list of a repository that git cannot read, for example because it belongs to another user. */
function unreadList(repository: string, cause: unknown): RepositoryWorktrees {
  if (!(cause instanceof CatalogueError)) throw cause;
  return { repository, set_up: null, own: null, worktrees: [], error: cause.toBody() };
}
