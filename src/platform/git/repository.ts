/**
 * Git operations that never run anything from the repository; see `run-git.ts`.
 *
 * - this file: the repository of a folder, with its worktrees, branches and commits
 * - `create-worktree.ts`: creates a worktree
 * - `include-files.ts`: finds and copies the files listed in `.worktreeinclude`
 * - `finish-worktree.ts`: finishes a worktree
 * - `save-work.ts`, `restore-work.ts`: save everything in a ref, and restore it
 * - `merge-branch.ts`, `advance-branch.ts`: merge a worktree's commits into another branch
 */
import { lstat, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { CatalogueError } from '../../protocol/index.ts';
import { someNames } from '../../text/name-list.ts';
import { shellWord } from '../../text/shell-word.ts';
import { askGit, type GitPlace, gitFailed, runGit, tryGit } from './run-git.ts';

/** A repository, as seen from one of its checkouts. */
export interface Repository {
  /**
   * the main checkout; for a bare repository, the folder whose `.git` file names the repository or, if there is none,
   * the checkout
   */
  root: string;
  isBare: boolean;
  /** the git directory that all worktrees share */
  commonDir: string;
  /** the checkout that contains the folder */
  checkout: string;
  /** the folder, relative to its checkout; empty if it is the checkout itself */
  below: string;
}

/** A worktree, as listed by git. The first worktree in the list is the main checkout. */
export interface ListedWorktree {
  path: string;
  /** the branch without `refs/heads/`, or null if HEAD is detached */
  branch: string | null;
  /** the commit that is checked out, or null in a bare repository */
  head: string | null;
  isLocked: boolean;
  isBare: boolean;
}

/**
 * Finds the repository that a folder belongs to.
 * @throws CatalogueError not_a_repository, git_not_found, git_failed
 */
export async function findRepository(place: GitPlace): Promise<Repository> {
  const args = ['rev-parse', '--path-format=absolute', '--is-inside-work-tree', '--git-common-dir', '--git-dir'];
  const found = await tryGit(args, place);
  if (found.code !== 0) {
    if (!(await isThere(place.cwd))) throw notARepository(place.cwd, 'it does not exist');
    if (/not a git repository|safe\.bareRepository/.test(found.stderr)) throw notARepository(place.cwd);
    throw gitFailed(args, found);
  }
  const [isInside, commonDir = '', gitDir = ''] = found.stdout.toString('utf8').split('\n');
  if (isInside !== 'true') {
    const root = await bareRoot(place, commonDir);
    if (root === null || (await realpath(place.cwd)) !== (await realpath(root))) throw notARepository(place.cwd);
    return { root, isBare: true, commonDir, checkout: root, below: '' };
  }
  const checkout = await askGit(['rev-parse', '--show-toplevel'], place);
  const below = relative(await realpath(checkout), await realpath(place.cwd));
  // A repository's configuration may name any folder as its working tree.
  if (below === '..' || below.startsWith('../')) {
    throw notARepository(place.cwd, `git reports ${checkout} as its working tree`);
  }
  if (gitDir === commonDir) return { root: checkout, isBare: false, commonDir, checkout, below };
  const [main] = await listWorktrees(place);
  const isBare = main?.isBare === true;
  const root = isBare ? ((await bareRoot(place, commonDir)) ?? checkout) : await mainCheckout(place, commonDir, main);
  return { root, isBare, commonDir, checkout, below };
}

/**
 * Returns the folder that holds a bare repository and its worktrees: its `.git` is a file that names the repository. A
 * plain bare repository has no such folder.
 */
async function bareRoot(place: GitPlace, commonDir: string): Promise<string | null> {
  const folder = dirname(commonDir);
  const words = ['rev-parse', '--path-format=absolute', '--is-bare-repository', '--git-common-dir'];
  const isFile = (await lstat(join(folder, '.git')).catch(() => null))?.isFile() === true;
  const found = isFile ? await tryGit(words, { ...place, cwd: folder }) : null;
  return found?.stdout.toString('utf8') === `true\n${commonDir}\n` ? folder : null;
}

async function mainCheckout(place: GitPlace, commonDir: string, main?: ListedWorktree): Promise<string> {
  if (main === undefined) throw notARepository(place.cwd);
  if (!(await isThere(main.path)) || main.path === commonDir) {
    throw new CatalogueError('not_a_repository', `git does not know where the main checkout of ${commonDir} is`, {
      hint: 'Its git directory is elsewhere. Run the command again in the main checkout',
    });
  }
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

/** Returns all worktrees of a repository, beginning with the main checkout. */
export async function listWorktrees(place: GitPlace): Promise<ListedWorktree[]> {
  const listed = await askGit(['worktree', 'list', '--porcelain', '-z'], place);
  const [main, ...others] = readList(listed);
  if (main === undefined) return [];
  const isKnown = main.isBare || (await isThere(join(main.path, '.git')));
  return [isKnown ? main : { ...main, path: (await separateCheckout(place)) ?? main.path }, ...others];
}

/**
 * Returns the main checkout of a repository whose git directory is elsewhere: a submodule, or a clone with
 * `--separate-git-dir`. git 2.39 then lists the git directory instead of the checkout. Returns null if only the main
 * checkout itself knows where it is, and `place` is another worktree.
 */
async function separateCheckout(place: GitPlace): Promise<string | null> {
  const words = ['rev-parse', '--path-format=absolute', '--git-common-dir', '--git-dir', '--show-toplevel'];
  const [commonDir = '', gitDir, checkout] = (await tryGit(words, place)).stdout.toString('utf8').split('\n');
  if (gitDir === commonDir && checkout !== undefined && checkout !== '') return checkout;
  // With `extensions.worktreeConfig`, the setting is in a file of its own.
  for (const file of ['config.worktree', 'config']) {
    const asked = await tryGit(['config', '--file', join(commonDir, file), '--get', 'core.worktree'], place);
    if (asked.code === 0) return resolve(commonDir, asked.stdout.toString('utf8').replace(/\n$/, ''));
  }
  return null;
}

function readList(listed: string): ListedWorktree[] {
  return listed.split('\0\0').flatMap((block) => {
    const lines = block.split('\0').filter((line) => line !== '');
    const [first] = lines;
    if (first === undefined) return [];
    const branch = lines.find((line) => line.startsWith(BRANCH_LINE));
    return [
      {
        path: first.slice('worktree '.length),
        branch: branch?.slice(BRANCH_LINE.length) ?? null,
        head: lines.find((line) => line.startsWith(HEAD_LINE))?.slice(HEAD_LINE.length) ?? null,
        isLocked: lines.some((line) => line === 'locked' || line.startsWith('locked ')),
        isBare: lines.includes('bare'),
      },
    ];
  });
}
const BRANCH_LINE = 'branch refs/heads/';
const HEAD_LINE = 'HEAD ';

/** Returns the commit that a name refers to, or null if there is none or if the name begins with a dash. */
export async function commitOf(place: GitPlace, name: string): Promise<string | null> {
  if (name.startsWith('-') || name.includes('\0')) return null;
  const found = await tryGit(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`], place);
  return found.code === 0 ? found.stdout.toString('utf8').trim() : null;
}

/** Returns the branch that is checked out, or null if HEAD is detached. */
export async function currentBranch(place: GitPlace): Promise<string | null> {
  const found = await tryGit(['symbolic-ref', '--quiet', '--short', 'HEAD'], place);
  return found.code === 0 ? found.stdout.toString('utf8').trim() : null;
}

/** Returns the branch that is checked out, or null if HEAD is detached or names a branch that does not exist. */
export async function existingBranch(place: GitPlace): Promise<string | null> {
  return (await commitOf(place, 'HEAD')) === null ? null : currentBranch(place);
}

/**
 * Returns the error for a checkout whose HEAD leads to no commit. This does not mean that the repository has none: in a
 * bare clone, HEAD may name a branch that was never there or has been renamed.
 */
export async function noHead(place: GitPlace, isBare: boolean): Promise<CatalogueError> {
  const format = '--format=%(refname:lstrip=2)';
  const named = await currentBranch(place);
  const listed = await askGit(['for-each-ref', format, 'refs/heads', 'refs/remotes'], place);
  const branches = listed.split('\n').filter((name) => name !== '' && !name.endsWith('/HEAD'));
  const [first] = branches;
  if (first === undefined || named === null) return new CatalogueError('no_commit');
  const command = `git -C ${shellWord(place.cwd)} symbolic-ref HEAD refs/heads/BRANCH`;
  const change = isBare ? `; \`${command}\` makes BRANCH the default` : '';
  return new CatalogueError(
    'no_such_ref',
    `HEAD names the branch ${named}, which does not exist. There is ${someNames(branches)}`,
    { hint: `Choose the base with --from, as in \`--from ${shellWord(first)}\`${change}` },
  );
}

/** Reports whether git accepts a name as the name of a branch. */
export async function isBranchName(place: GitPlace, name: string): Promise<boolean> {
  if (name.startsWith('-') || name === 'HEAD' || name.includes('\0') || name.includes('@{')) return false;
  return (await tryGit(['check-ref-format', `refs/heads/${name}`], place)).code === 0;
}

/** Splits a NUL-terminated list from git into names. */
export function namesIn(list: Buffer): string[] {
  return list
    .toString('utf8')
    .split('\0')
    .filter((name) => name !== '');
}

/**
 * Splits a NUL-terminated list from git into names that have one character for each byte (Latin-1), because a file name
 * on Linux need not be UTF-8. `bytePath` converts these names to paths.
 */
export function byteNamesIn(list: Buffer): string[] {
  return list
    .toString('latin1')
    .split('\0')
    .filter((name) => name !== '');
}

/** Returns the file system path for a name from {@link byteNamesIn} in a folder. */
export function bytePath(folder: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]);
}

/** Returns a name from {@link byteNamesIn} as readable text. */
export function textOf(name: string): string {
  return Buffer.from(name, 'latin1').toString('utf8');
}

export function treeOf(place: GitPlace, commit: string): Promise<string> {
  return askGit(['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`], place);
}

/** Reports whether one commit is in the history of another. */
export async function isAncestor(place: GitPlace, older: string, newer: string): Promise<boolean> {
  return (await tryGit(['merge-base', '--is-ancestor', older, newer], place)).code === 0;
}

/**
 * Returns the files in a checkout that are not in any commit or have changed since the last one, according to git.
 * Ignored files are omitted.
 */
export async function uncommittedFiles(place: GitPlace, untracked: 'all' | 'no' = 'all'): Promise<string[]> {
  const flags = ['status', '--porcelain', '-z', '--no-renames', '--ignore-submodules=dirty'];
  return namesIn(await runGit([...flags, `--untracked-files=${untracked}`], place)).map((line) => line.slice(3));
}

/** The files that git keeps in a checkout's git directory until an operation is finished. */
const OPERATIONS = [
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'BISECT_LOG',
  'rebase-merge',
  'rebase-apply',
  'sequencer',
];

/** Refuses a checkout with an unfinished merge or a similar operation. @throws CatalogueError operation_in_progress */
export async function requireNoOperation(place: GitPlace): Promise<void> {
  const gitDir = await askGit(['rev-parse', '--absolute-git-dir'], place);
  for (const name of OPERATIONS) {
    if (!(await isThere(join(gitDir, name)))) continue;
    throw new CatalogueError('operation_in_progress', `${place.cwd} has an unfinished operation (${name})`);
  }
}

/** Reports whether a linked worktree exists: a folder without a `.git` file belongs to the checkout around it. */
export const isWorktreeThere = (path: string): Promise<boolean> => isThere(join(path, '.git'));

/** Reports whether anything exists at this path, even if it is only a dangling symbolic link. */
export async function isThere(path: string | Buffer): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}
