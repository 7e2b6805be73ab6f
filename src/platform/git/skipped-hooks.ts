import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { checkoutOf } from './advance-branch.ts';
import type { MergeHow } from './merge-branch.ts';
import { isAncestor } from './repository.ts';
import { askGit, type GitPlace, tryGit } from './run-git.ts';

/** Hooks that git runs when it moves a checked-out branch (git 2.39). */
const MOVES = ['post-merge', 'post-index-change', 'reference-transaction'] as const;
/** Hooks that `git merge`, and `git merge --squash` with `git commit`, run in the checkout of the base (git 2.39). */
const IN_BASE: Readonly<Record<MergeHow | 'fast_forward', readonly string[]>> = {
  fast_forward: MOVES,
  merge: ['pre-merge-commit', 'prepare-commit-msg', 'commit-msg', ...MOVES],
  rebase: MOVES,
  squash: ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', ...MOVES],
};
/** Hooks that `git rebase` runs in the worktree (git 2.39). */
const IN_WORKTREE = ['pre-rebase', 'post-checkout', 'prepare-commit-msg', 'post-commit', 'post-rewrite'] as const;
/** Hooks that `git push` runs in the worktree, the second one for the remote-tracking branch (git 2.39). */
const IN_PUSH = ['pre-push', 'reference-transaction'] as const;

export interface HookedMerge {
  base: string;
  /** the commit that the base points to */
  from: string;
  /** the last commit in the worktree, which the base does not contain */
  tip: string;
  worktree: string;
}

/**
 * Returns the hooks that exist and that git itself would run for the same merge, sorted by name, for each way of
 * merging. CBOS runs none of them; see `run-git.ts`.
 * @param place the main checkout
 */
export async function skippedHooks(
  place: GitPlace,
  { base, from, tip, worktree }: HookedMerge,
): Promise<Record<MergeHow, string[]>> {
  const isFastForward = await isAncestor(place, from, tip);
  const inBase = await hooksOf({ ...place, cwd: (await checkoutOf(place, base)) ?? place.cwd });
  const inWorktree = await hooksOf({ ...place, cwd: worktree });
  const find = (how: MergeHow): string[] => {
    const isForward = isFastForward && how !== 'squash';
    const names = IN_BASE[isForward ? 'fast_forward' : how].filter((name) => inBase.has(name));
    const others = how === 'rebase' && !isForward ? IN_WORKTREE.filter((name) => inWorktree.has(name)) : [];
    return [...new Set([...names, ...others])].sort();
  };
  return { merge: find('merge'), rebase: find('rebase'), squash: find('squash') };
}

/** Like {@link skippedHooks}, for a push of a worktree's branch. @param place the worktree */
export async function skippedPushHooks(place: GitPlace): Promise<string[]> {
  const found = await hooksOf(place);
  return IN_PUSH.filter((name) => found.has(name));
}

/** Returns the names of the hooks that git itself would run in a checkout. */
async function hooksOf(place: GitPlace): Promise<ReadonlySet<string>> {
  const folder = await hooksFolder(place);
  const names = [...new Set([...Object.values(IN_BASE).flat(), ...IN_WORKTREE, ...IN_PUSH])];
  const found = await Promise.all(names.map((name) => isHook(folder, name)));
  return new Set([...names.filter((_, index) => found[index]), ...(await configuredEvents(place))]);
}

async function hooksFolder(place: GitPlace): Promise<string> {
  const [named] = (await ownValues(place, ['--type=path', '--get-all', 'core.hooksPath'])).slice(-1);
  if (named !== undefined) return resolve(await askGit(['rev-parse', '--show-toplevel'], place), named);
  return join(await askGit(['rev-parse', '--path-format=absolute', '--git-common-dir'], place), 'hooks');
}

/** git runs no file that is not executable. */
async function isHook(folder: string, name: string): Promise<boolean> {
  const path = join(folder, name);
  try {
    await access(path, constants.X_OK);
    if (!(await stat(path)).isFile()) return false;
    // Husky 9 creates a file for every hook in the folder `_`. It runs the file beside that folder, if there is one.
    const isHusky = basename(folder) === '_' && (await isFile(join(folder, 'h')));
    return !isHusky || (await isFile(join(dirname(folder), name)));
  } catch {
    return false;
  }
}

const isFile = async (path: string): Promise<boolean> => (await stat(path).catch(() => null))?.isFile() === true;

/** Returns the events of the hooks that the configuration defines (git 2.54). */
async function configuredEvents(place: GitPlace): Promise<string[]> {
  const lines = await ownValues(place, ['--get-regexp', '^hook\\..*\\.(event|enabled)$']);
  const settings = lines.map((line) => {
    const at = line.indexOf('\n');
    const key = at < 0 ? line : line.slice(0, at);
    const dot = key.lastIndexOf('.');
    return { hook: key.slice(0, dot), name: key.slice(dot + 1), value: at < 0 ? 'true' : line.slice(at + 1) };
  });
  const isOff = (hook: string): boolean =>
    OFF.test(settings.findLast((one) => one.hook === hook && one.name === 'enabled')?.value ?? 'true');
  return settings.flatMap(({ hook, name, value }) => (name === 'event' && !isOff(hook) ? [value] : []));
}
const OFF = /^(?:false|no|off|0|)$/i;

/** Asks git for settings. Those that CBOS adds, with the scope `command`, are left out; see git-environment.ts. */
async function ownValues(place: GitPlace, words: readonly string[]): Promise<string[]> {
  const said = (await tryGit(['config', '--null', '--show-scope', ...words], place)).stdout
    .toString('utf8')
    .split('\0');
  return said.filter((_, index) => index % 2 === 1 && said[index - 1] !== 'command');
}
