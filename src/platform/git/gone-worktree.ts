import { lstat, readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { CatalogueError, isInside } from '../../protocol/index.ts';
import { anewCommand, bringBackCommand, pruneCommand, repairCommand } from '../../text/worktree-commands.ts';
import { followLinks } from '../rules/index.ts';
import { findCheckout, findLostWorktree, findMainCheckout } from './git-dir.ts';
import { commitOf, isThere, isWorktreeThere, type ListedWorktree, listWorktrees } from './repository.ts';
import type { GitPlace } from './run-git.ts';

type Environment = GitPlace['environment'];

/** A worktree whose folder was deleted by hand, or is a folder without a `.git` file by now. */
export interface GoneWorktree {
  path: string;
  /** the main checkout of its repository */
  repository: string;
  /** what has happened to the folder */
  message: string;
  /** how to bring the folder back */
  cure: string;
  /** the command that makes git forget the worktree, or null if git does not list it */
  prune: string | null;
}

/** A worktree that CBOS has recorded. */
export interface RecordedWorktree {
  path: string;
  repository: string;
  branch: string;
}

interface Found extends Omit<RecordedWorktree, 'branch'> {
  branch: string | null;
  entry: ListedWorktree | null;
}

/** Returns what has happened to a recorded worktree if it no longer exists, or null if it exists. */
export async function findGone(environment: Environment, recorded: RecordedWorktree): Promise<GoneWorktree | null> {
  const { path, repository } = recorded;
  if (await isWorktreeThere(path)) return null;
  const place = { cwd: repository, environment };
  const listed = await readList(place);
  if (listed instanceof CatalogueError) return unreadable(recorded, listed);
  const entry = listed.find((one) => one.path === path) ?? null;
  return describe(place, { path, repository, branch: entry === null ? recorded.branch : entry.branch, entry });
}

/**
 * Returns the worktree that contains a folder, if git lists the worktree although it no longer exists. In that folder,
 * git would work in the main checkout, which may contain the worktree's place.
 * @param near a repository in which the worktree may be listed, besides the repository around the folder
 */
export async function findGoneAround(
  environment: Environment,
  folder: string,
  near: string | null = null,
): Promise<GoneWorktree | null> {
  const path = (await followLinks(folder)) ?? folder;
  if (await isImpossible(path)) return null;
  const checkout = await findCheckout(path);
  const main = await findMainCheckout(path);
  // This needs no git: the folder is a checkout, or inside a worktree that exists.
  if (checkout !== null && (await isThere(path)) && (checkout.folder === path || checkout.folder !== main)) return null;
  for (const repository of new Set([main, near].filter((one) => one !== null))) {
    const place = { cwd: repository, environment };
    const listed = await readList(place);
    // The call of git that follows reports why git does not read the repository.
    if (listed instanceof CatalogueError) continue;
    const entry = listed.slice(1).find((one) => isInside(path, one.path));
    if (entry === undefined || (await isWorktreeThere(entry.path))) continue;
    return describe(place, { path: entry.path, repository, branch: entry.branch, entry });
  }
  return null;
}

/**
 * Returns the worktree that contains a folder, if it is gone and git has forgotten it, for example after `git worktree
 * prune`. Nothing but its place shows then that it was a worktree.
 */
export async function findForgottenAround(environment: Environment, folder: string): Promise<GoneWorktree | null> {
  const real = (await followLinks(folder)) ?? folder;
  const lost = (await isImpossible(real)) ? null : await findLostWorktree(real);
  if (lost === null) return null;
  const { path } = lost;
  const repository = (await findMainCheckout(lost.around)) ?? lost.around;
  const place = { cwd: repository, environment };
  // The names that Claude Code and CBOS give to the branches of their worktrees.
  for (const branch of [`worktree-${basename(path)}`, basename(path)]) {
    if ((await commitOf(place, `refs/heads/${branch}`)) === null) continue;
    return describe(place, { path, repository, branch, entry: null });
  }
  return describe(place, { path, repository, branch: null, entry: null });
}

/** Reports whether no file can have this path, because the path contains a NUL or is too long. */
async function isImpossible(path: string): Promise<boolean> {
  return lstat(path).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'ERR_INVALID_ARG_VALUE' || code === 'ENAMETOOLONG',
  );
}

/** Returns the error if git cannot read the repository. */
async function readList(place: GitPlace): Promise<ListedWorktree[] | CatalogueError> {
  return listWorktrees(place).catch((cause: unknown) => {
    if (cause instanceof CatalogueError) return cause;
    throw cause;
  });
}

async function unreadable({ path, repository }: RecordedWorktree, cause: CatalogueError): Promise<GoneWorktree> {
  const isLost = !(await isThere(repository));
  const cure = isLost ? `Its repository ${repository} no longer exists either` : `${cause.message}. ${cause.hint}`;
  return { path, repository, message: `The worktree ${path} no longer exists`, cure, prune: null };
}

async function describe(place: GitPlace, found: Found): Promise<GoneWorktree> {
  const { path, repository, entry } = found;
  const isFolder = await isThere(path);
  return {
    path,
    repository,
    message: isFolder ? `${path} is no longer a worktree of ${repository}` : `The worktree ${path} no longer exists`,
    cure: await cureOf(place, found, isFolder ? await readdir(path).catch(() => [path]) : []),
    prune: entry === null ? null : pruneCommand({ ...found, locked: entry.isLocked }),
  };
}

/** @param names what is in the folder */
async function cureOf(place: GitPlace, found: Found, names: readonly string[]): Promise<string> {
  const { branch, entry } = found;
  if (names.length > 0 && entry !== null) {
    return `\`${repairCommand(found.repository)}\` connects the folder with its branch again`;
  }
  const commit = await commitOf(place, branch === null ? (entry?.head ?? '') : `refs/heads/${branch}`);
  const move = names.length > 0 ? 'Move the folder elsewhere; then ' : '';
  const what = branch ?? entry?.head?.slice(0, SHORT);
  if (what === undefined) return `${move}\`${anewCommand(found)}\` creates one there, on a new branch`;
  if (commit === null) return `The branch ${what} no longer exists either, so git cannot bring the folder back`;
  const command = bringBackCommand({ ...found, locked: entry?.isLocked === true }, entry !== null, commit);
  return `${move}\`${command}\` brings it back with the commits of ${what}, but without uncommitted files`;
}

/** How many characters of a commit's hash are shown. */
const SHORT = 12;

/**
 * Returns the error about a worktree that no longer exists.
 * @param session the session that works in it, or null if it is not known
 */
export function goneError(
  code: 'no_such_path' | 'worktree_gone',
  { path, message, cure, prune }: GoneWorktree,
  session: string | null,
): CatalogueError {
  const forget = prune === null ? [] : [`\`${prune}\` removes git's entry`];
  const remove = session === null ? [] : [`\`cbos rm ${session}\` removes the session`];
  const without = [...forget, ...remove].join(', and ');
  const hint = without === '' ? cure : `${cure}. If you do not need the folder, ${without}`;
  return new CatalogueError(code, message, { hint, extra: { worktree: path } });
}
