import { join } from 'node:path';
import { CatalogueError } from '../../protocol/index.ts';
import { createWorktree, type MadeWorktree } from './create-worktree.ts';
import { commitOf, findRepository } from './repository.ts';
import { writeState } from './restore-work.ts';
import { askGit, type GitPlace } from './run-git.ts';
import { snapshotFiles } from './snapshot-files.ts';

export interface ForkRequest {
  /** the name of the new worktree's folder, which is also the name of the new session */
  name: string;
  /** the new branch of the worktree, or null for a branch that is named after the session */
  branch: string | null;
}

/**
 * Creates a worktree with the current state of a checkout. It is at the same commit, on a new branch, and has the same
 * files, byte for byte. Each file is changed, staged, or untracked, just as in the checkout. Ignored files are copied
 * if they are listed in `.worktreeinclude`. The checkout, its index, and its refs do not change. Nothing refers to the
 * trees that are written for this purpose. Worktrees of the repository that are inside the checkout are not copied.
 * @param place a folder in the checkout
 * @throws CatalogueError worktree_nested, disk_full, and everything that `createWorktree` throws
 */
export async function forkWorktree(place: GitPlace, request: ForkRequest): Promise<MadeWorktree> {
  const { root, checkout, commonDir } = await findRepository(place);
  const branch = request.branch ?? request.name;
  if ((await commitOf(place, `refs/heads/${branch}`)) !== null) {
    throw new CatalogueError('branch_exists', `The branch ${branch} already exists`, {
      hint: 'Name a new branch for the fork: `--branch BRANCH`',
    });
  }
  const here = { ...place, cwd: checkout };
  const gitDir = await askGit(['rev-parse', '--absolute-git-dir'], here);
  const head = await commitOf(here, 'HEAD');
  if (head === null) throw new CatalogueError('no_commit', `${checkout} is on a branch that has no commits`);
  const { files, staged, included, ownerOnly } = await snapshotFiles(here, {
    root,
    indexFile: join(gitDir, `cbos-fork-${request.name}`),
    skipsWorktrees: true,
  });
  return createWorktree(place, { ...request, from: head }, async (path) => {
    await writeState({ ...place, cwd: path }, { commit: files, staged, included, head, ownerOnly }, commonDir);
    return [];
  });
}
