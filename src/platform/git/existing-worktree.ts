import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { CatalogueError } from '../../protocol/index.ts';
import { branchOfGone, type MadeWorktree } from './create-worktree.ts';
import {
  commitOf,
  existingBranch,
  findRepository,
  isThere,
  isWorktreeThere,
  type ListedWorktree,
  listWorktrees,
} from './repository.ts';
import type { GitPlace } from './run-git.ts';

/** A worktree of a repository, no matter who created it. */
export interface FoundWorktree extends ListedWorktree {
  isMain: boolean;
  /** whether git still lists the worktree, although its folder or the `.git` file in it no longer exists */
  isGone: boolean;
}

/** All worktrees of a repository, beginning with the main checkout. */
export interface FoundWorktrees {
  /** the main checkout of the repository */
  root: string;
  worktrees: FoundWorktree[];
}

/** @throws CatalogueError not_a_repository, git_not_found, git_failed */
export async function findWorktrees(place: GitPlace): Promise<FoundWorktrees> {
  const { root } = await findRepository(place);
  const listed = await listWorktrees({ ...place, cwd: root });
  const worktrees = listed.map(async (one) => {
    const isMain = one.path === root || one.isBare;
    return { ...one, isMain, isGone: !(await (isMain ? isThere : isWorktreeThere)(one.path)) };
  });
  return { root, worktrees: await Promise.all(worktrees) };
}

/** Reports whether a session could work in this worktree, as far as git can tell. */
export function isUsable({ isMain, isGone, branch }: FoundWorktree): boolean {
  return !isMain && !isGone && branch !== null;
}

/**
 * Returns the worktree in which a branch is checked out, so that a session can use it. Nothing is created.
 * @param place a folder of the repository
 * @throws CatalogueError no_such_worktree, not_a_repository, no_commit, git_not_found, git_failed
 */
export async function useWorktree(place: GitPlace, branch: string): Promise<MadeWorktree> {
  const { root, below, checkout } = await findRepository(place);
  const { worktrees } = await findWorktrees(place);
  const found = worktrees.find((one) => one.branch === branch);
  if (found?.isGone === true) throw branchOfGone(branch, found);
  if (found === undefined || !isUsable(found)) {
    const why = found === undefined ? 'in no worktree' : 'in the main checkout';
    throw new CatalogueError('no_such_worktree', `The branch ${branch} is checked out ${why}`);
  }
  const commit = await commitOf({ ...place, cwd: found.path }, 'HEAD');
  if (commit === null) throw new CatalogueError('no_commit');
  const base = await existingBranch({ ...place, cwd: checkout === found.path ? root : checkout });
  const inside = join(found.path, below);
  const isFolder = (await lstat(inside).catch(() => null))?.isDirectory() === true;
  return {
    path: found.path,
    repository: root,
    branch,
    base: base === branch ? null : base,
    isNewBranch: false,
    commit,
    folder: isFolder ? inside : found.path,
    leftOut: [],
  };
}
