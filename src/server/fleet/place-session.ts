import { createWorktree, undoWorktree } from '../../platform/git/create-worktree.ts';
import type { NewSession, Worktree } from '../../protocol/index.ts';
import type { LaunchContext } from './launch-session.ts';

/** Where a new session works. */
interface SessionPlace {
  path: string;
  worktree: Worktree | null;
  /** removes what was made for it; for a session that never started */
  undo(): Promise<void>;
}

/**
 * Finds the place of a new session: the folder that was asked for, or a new worktree of its repository.
 * @throws CatalogueError what `createWorktree` throws
 */
export async function placeSession(
  environment: LaunchContext['environment'],
  { slug, path, worktree: asked }: NewSession,
): Promise<SessionPlace> {
  if (asked === undefined) return { path, worktree: null, undo: async () => undefined };
  const place = { cwd: path, environment };
  const request = { name: slug, branch: asked.branch ?? null, from: asked.from ?? null };
  const made = await createWorktree(place, request);
  const { repository, branch, base, leftOut } = made;
  return {
    path: made.folder,
    worktree: { path: made.path, repository, branch, base, new_branch: made.isNewBranch, left_out: leftOut },
    undo: () => undoWorktree(place, made),
  };
}
