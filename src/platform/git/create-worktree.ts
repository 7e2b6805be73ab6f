import { constants } from 'node:fs';
import { lstat, mkdir, open, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CatalogueError } from '../../protocol/index.ts';
import { shellWord } from '../../text/shell-word.ts';
import { WORKTREES } from './git-dir.ts';
import { copyIncluded, includedFiles, makeFolders } from './include-files.ts';
import {
  commitOf,
  existingBranch,
  findRepository,
  isBranchName,
  isWorktreeThere,
  type ListedWorktree,
  listWorktrees,
  noHead,
  type Repository,
} from './repository.ts';
import { type GitPlace, runGit, tryGit } from './run-git.ts';

export interface WorktreeRequest {
  /** the name of the folder, which is also the name of the session */
  name: string;
  /**
   * the branch of the worktree, which is created if it does not exist, or null for a new branch that is named after the
   * session
   */
  branch: string | null;
  /**
   * the starting point of a new branch, or null for the current commit of the checkout that the worktree is created
   * from
   */
  from: string | null;
}

export interface MadeWorktree {
  path: string;
  /** the main checkout of the repository */
  repository: string;
  branch: string;
  /** the branch that the worktree's changes go back to, or null if the worktree was not created from a branch */
  base: string | null;
  /** whether the branch was created together with the worktree */
  isNewBranch: boolean;
  /** the commit that is checked out in the new worktree */
  commit: string;
  /** the requested folder, as a path inside the worktree */
  folder: string;
  /** files listed in `.worktreeinclude` that were not copied, because a symbolic link or another file is in the way */
  leftOut: string[];
}

/**
 * Fills an empty worktree with files, instead of letting git check them out.
 * @param path the worktree
 * @returns the files that were not written
 */
export type FillWorktree = (path: string) => Promise<string[]>;

/**
 * Creates a worktree for a session in the place that Claude Code itself uses. If anything fails, the folder is removed,
 * and so is the branch if it is new.
 * @param fill null to check out the branch and copy the files listed in `.worktreeinclude`
 * @throws CatalogueError not_a_repository, no_commit, invalid_branch, no_such_ref, branch_exists, branch_in_use,
 * worktree_exists, worktree_place, git_failed
 */
export async function createWorktree(
  place: GitPlace,
  request: WorktreeRequest,
  fill: FillWorktree | null = null,
): Promise<MadeWorktree> {
  const repository = await findRepository(place);
  const start = await findStart(place, request, repository.isBare);
  const path = join(placeFor(repository), request.name);
  await requireFree(place, path);
  const made = repository.isBare ? [] : await makeWorktreePlace(repository.root);
  // From here on, the folder belongs to this call, and only this call removes it. git accepts an existing folder if it
  // is empty.
  await mkdir(path).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'EEXIST' ? worktreeExists(path, 'already exists', 'Choose another name') : cause;
  });
  const here = { ...place, cwd: repository.root };
  const source = repository.isBare ? repository.checkout : repository.root;
  let isNewBranch = false;
  try {
    if (!repository.isBare) await hideFromStatus(place, repository, path);
    await addWorktree(here, { ...start, path, isNewBranch: start.isNew }, fill === null ? [] : ['--no-checkout']);
    isNewBranch = start.isNew;
    const leftOut = await (fill === null
      ? copyIncluded(source, path, await includedFiles({ ...place, cwd: source }, source))
      : fill(path));
    const { root, below } = repository;
    const inside = join(path, below);
    const folder = (await lstat(inside).catch(() => null))?.isDirectory() === true ? inside : path;
    const { branch, base, commit } = start;
    return { path, repository: root, branch, base, isNewBranch, commit, folder, leftOut };
  } catch (cause) {
    await undoWorktree(place, { repository: repository.root, path, ...start, isNewBranch });
    // Only folders that were created for the worktree are removed, and only if they are empty.
    for (const folder of made.reverse()) await rmdir(folder).catch(() => undefined);
    throw cause;
  }
}

/**
 * Returns the folder for new worktrees. A bare repository has no main checkout that could contain them, so they are
 * next to each other, as people create them there.
 */
function placeFor({ root, commonDir, isBare }: Repository): string {
  if (!isBare) return join(root, WORKTREES);
  return root === dirname(commonDir) ? root : dirname(root);
}

/**
 * Adds a worktree. If its branch is new, the branch is created first. A branch that another call has created in the
 * meantime belongs to that other call.
 * @param place the main checkout
 * @throws CatalogueError git_failed, disk_full; if this call created the branch, it is deleted again
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

/** Deletes a branch only if it still points to this commit, so that no later commits are lost. */
async function deleteBranchAt(place: GitPlace, branch: string, commit: string): Promise<void> {
  await tryGit(['update-ref', '-d', `refs/heads/${branch}`, commit], place);
}

/**
 * Removes a worktree that has just been created and was never used, along with its branch if the branch was created for
 * it.
 */
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

