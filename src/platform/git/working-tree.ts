import { realpath, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { CatalogueError } from '../../protocol/index.ts';
import { type GitCall, readGit } from './read-git.ts';

/** Where the parts of a repository are, as seen from one of its working trees. */
export interface WorkingTree {
  /** the top directory of the working tree */
  root: string;
  /** the files that belong to this working tree: `HEAD`, the index */
  gitDir: string;
  /** the files that all working trees of the repository share: objects, branches, `info/exclude` */
  commonDir: string;
  /** the full name of the branch that is checked out, or null if there is none */
  branch: string | null;
  /** the last commit, or null before the first one */
  head: string | null;
}

/**
 * Finds the repository of a folder. git reads the repository's configuration, but runs no program that is specified
 * there.
 * @throws CatalogueError no_such_path, not_a_repository, git_not_found, git_failed
 */
export async function findWorkingTree(folder: string, call: Pick<GitCall, 'env' | 'signal'>): Promise<WorkingTree> {
  const isFolder = await stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new CatalogueError('no_such_path', `The directory ${JSON.stringify(folder)} no longer exists`);
  const ask = (args: readonly string[]) => readGit(args, { ...call, cwd: folder, answers: [0, 1, 128] });
  const words = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir', 'HEAD^{commit}'];
  const found = await ask(['rev-parse', ...words, '--symbolic-full-name', 'HEAD']);
  const [root = '', gitDir = '', commonDir = '', head = '', branch = '', ...more] = lines(found.stdout);
  // Before the first commit, git repeats the words that it does not understand.
  const hasCommit = found.code === 0;
  if (commonDir === '' || more.length > 0 || (!hasCommit && branch !== ''))
    throw new CatalogueError('not_a_repository', `${JSON.stringify(folder)} isn't inside a git working tree`);
  await requireInside(folder, root);
  return {
    root,
    gitDir,
    commonDir: resolve(folder, commonDir),
    branch: hasCommit ? nullIf(branch, 'HEAD') : nullIf(lines((await ask(UNBORN)).stdout)[0] ?? '', ''),
    head: hasCommit ? head : null,
  };
}
/** Names the branch of a repository that has no commit yet. */
const UNBORN = ['symbolic-ref', '--quiet', 'HEAD'];

function nullIf(name: string, none: string): string | null {
  return name === none ? null : name;
}

/**
 * Refuses a working tree that is elsewhere according to the configuration (`core.worktree`), because a hostile
 * repository could pass off a user's other folders as changes.
 */
async function requireInside(folder: string, root: string): Promise<void> {
  const [inner, outer] = await Promise.all([realpath(folder), realpath(root).catch(() => null)]);
  if (outer !== null && (inner === outer || inner.startsWith(outer === sep ? sep : outer + sep))) return;
  throw new CatalogueError('not_a_repository', "The folder's repository has its working tree elsewhere", {
    hint: '`git config core.worktree` shows where; start a session in that folder to see its changes',
  });
}

export function lines(output: Buffer): string[] {
  return output.toString('utf8').split('\n').slice(0, -1);
}
