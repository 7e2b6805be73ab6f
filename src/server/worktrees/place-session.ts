import { createWorktree, type MadeWorktree, undoWorktree } from '../../platform/git/create-worktree.ts';
import { useWorktree } from '../../platform/git/existing-worktree.ts';
import { type ForkRequest, forkWorktree } from '../../platform/git/fork-worktree.ts';
import type { GitPlace } from '../../platform/git/run-git.ts';
import type { NewSession, Worktree } from '../../protocol/index.ts';

/** The folder in which a new session works, and its worktree if there is one. */
export interface SessionPlace {
  path: string;
  worktree: Worktree | null;
  /** removes everything that was created for the session; called if the session could not be started */
  undo(): Promise<void>;
}

/**
 * Returns the place for a new session: the requested folder, or a new or existing worktree of the folder's repository.
 * @throws CatalogueError everything that `createWorktree` and `useWorktree` throw
 */
export async function placeSession(
  environment: GitPlace['environment'],
  { slug, path, worktree: asked }: NewSession,
): Promise<SessionPlace> {
  if (asked === undefined) return { path, worktree: null, undo: async () => undefined };
  const place = { cwd: path, environment };
  if (asked.existing === true) {
    const found = placeIn(place, await useWorktree(place, asked.branch ?? slug));
    const worktree = found.worktree && { ...found.worktree, existing: true };
    return { ...found, worktree, undo: async () => undefined };
  }
  const request = { name: slug, branch: asked.branch ?? null, from: asked.from ?? null };
  return placeIn(place, await createWorktree(place, request));
}

/**
 * Returns the place for a fork: a new worktree that contains the folder's current files.
 * @throws CatalogueError everything that `forkWorktree` throws
 */
export async function placeFork(
  environment: GitPlace['environment'],
  { path, name, branch }: ForkRequest & { path: string },
): Promise<SessionPlace> {
  const place = { cwd: path, environment };
  return placeIn(place, await forkWorktree(place, { name, branch }));
}

function placeIn(place: GitPlace, made: MadeWorktree): SessionPlace {
  const { repository, branch, base, leftOut } = made;
  return {
    path: made.folder,
    worktree: { path: made.path, repository, branch, base, new_branch: made.isNewBranch, left_out: leftOut },
    undo: () => undoWorktree(place, made),
  };
}
