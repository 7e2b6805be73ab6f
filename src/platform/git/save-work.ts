import { join } from 'node:path';
import { branchToSave } from './own-branch.ts';
import { findOwnCommits } from './own-commits.ts';
import { commitOf, treeOf, uncommittedFiles } from './repository.ts';
import { askGit, type GitPlace } from './run-git.ts';
import { CBOS_IDENTITY, keepState, type SavedState } from './saved-work.ts';
import { snapshotFiles } from './snapshot-files.ts';

export interface SaveRequest {
  /** the session that works in the worktree */
  session: string;
  /** the branch that was created together with the worktree */
  branch: string;
  /** the main checkout of the repository */
  root: string;
  /** the branch that received the worktree's commits */
  into: string | null;
  /** the current time, in Unix milliseconds */
  now: number;
}

/** A fixed time. With it, the same tree always yields the same commit, so that a repeated save can be recognized. */
const NO_TIME = { GIT_AUTHOR_DATE: '@0 +0000', GIT_COMMITTER_DATE: '@0 +0000' };

/**
 * Saves everything in a worktree as one commit under `refs/cbos/saved`, byte for byte and without changing the
 * worktree. The tree of the commit contains all tracked and untracked files. Its parents are the last commit, the
 * staged files, the ignored files listed in `.worktreeinclude`, the sides of files in conflict, and every commit that
 * could be lost with the worktree. Saving the same state again yields the same commit.
 * @param place the worktree
 * @throws CatalogueError worktree_nested, git_failed, disk_full
 */
export async function saveWork(place: GitPlace, request: SaveRequest): Promise<SavedState> {
  const { root, session, into, now } = request;
  const head = await commitOf(place, 'HEAD');
  const gitDir = await askGit(['rev-parse', '--absolute-git-dir'], place);
  const trees = await snapshotFiles(place, { root, indexFile: join(gitDir, 'cbos-index') });
  const headTree = head === null ? null : await treeOf(place, head);
  const commit = (tree: string, subject: string): Promise<string> =>
    askGit(['commit-tree', ...(head === null ? [] : ['-p', head]), '-m', subject, tree], {
      ...place,
      variables: { ...CBOS_IDENTITY, ...NO_TIME },
    });
  const staged = trees.staged === headTree ? null : await commit(trees.staged, 'Staged files');
  const sides = trees.sides === null ? null : await commit(trees.sides, 'Sides of files in conflict');
  const included = trees.included === null ? null : await commit(trees.included, 'Files that .worktreeinclude names');
  const own = await findOwnCommits(place, { gitDir, branch: request.branch, head });
  const parents = [...new Set([head, staged, included, sides, ...own].filter((one) => one !== null))];
  return keepState(place, {
    session,
    repository: root,
    branch: await branchToSave(place, request.branch),
    folder: place.cwd,
    head,
    staged,
    included,
    into,
    uncommitted: (await uncommittedFiles(place)).length,
    tree: trees.files,
    parents,
    ownerOnly: trees.ownerOnly,
    now,
  });
}
