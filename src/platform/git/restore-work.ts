import { chmod, lstat, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CatalogueError, type Recovered } from '../../protocol/index.ts';
import { addWorktree, branchOfGone, makeWorktreePlace, undoWorktree } from './create-worktree.ts';
import { WORKTREES } from './git-dir.ts';
import { isBelow } from './include-files.ts';
import {
  bytePath,
  commitOf,
  findRepository,
  isBranchName,
  isThere,
  listWorktrees,
  textOf,
  treeOf,
} from './repository.ts';
import { askGit, type GitPlace, runGit, tryGit } from './run-git.ts';
import { CBOS_IDENTITY, findState, type SavedState } from './saved-work.ts';

export interface RecoverRequest {
  /** the state to restore, as returned by `listStates` */
  id: string;
  /** the name for the restored branch, or null for its former name */
  branch: string | null;
  /** the folder for the worktree, undefined for its former place, or null to restore only the branch */
  folder: string | null | undefined;
}

/**
 * Restores a saved worktree. In a restored worktree, each file has the same bytes, and is changed, staged, or untracked
 * as it was before. A restored branch has the same commits, plus one commit that contains everything that was not
 * committed.
 * @param given a folder in the repository
 * @throws CatalogueError not_a_repository, no_such_save, no_commit, invalid_branch, branch_exists, branch_in_use,
 * worktree_exists, worktree_place, git_failed, disk_full
 */
export async function recoverWork(given: GitPlace, request: RecoverRequest): Promise<Recovered> {
  const { root, commonDir } = await findRepository(given);
  const place = { ...given, cwd: root };
  const state = await findState(place, { repository: root, id: request.id });
  const branch = request.branch ?? state.branch;
  if (!(await isBranchName(place, branch))) {
    throw new CatalogueError('invalid_branch', `${JSON.stringify(branch)} isn't a valid branch name`);
  }
  const existing = await commitOf(place, `refs/heads/${branch}`);
  if (request.folder === null) {
    if (existing !== null) throw branchExists(branch);
    const commit = await asOneCommit(place, state);
    await runGit(['update-ref', '-m', 'cbos recover', `refs/heads/${branch}`, commit, ''], place);
    return { branch, commit, folder: null };
  }
  const { head } = state;
  if (head === null)
    throw new CatalogueError('no_commit', 'The branch of the worktree had no commits', {
      hint: 'Use --branch without --to',
    });
  if (existing !== null && existing !== head) throw branchExists(branch);
  const user = (await listWorktrees(place)).find((one) => one.branch === branch);
  if (user !== undefined && !(await isThere(user.path))) throw branchOfGone(branch, user);
  if (user !== undefined) {
    throw new CatalogueError('branch_in_use', `The branch ${branch} is checked out in ${user.path}`, {
      hint: 'Choose another branch: `--branch BRANCH`',
    });
  }
  const folder = request.folder ?? state.folder;
  await requireFreeFolder(root, folder);
  const made = { repository: root, path: folder, branch, commit: head, isNewBranch: existing === null };
  // If creating the folder fails, whatever is in its place by now is not ours.
  await addWorktree(place, made, ['--no-checkout']);
  try {
    await writeState({ ...place, cwd: folder }, state, commonDir);
  } catch (cause) {
    await undoWorktree(place, made);
    throw cause;
  }
  return { branch, commit: head, folder };
}

function branchExists(branch: string): CatalogueError {
  return new CatalogueError('branch_exists', `The branch ${branch} already exists and points to another commit`, {
    hint: 'Choose another name: `--branch BRANCH`',
  });
}

async function requireFreeFolder(root: string, folder: string): Promise<void> {
  if (!folder.startsWith('/')) throw new CatalogueError('worktree_place', `${folder} isn't an absolute path`);
  if (await isThere(folder)) {
    throw new CatalogueError('worktree_exists', `${folder} already exists`, {
      hint: 'Choose another folder: `--to FOLDER`',
    });
  }
  if (dirname(folder) === join(root, WORKTREES)) await makeWorktreePlace(root);
}

async function asOneCommit(place: GitPlace, { tree, head, session, at }: SavedState): Promise<string> {
  if (head !== null && tree === (await treeOf(place, head))) return head;
  const parents = head === null ? [] : ['-p', head];
  const words = ['commit-tree', ...parents, '-m', `Uncommitted files of ${session} (${at})`, tree];
  return askGit(words, { ...place, variables: CBOS_IDENTITY });
}

/** The files of a worktree as commits or trees, along with the names of the files that only their owner may read. */
export type WorktreeState = Pick<SavedState, 'commit' | 'included' | 'staged' | 'head' | 'ownerOnly'>;

/** Fills an empty worktree with files. */
export async function writeState(place: GitPlace, state: WorktreeState, commonDir: string): Promise<void> {
  const gitDir = await askGit(['rev-parse', '--absolute-git-dir'], place);
  for (const commit of [state.commit, state.included]) {
    if (commit !== null) await writeFiles(place, { commit, gitDir, commonDir });
  }
  await restrictToOwner(place.cwd, state.ownerOnly);
  // Untracked files are untracked again afterwards, because the index does not contain them.
  await runGit(['read-tree', state.staged ?? state.head ?? '--empty'], place);
  await tryGit(['update-index', '-q', '--refresh'], place);
}

/**
 * Attributes that override all attributes of the repository. No line ending is changed, and nothing is expanded,
 * encoded, or filtered.
 */
export const AS_THEY_ARE = '* -text !eol !ident !filter !working-tree-encoding\n';

/**
 * Writes the files of a commit into a folder, byte for byte. For this, git uses a separate git directory whose
 * attributes override those of the repository. Symbolic links are not followed, and nothing outside the folder is
 * written.
 */
async function writeFiles(
  place: GitPlace,
  { commit, gitDir, commonDir }: { commit: string; gitDir: string; commonDir: string },
): Promise<void> {
  const own = await mkdtemp(join(gitDir, 'cbos-'));
  try {
    for (const name of ['refs', 'info']) await mkdir(join(own, name));
    const format = commit.length === SHA1_LENGTH ? '' : '[extensions]\n\tobjectFormat = sha256\n';
    const version = format === '' ? 0 : 1;
    const settings = 'bare = false\n\tfilemode = true\n\tsymlinks = true\n\tignorecase = false';
    await Promise.all([
      writeFile(join(own, 'HEAD'), `${commit}\n`),
      writeFile(join(own, 'config'), `[core]\n\trepositoryformatversion = ${version}\n\t${settings}\n${format}`),
      writeFile(join(own, 'info/attributes'), AS_THEY_ARE),
    ]);
    const variables = {
      GIT_DIR: own,
      GIT_WORK_TREE: place.cwd,
      GIT_OBJECT_DIRECTORY: join(commonDir, 'objects'),
    };
    await runGit(['read-tree', commit], { ...place, variables });
    await runGit(['checkout-index', '--all', '--force', '--quiet'], { ...place, variables });
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}
const SHA1_LENGTH = 40;

async function restrictToOwner(folder: string, names: readonly string[]): Promise<void> {
  const root = await realpath(folder);
  for (const name of names) {
    if (!isBelow(textOf(name))) continue;
    const path = bytePath(root, name);
    const parent = dirname(path.toString('latin1'));
    // A symbolic link may lead out of the folder, but nothing outside the folder is written.
    const real = await realpath(Buffer.from(parent, 'latin1'), { encoding: 'latin1' }).catch(() => null);
    const stats = real === parent ? await lstat(path).catch(() => null) : null;
    if (stats?.isFile() === true) await chmod(path, stats.mode & 0o700);
  }
}
