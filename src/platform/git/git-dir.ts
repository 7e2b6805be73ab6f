import { existsSync, type Stats, stat } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { readRegularFile } from '../files/regular-file.ts';

/**
 * Reads a repository's own files without running git, for the details that a list shows about each session. The places
 * that these files point to are read but never written.
 */

/**
 * The maximum size of a file that contains a branch name or a worktree reference. A larger file was not written by git.
 */
const MOST_BYTES = 4_096;

/** The folder below the main checkout in which Claude Code and CBOS keep worktrees. */
export const WORKTREES = join('.claude', 'worktrees');

/** The checkout that contains a folder. */
interface Checkout {
  folder: string;
  gitDir: string;
}

/**
 * Looks for `.git` in the folder and its parents, as git does, but without starting a process. People who mostly work
 * outside repositories would otherwise start git for nothing.
 */
export function isInRepository(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return true;
    if (dirname(at) === at) return false;
  }
}

/** Returns the checkout that contains a folder, or null outside a repository. */
export async function findCheckout(path: string): Promise<Checkout | null> {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    const gitDir = await gitDirOf(folder);
    if (gitDir !== null) return { folder, gitDir };
    if (folder === dirname(folder)) return null;
  }
}

/**
 * Returns the main checkout of the repository that contains a folder, or null outside a repository. All worktrees of a
 * repository share the main checkout. The worktrees of a bare repository share its folder, or the folder whose `.git`
 * file names it, and a submodule is a separate repository.
 */
export async function findMainCheckout(path: string): Promise<string | null> {
  const checkout = await findCheckout(path);
  if (checkout === null) return null;
  const common = (await readSmall(join(checkout.gitDir, 'commondir'))).trim();
  if (common === '') return checkout.folder;
  const commonDir = resolve(checkout.gitDir, common);
  if (basename(commonDir) === '.git') return dirname(commonDir);
  // The git directory of a submodule names the submodule's checkout.
  const [, ofSubmodule] = /^\s*worktree = (.+)$/m.exec(await readSmall(join(commonDir, 'config'))) ?? [];
  if (ofSubmodule !== undefined) return resolve(commonDir, ofSubmodule);
  // The `.git` file of a folder may name a bare repository inside the folder, next to the worktrees.
  return (await gitDirOf(dirname(commonDir))) === commonDir ? dirname(commonDir) : commonDir;
}

/**
 * Returns the place of a worktree that contains a folder, if a checkout around that place contains the folder by now,
 * because the `.git` file of the worktree is gone. Such a place is in git's list of worktrees, or is one where Claude
 * Code and CBOS make nothing but worktrees. Returns null for any other folder.
 */
export async function findLostWorktree(path: string): Promise<{ path: string; around: string } | null> {
  const checkout = await findCheckout(path);
  if (checkout === null || checkout.folder === resolve(path)) return null;
  const around = checkout.folder;
  const below = relative(join(around, WORKTREES), resolve(path));
  const [name = ''] = below.split(sep);
  if (name !== '' && name !== '..') return { path: join(around, WORKTREES, name), around };
  const isBelow = (one: string, other: string): boolean => one.startsWith(`${other}${sep}`);
  const places = (await listPlaces(checkout)).filter((one) => isBelow(one, around));
  const listed = places.find((one) => one === resolve(path) || isBelow(resolve(path), one));
  return listed === undefined ? null : { path: listed, around };
}

/** Returns the places of all worktrees in the list of a checkout's repository. */
async function listPlaces({ gitDir }: Checkout): Promise<string[]> {
  const common = (await readSmall(join(gitDir, 'commondir'))).trim();
  const list = join(common === '' ? gitDir : resolve(gitDir, common), 'worktrees');
  const names = await readdir(list).catch(() => []);
  const files = await Promise.all(names.map((name) => readSmall(join(list, name, 'gitdir'))));
  return files.flatMap((file, index) => {
    const target = file.trim();
    return target === '' ? [] : [dirname(resolve(list, names[index] ?? '', target))];
  });
}

/**
 * Returns the git directory of a folder. In a worktree or a submodule, `.git` is a file that contains the path of that
 * directory.
 */
async function gitDirOf(folder: string): Promise<string | null> {
  const git = join(folder, '.git');
  const stats = await statsOf(git);
  if (stats === null || stats.isDirectory()) return stats === null ? null : git;
  const [, target] = /^gitdir: (.+)$/m.exec(await readSmall(git)) ?? [];
  return target === undefined ? null : resolve(folder, target);
}

/** Returns the content of a small file, or an empty string if the path is not a file or cannot be read. */
export async function readSmall(file: string): Promise<string> {
  return (await readRegularFile(file, { mostBytes: MOST_BYTES }).catch(() => null)) ?? '';
}

/** Reports whether a path leads to a folder. */
export async function isFolder(path: string): Promise<boolean> {
  return (await statsOf(path))?.isDirectory() === true;
}

/** Returns null if there is nothing at the path. Node's promise API for files would take a millisecond to load. */
function statsOf(path: string): Promise<Stats | null> {
  return new Promise((resolve) => stat(path, (error, stats) => resolve(error === null ? stats : null)));
}
