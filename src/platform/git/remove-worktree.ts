import { constants, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { CatalogueError } from '../../protocol/index.ts';
import { shellWord } from '../../text/shell-word.ts';
import { mapProcesses, readProcess } from '../process/index.ts';
import { requireNoInnerRepository } from './inner-repositories.ts';
import { commitOf, isAncestor, isThere, listWorktrees } from './repository.ts';
import { askGit, type GitPlace, runGit } from './run-git.ts';
import { deleteAsides, setAside, unlist } from './set-aside.ts';

/**
 * Refuses to remove a worktree that must not be removed, regardless of its files.
 * @param place the main checkout
 * @throws CatalogueError worktree_gone, worktree_locked, worktree_nested, worktree_submodules
 */
export async function requireRemovable(place: GitPlace, path: string): Promise<void> {
  const all = await listWorktrees(place);
  const listed = all.find((one) => one.path === path);
  await requireOwn(place, path, listed !== undefined);
  if (listed?.isLocked === true) {
    throw new CatalogueError('worktree_locked', `${path} is locked`, {
      hint: `Run \`git worktree unlock ${shellWord(path)}\`, then try again; nothing was changed`,
    });
  }
  const nested = all.find((one) => one.path.startsWith(`${path}/`));
  if (nested !== undefined) throw new CatalogueError('worktree_nested', `${nested.path} is a worktree inside this one`);
  await requireNoInnerRepository({ ...place, cwd: path }, place.cwd);
}

/** A session may have replaced its worktree with something else, such as a symbolic link or another repository. */
async function requireOwn(place: GitPlace, path: string, isListed: boolean): Promise<void> {
  const isFolder = (await lstat(path).catch(() => null))?.isDirectory() === true;
  const words = ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-common-dir', '--absolute-git-dir'];
  const placesOf = async (cwd: string): Promise<string[]> => (await askGit(words, { ...place, cwd })).split('\n');
  const commonDir = await askGit(['rev-parse', '--path-format=absolute', '--git-common-dir'], place);
  const [checkout, common, gitDir] = isFolder ? await placesOf(path).catch(() => []) : [];
  if (isListed && checkout === path && common === commonDir && gitDir !== common) return;
  throw new CatalogueError('worktree_gone', `${path} is no longer a worktree of ${place.cwd}`);
}

/**
 * @param own processes that will end before the worktree is removed
 * @throws CatalogueError worktree_in_use if any other process is working in the worktree, or has a file there open for
 * writing
 */
export async function requireUnused(path: string, own: ReadonlySet<number>): Promise<void> {
  const real = await realpath(path);
  const users = await mapProcesses((pid) => {
    if (own.has(pid)) return null;
    try {
      return isWithin(real, readlinkSync(`/proc/${pid}/cwd`)) || writesWithin(real, pid) ? pid : null;
    } catch {
      // In this case, the process has ended, or it belongs to another user.
      return null;
    }
  });
  const infos = (await Promise.all(users.map(readProcess))).filter((one) => one !== null);
  // CBOS itself runs git in this folder to count changes. Such a git process only reads, and ends on its own.
  const others = infos.filter(({ comm, ppid }) => comm !== 'git' || ppid !== process.pid);
  if (others.length === 0) return;
  const named = others.map(({ pid, comm }) => `${pid} (${comm})`).join(', ');
  const pids = others.map(({ pid }) => pid);
  throw new CatalogueError('worktree_in_use', `Processes are running or writing in ${path}: ${named}`, {
    extra: { pids },
  });
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** What such a process writes after the files are saved would be lost. */
function writesWithin(folder: string, pid: number): boolean {
  return readdirSync(`/proc/${pid}/fd`).some((fd) => {
    try {
      if (!isWithin(folder, readlinkSync(`/proc/${pid}/fd/${fd}`))) return false;
      const [, flags = '0'] = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'latin1')) ?? [];
      return (Number.parseInt(flags, 8) & (constants.O_WRONLY | constants.O_RDWR)) !== 0;
    } catch {
      // The file has been closed.
      return false;
    }
  });
}

/**
 * Removes a worktree whose files have been saved. The worktree disappears in a single step. If the server is killed
 * during the rest, calling this function again completes it.
 * @param place the main checkout
 * @returns what is left of the worktree's folder (a file in it may belong to another user), or null if nothing is left
 */
export async function removeWorktree(place: GitPlace, path: string): Promise<string | null> {
  if (await isThere(path)) await setAside(path);
  await unlist(place, path);
  const { left } = await deleteAsides(place, dirname(path), basename(path));
  return left[0] ?? null;
}

/**
 * Deletes a branch if it is in the history of a saved commit and is not checked out anywhere.
 * @returns whether the branch still exists
 */
export async function deleteBranch(place: GitPlace, branch: string, savedIn: string): Promise<boolean> {
  const ref = `refs/heads/${branch}`;
  const tip = await commitOf(place, ref);
  if (tip === null) return false;
  const isUsed = (await listWorktrees(place)).some((one) => one.branch === branch);
  if (isUsed || !(await isAncestor(place, tip, savedIn))) return true;
  await runGit(['update-ref', '-d', ref, tip], place);
  return false;
}
