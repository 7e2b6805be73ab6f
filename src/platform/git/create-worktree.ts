import { constants } from 'node:fs';
import { lstat, mkdir, open, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CatalogueError } from '../../protocol/index.ts';
import { copyIncluded, includedFiles, makeFolders } from './include-files.ts';
import {
  commitOf,
  currentBranch,
  findRepository,
  isBranchName,
  type ListedWorktree,
  listWorktrees,
  type Repository,
} from './repository.ts';
import { type GitPlace, runGit, tryGit } from './run-git.ts';

/** Where Claude Code keeps worktrees, below the main checkout. */
export const WORKTREES = join('.claude', 'worktrees');

export interface WorktreeRequest {
  /** the name of its folder: that of the session */
  name: string;
  /** its branch: made, or taken if it exists; null: a new one with the name of the session */
  branch: string | null;
  /** what a new branch starts from; null: the commit of the checkout it is made from */
  from: string | null;
}

export interface MadeWorktree {
  path: string;
  /** the main checkout */
  repository: string;
  branch: string;
  /** the branch that its changes go back to; null if it was made from no branch */
  base: string | null;
  /** whether the branch was made with it */
  isNewBranch: boolean;
  /** the commit that it starts at */
  commit: string;
  /** the folder that was asked for, in the worktree */
  folder: string;
  /** files of `.worktreeinclude` that were not copied, because a symbolic link or another file is in the way */
  leftOut: string[];
}

/**
 * Makes a worktree for a session in Claude Code's own place. If anything fails, neither the folder nor a branch that
 * was made is left.
 * @throws CatalogueError not_a_repository, no_commit, invalid_branch, no_such_ref, branch_exists, branch_in_use,
 * worktree_exists, worktree_place, git_failed
 */
export async function createWorktree(place: GitPlace, request: WorktreeRequest): Promise<MadeWorktree> {
  const repository = await findRepository(place);
  const start = await findStart(place, request);
  const path = join(repository.root, WORKTREES, request.name);
  await requireFree(place, path);
  const made = await makeWorktreePlace(repository.root);
  // From here on the folder belongs to this call, and only this call removes it. Git takes an empty one.
  await mkdir(path).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'EEXIST' ? worktreeExists(path, 'is there already', 'Choose another name') : cause;
  });
  const here = { ...place, cwd: repository.root };
  let isNewBranch = false;
  try {
    await hideFromStatus(place, repository, path);
    await addWorktree(here, { ...start, path, isNewBranch: start.isNew });
    isNewBranch = start.isNew;
    const leftOut = await copyIncluded(repository.root, path, await includedFiles(here, repository.root));
    const { root, below } = repository;
    const inside = join(path, below);
    const folder = (await lstat(inside).catch(() => null))?.isDirectory() === true ? inside : path;
    const { branch, base, commit } = start;
    return { path, repository: root, branch, base, isNewBranch, commit, folder, leftOut };
  } catch (cause) {
    await undoWorktree(place, { repository: repository.root, path, ...start, isNewBranch });
    // Only those that were made for it, and only if nothing else is in them.
    for (const folder of made.reverse()) await rmdir(folder).catch(() => undefined);
    throw cause;
  }
}

/**
 * Adds a worktree, and makes its branch first if that is new. A branch that another call has made in the meantime
 * stays that call's.
 * @param place the main checkout
 * @throws CatalogueError git_failed, disk_full; a branch that was made here is deleted again
 */
export async function addWorktree(
  place: GitPlace,
  { path, branch, commit, isNewBranch }: Pick<MadeWorktree, 'path' | 'branch' | 'commit' | 'isNewBranch'>,
  flags: readonly string[] = [],
): Promise<void> {
  if (isNewBranch) await runGit(['branch', '--no-track', '--', branch, commit], place);
  try {
    await runGit(['worktree', 'add', '--quiet', ...flags, '--', path, branch], place);
  } catch (cause) {
    if (isNewBranch) await deleteBranchAt(place, branch, commit);
    throw cause;
  }
}

/** Deletes a branch that is still at a commit, so that nobody's later commits are lost. */
async function deleteBranchAt(place: GitPlace, branch: string, commit: string): Promise<void> {
  await tryGit(['update-ref', '-d', `refs/heads/${branch}`, commit], place);
}

