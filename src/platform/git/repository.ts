/**
 * Git, without running anything of the repository: `run-git.ts`.
 *
 * - the repository of a folder, its worktrees, branches and commits: this file
 * - a new worktree: `create-worktree.ts`, with what `.worktreeinclude` names: `include-files.ts`
 * - its end: `finish-worktree.ts`; everything of it in a ref, and back: `save-work.ts`, `restore-work.ts`; its commits
 *   into another branch: `merge-branch.ts`, `advance-branch.ts`
 */
import { lstat, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { CatalogueError } from '../../protocol/index.ts';
import { askGit, type GitPlace, gitFailed, runGit, tryGit } from './run-git.ts';

/** A repository, seen from one of its checkouts. */
export interface Repository {
  /** the main checkout: its folder holds all worktrees that CBOS makes */
  root: string;
  /** the git directory that all worktrees share */
  commonDir: string;
  /** the checkout that the folder is in */
  checkout: string;
  /** the folder, relative to its checkout; empty for the checkout itself */
  below: string;
}

/** One worktree, as git lists it; the first one is the main checkout. */
export interface ListedWorktree {
  path: string;
  /** without `refs/heads/`; null if its HEAD is detached */
  branch: string | null;
  isLocked: boolean;
  isBare: boolean;
}

/**
 * The repository of a folder.
 * @throws CatalogueError not_a_repository, git_not_found, git_failed
 */
export async function findRepository(place: GitPlace): Promise<Repository> {
  const args = ['rev-parse', '--path-format=absolute', '--is-inside-work-tree', '--git-common-dir', '--git-dir'];
  const found = await tryGit(args, place);
  if (found.code !== 0) {
    if (/not a git repository|safe\.bareRepository/.test(found.stderr)) throw notARepository(place.cwd);
    throw gitFailed(args, found);
  }
  const [isInside, commonDir = '', gitDir = ''] = found.stdout.toString('utf8').split('\n');
  if (isInside !== 'true') throw notARepository(place.cwd);
  const checkout = await askGit(['rev-parse', '--show-toplevel'], place);
  const below = relative(await realpath(checkout), await realpath(place.cwd));
  // The configuration of a repository may name any folder as its working tree.
  if (below === '..' || below.startsWith('../')) {
    throw notARepository(place.cwd, `git says that its working tree is ${checkout}`);
  }
  const root = gitDir === commonDir ? checkout : await mainCheckout(place, commonDir);
  return { root, commonDir, checkout, below };
}

async function mainCheckout(place: GitPlace, commonDir: string): Promise<string> {
  const [main] = await listWorktrees(place);
  if (main === undefined || main.isBare) throw notARepository(place.cwd, 'the repository is bare');
  const found = await tryGit(['rev-parse', '--path-format=absolute', '--git-common-dir'], { ...place, cwd: main.path });
  if (found.stdout.toString('utf8') !== `${commonDir}\n`) {
    throw notARepository(place.cwd, `its main checkout isn't at ${main.path}`);
  }
  return main.path;
}

function notARepository(path: string, why?: string): CatalogueError {
  const message = `${JSON.stringify(path)} isn't in the working tree of a git repository`;
  return new CatalogueError('not_a_repository', why === undefined ? message : `${message}: ${why}`);
}

/** All worktrees of a repository, the main checkout first. */
export async function listWorktrees(place: GitPlace): Promise<ListedWorktree[]> {
  const listed = await askGit(['worktree', 'list', '--porcelain', '-z'], place);
  return listed.split('\0\0').flatMap((block) => {
    const lines = block.split('\0').filter((line) => line !== '');
    const [first] = lines;
    if (first === undefined) return [];
    const branch = lines.find((line) => line.startsWith(BRANCH_LINE));
    return [
      {
        path: first.slice('worktree '.length),
        branch: branch?.slice(BRANCH_LINE.length) ?? null,
        isLocked: lines.some((line) => line === 'locked' || line.startsWith('locked ')),
        isBare: lines.includes('bare'),
      },
    ];
  });
}
const BRANCH_LINE = 'branch refs/heads/';

/** The commit that a name stands for; null if there is none. A name that begins with a dash is none. */
export async function commitOf(place: GitPlace, name: string): Promise<string | null> {
  if (name.startsWith('-') || name.includes('\0')) return null;
  const found = await tryGit(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`], place);
  return found.code === 0 ? found.stdout.toString('utf8').trim() : null;
}

/** The branch that a checkout is on; null if its HEAD is detached. */
export async function currentBranch(place: GitPlace): Promise<string | null> {
  const found = await tryGit(['symbolic-ref', '--quiet', '--short', 'HEAD'], place);
  return found.code === 0 ? found.stdout.toString('utf8').trim() : null;
}

/** Whether git takes it as the name of a branch. */
export async function isBranchName(place: GitPlace, name: string): Promise<boolean> {
  if (name.startsWith('-') || name === 'HEAD' || name.includes('\0') || name.includes('@{')) return false;
  return (await tryGit(['check-ref-format', `refs/heads/${name}`], place)).code === 0;
}

/** The names in a list that git ended with NULs. */
export function namesIn(list: Buffer): string[] {
  return list
    .toString('utf8')
    .split('\0')
    .filter((name) => name !== '');
}

/**
 * The names in a list that git ended with NULs, with a character for each byte (Latin-1): a name on Linux may be no
 * UTF-8. `bytePath` makes a path of one.
 */
export function byteNamesIn(list: Buffer): string[] {
  return list
    .toString('latin1')
    .split('\0')
    .filter((name) => name !== '');
}

/** The path of such a name in a folder, for the file system. */
export function bytePath(folder: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]);
}

/** Such a name as people read it. */
export function textOf(name: string): string {
  return Buffer.from(name, 'latin1').toString('utf8');
}

export function treeOf(place: GitPlace, commit: string): Promise<string> {
  return askGit(['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`], place);
}

/** Whether one commit is in the history of another. */
export async function isAncestor(place: GitPlace, older: string, newer: string): Promise<boolean> {
  return (await tryGit(['merge-base', '--is-ancestor', older, newer], place)).code === 0;
}

/** The files of a checkout that are in no commit, or changed since: as git tells them, without what it ignores. */
export async function uncommittedFiles(place: GitPlace, untracked: 'all' | 'no' = 'all'): Promise<string[]> {
  const flags = ['status', '--porcelain', '-z', '--no-renames', '--ignore-submodules=dirty'];
  return namesIn(await runGit([...flags, `--untracked-files=${untracked}`], place)).map((line) => line.slice(3));
}

/** What git keeps in the git directory of a checkout as long as an operation is not done. */
const OPERATIONS = [
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'BISECT_LOG',
  'rebase-merge',
  'rebase-apply',
  'sequencer',
];

/** Refuses a checkout in which a merge or the like is not done. @throws CatalogueError operation_in_progress */
export async function requireNoOperation(place: GitPlace): Promise<void> {
  const gitDir = await askGit(['rev-parse', '--absolute-git-dir'], place);
  for (const name of OPERATIONS) {
    if (!(await isThere(join(gitDir, name)))) continue;
    throw new CatalogueError('operation_in_progress', `${place.cwd} is in the middle of something (${name})`);
  }
}

/** Whether anything is there, be it a link that leads nowhere. */
export async function isThere(path: string | Buffer): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}