async function findStart(
  place: GitPlace,
  { name, branch: asked, from }: WorktreeRequest,
  isBare: boolean,
): Promise<Start> {
  const branch = asked ?? name;
  if (!(await isBranchName(place, branch))) {
    throw new CatalogueError('invalid_branch', `${JSON.stringify(branch)} isn't a valid branch name`);
  }
  const here = await existingBranch(place);
  const existing = await commitOf(place, `refs/heads/${branch}`);
  if (existing !== null) {
    const [main, ...others] = await listWorktrees(place);
    const worktree = others.find((one) => one.branch === branch);
    if (worktree !== undefined && !(await isWorktreeThere(worktree.path))) throw branchOfGone(branch, worktree);
    if (worktree !== undefined) throw branchInUse(branch, worktree, true);
    if (main?.branch === branch) throw branchInUse(branch, main, false);
    if (asked === null || from !== null) {
      const hint =
        from === null ? `use it with --worktree ${shellWord(branch)}` : 'Leave out --from to use the branch as it is';
      throw new CatalogueError('branch_exists', `The branch ${branch} already exists`, { hint });
    }
    return { branch, isNew: false, commit: existing, base: here };
  }
  const commit = await commitOf(place, from ?? 'HEAD');
  if (commit === null && from === null) throw await noHead(place, isBare);
  if (commit === null) throw new CatalogueError('no_such_ref', `The repository has no commit ${JSON.stringify(from)}`);
  return { branch, isNew: true, commit, base: from === null ? here : await baseOf(place, { from, commit, here }) };
}

/**
 * Returns the branch to which the changes of a worktree go back that starts from a branch, tag or commit. For a remote
 * branch, it is the local branch of the same name: in any other branch, the finish would merge what both have in
 * addition.
 */
async function baseOf(
  place: GitPlace,
  { from, commit, here }: { from: string; commit: string; here: string | null },
): Promise<string | null> {
  if ((await commitOf(place, `refs/heads/${from}`)) === commit) return from;
  const named = from.replace(/^(refs\/)?remotes\//, '');
  if ((await commitOf(place, `refs/remotes/${named}`)) !== commit) return here;
  const local = named.slice(named.indexOf('/') + 1);
  return (await commitOf(place, `refs/heads/${local}`)) === null ? null : local;
}

/** @param isUsable whether a session could work in this worktree */
function branchInUse(branch: string, { path }: ListedWorktree, isUsable: boolean): CatalogueError {
  return new CatalogueError('branch_in_use', `The branch ${branch} is checked out in ${path}`, {
    hint: `\`cbos new NAME ${shellWord(path)}\` starts a session there; any other branch gets its own worktree`,
    extra: { worktree: path, ...(isUsable ? { usable: true } : {}) },
  });
}

/** git keeps the branch of a worktree whose folder was deleted by hand until the entry is removed. */
export function branchOfGone(branch: string, { path, isLocked }: ListedWorktree): CatalogueError {
  return new CatalogueError(
    'branch_in_use',
    `The branch ${branch} is checked out in the worktree ${path}, which no longer exists`,
    {
      hint: `${pruneHint({ path, isLocked })}; the branch and its commits are unchanged. \`git worktree add ${isLocked ? '-f -f' : '-f'} ${shellWord(path)} ${shellWord(branch)}\` brings the folder back instead`,
    },
  );
}

/** Returns the command that makes git forget a worktree whose folder no longer exists. git keeps a locked one. */
export function pruneHint({ path, isLocked }: Pick<ListedWorktree, 'path' | 'isLocked'>): string {
  const unlock = isLocked ? `git worktree unlock ${shellWord(path)} && ` : '';
  return `Run \`${unlock}git worktree prune\` in the repository to remove git's entry, then try again`;
}

async function requireFree(place: GitPlace, path: string): Promise<void> {
  const listed = (await listWorktrees(place)).find((one) => one.path === path);
  const isThere = (await lstat(path).catch(() => null)) !== null;
  if (listed === undefined && !isThere) return;
  const isGone = listed !== undefined && !(await isWorktreeThere(path));
  const hint = isGone
    ? pruneHint(listed)
    : listed !== undefined
      ? `\`cbos new NAME ${shellWord(path)}\` starts a session there`
      : 'Choose another name, or move the folder elsewhere';
  throw worktreeExists(path, isGone ? 'is listed by git, but the worktree no longer exists' : 'already exists', hint);
}

function worktreeExists(path: string, what: string, hint: string): CatalogueError {
  return new CatalogueError('worktree_exists', `${path} ${what}`, { hint, extra: { worktree: path } });
}

/**
 * Creates the folder for worktrees. It must be a real folder, because a symbolic link in its place could lead anywhere.
 * @returns the folders that were created
 */
export async function makeWorktreePlace(root: string): Promise<string[]> {
  const made: string[] = [];
  for (const folder of [dirname(join(root, WORKTREES)), join(root, WORKTREES)]) {
    try {
      await mkdir(folder);
      made.push(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    // The check comes before anything is created in the folder.
    if (!(await lstat(folder)).isDirectory()) {
      throw new CatalogueError('worktree_place', `${folder} is a file or a symbolic link, not a real folder`);
    }
  }
  return made;
}

/**
 * Hides worktrees from the status of the main checkout, where `git add -A` would otherwise add them as submodules. For
 * this, CBOS uses `info/exclude`, which affects only this clone.
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