/** Removes a worktree that was just made and never used, and its branch if that was made with it. */
export async function undoWorktree(
  place: GitPlace,
  made: Pick<MadeWorktree, 'repository' | 'path' | 'branch' | 'commit' | 'isNewBranch'>,
): Promise<void> {
  const here = { ...place, cwd: made.repository };
  await rm(made.path, { recursive: true, force: true });
  await tryGit(['worktree', 'remove', '--force', '--', made.path], here);
  if (made.isNewBranch) await deleteBranchAt(here, made.branch, made.commit);
}

interface Start {
  branch: string;
  isNew: boolean;
  commit: string;
  base: string | null;
}

async function findStart(place: GitPlace, { name, branch: asked, from }: WorktreeRequest): Promise<Start> {
  const head = await commitOf(place, 'HEAD');
  if (head === null) throw new CatalogueError('no_commit');
  const branch = asked ?? name;
  if (!(await isBranchName(place, branch))) {
    throw new CatalogueError('invalid_branch', `${JSON.stringify(branch)} cannot be the name of a branch`);
  }
  const here = await currentBranch(place);
  const existing = await commitOf(place, `refs/heads/${branch}`);
  if (existing !== null) {
    const worktree = (await listWorktrees(place)).find((one) => one.branch === branch);
    if (worktree !== undefined) throw branchInUse(branch, worktree);
    if (asked === null || from !== null) {
      const hint = from === null ? `--worktree ${branch} takes it` : 'Leave --from out to take it as it is';
      throw new CatalogueError('branch_exists', `There is a branch ${branch} already`, { hint });
    }
    return { branch, isNew: false, commit: existing, base: here };
  }
  const commit = from === null ? head : await commitOf(place, from);
  if (commit === null) throw new CatalogueError('no_such_ref', `There is no commit ${JSON.stringify(from)} here`);
  const isBranch = from !== null && (await commitOf(place, `refs/heads/${from}`)) === commit;
  return { branch, isNew: true, commit, base: isBranch ? from : here };
}

function branchInUse(branch: string, { path }: ListedWorktree): CatalogueError {
  return new CatalogueError('branch_in_use', `The branch ${branch} is checked out in ${path}`, {
    hint: `\`cbos new NAME ${path}\` starts a session there; another branch gets a worktree of its own`,
    extra: { worktree: path },
  });
}

async function requireFree(place: GitPlace, path: string): Promise<void> {
  const isListed = (await listWorktrees(place)).some((one) => one.path === path);
  const isThere = (await lstat(path).catch(() => null)) !== null;
  if (!isListed && !isThere) return;
  const hint = !isThere
    ? '`git worktree prune` forgets it'
    : isListed
      ? `\`cbos new NAME ${path}\` starts a session there`
      : 'Choose another name, or move it away';
  throw worktreeExists(path, isThere ? 'is there already' : 'is listed by git, but its folder is gone', hint);
}

function worktreeExists(path: string, what: string, hint: string): CatalogueError {
  return new CatalogueError('worktree_exists', `${path} ${what}`, { hint, extra: { worktree: path } });
}

/** Makes the folder for worktrees. A link in its place could lead anywhere. @returns the folders that it made */
export async function makeWorktreePlace(root: string): Promise<string[]> {
  const made: string[] = [];
  for (const folder of [dirname(join(root, WORKTREES)), join(root, WORKTREES)]) {
    try {
      await mkdir(folder);
      made.push(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    // Before anything is made in it.
    if (!(await lstat(folder)).isDirectory()) {
      throw new CatalogueError('worktree_place', `${folder} isn't a folder of its own: a file or a symbolic link`);
    }
  }
  return made;
}

/**
 * Keeps worktrees out of the status of the main checkout: `git add -A` there would take one as a submodule. In
 * `info/exclude`, which belongs to this clone alone.
 */
async function hideFromStatus(place: GitPlace, { root, commonDir }: Repository, path: string): Promise<void> {
  const here = { ...place, cwd: root };
  if ((await tryGit(['check-ignore', '--quiet', '--', path], here)).code === 0) return;
  if (!(await makeFolders(commonDir, 'info'))) return;
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  const file = await open(join(commonDir, 'info', 'exclude'), flags, 0o644);
  try {
    if ((await file.stat()).isFile()) await file.appendFile(`\n/${WORKTREES}/\n`);
  } finally {
    await file.close();
  }
}
