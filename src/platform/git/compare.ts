/**
 * Compares a working tree with the commit where its branch began. The comparison is made by git itself.
 *
 * - calling git safely: `read-git.ts`
 * - the repository of a folder: `working-tree.ts`
 * - what to compare with: `find-base.ts`
 * - a separate git directory, so that nothing in the repository is written or run: `own-git-dir.ts`
 * - which files differ: `compared-files.ts`
 * - the patch: `read-patch.ts`
 * - one side of a changed file: `changed-side.ts`
 * - the sizes of binary files: `binary-sizes.ts`
 * - git's output: `parse-diff.ts`, `read-status.ts`
 */

import type { ChangedFile, ChangedSide, ChangePart, Changes, ChangesBase, Patch } from '../../protocol/index.ts';
import { measureBinaries } from './binary-sizes.ts';
import { readChangedSide, type SideOptions } from './changed-side.ts';
import {
  addToIndex,
  compareFiles,
  DIFF,
  emptyObject,
  isFolder,
  MOST_UNTRACKED,
  untrackedNames,
} from './compared-files.ts';
import { findBase, shortName } from './find-base.ts';
import { gitEnvironment } from './git-environment.ts';
import { makeOwnGitDir, type OwnGitDir } from './own-git-dir.ts';
import { splitNames, toChanged } from './parse-diff.ts';
import { readGit } from './read-git.ts';
import { namesIn, type PatchNames, readPatch, totalOf } from './read-patch.ts';
import { readStatus } from './read-status.ts';
import { findWorkingTree, type WorkingTree } from './working-tree.ts';

/**
 * How long git may take for one answer. In a repository of 500,000 files on a slow disk, an answer takes a few seconds.
 */
const LONGEST_MS = 20_000;
/** How many files are listed. No one reads through a longer list, but all files are counted. */
export const MOST_FILES = 5_000;

export interface CompareOptions {
  /** the path of a folder in the working tree */
  folder: string;
  /** a revision to compare with, or null to find one */
  base: string | null;
  /** aborted when no one needs the result any more */
  signal?: AbortSignal;
}

export interface ListOptions extends CompareOptions {
  /** the file whose patch is read as well, or the first file if this one is not listed; null for none */
  patchOf?: string | null;
}

export type CountedChanges = Pick<Changes, 'base' | 'total'>;

export interface Comparer {
  /** @throws CatalogueError no_such_path, not_a_repository, no_such_ref, git_not_found, git_failed */
  changes(options: ListOptions): Promise<Changes>;
  /**
   * Returns the same totals as `changes` in half the time, because git does not work out where each change is. Returns
   * null if some untracked files were not compared, because the totals would then be too low.
   * @throws the same errors as `changes`
   */
  count(options: CompareOptions): Promise<CountedChanges | null>;
  /** @throws the same errors as `changes` */
  patch(options: CompareOptions & PatchNames): Promise<Patch>;
  /**
   * Reads one side of a changed file: as it is in the base, or as it is now.
   * @throws CatalogueError no_such_file, and the same errors as `changes`
   */
  side(options: CompareOptions & SideOptions): Promise<ChangedSide>;
}

/**
 * @param options.environment the environment of the server itself
 * @param options.scratchDir a folder that no one else writes to; files that a killed server left behind in it may be
 * removed
 */
export function createComparer(options: {
  environment: Readonly<Record<string, string | undefined>>;
  scratchDir: string;
}): Comparer {
  const env = gitEnvironment(options.environment, []);
  const userHome = env.HOME ?? '/';
  const compare = async <T>(
    { folder, base: asked, signal }: CompareOptions,
    use: (comparison: Comparison) => Promise<T>,
  ): Promise<T> => {
    const limit = AbortSignal.timeout(LONGEST_MS);
    const call = { env, signal: signal === undefined ? limit : AbortSignal.any([limit, signal]) };
    const repository = await findWorkingTree(folder, call);
    const [found, made] = await Promise.allSettled([
      findBase(repository, asked, call),
      makeOwnGitDir({ repository, scratchDir: options.scratchDir, call, userHome }),
    ]);
    try {
      if (found.status === 'rejected') throw found.reason;
      if (made.status === 'rejected') throw made.reason;
      return await use({ repository, base: found.value, own: made.value });
    } finally {
      if (made.status === 'fulfilled') await made.value.dispose();
    }
  };
  return {
    changes: (asked) => compare(asked, (comparison) => listChanges(comparison, asked.patchOf ?? null)),
    count: (asked) => compare(asked, countChanges),
    patch: (asked) => compare(asked, (comparison) => comparePatch(comparison, asked)),
    side: (asked) => compare(asked, (comparison) => readSide(comparison, asked)),
  };
}

interface Comparison {
  repository: WorkingTree;
  base: ChangesBase;
  own: OwnGitDir;
}

async function listChanges(comparison: Comparison, patchOf: string | null): Promise<Changes> {
  const { repository, base, own } = comparison;
  const { root, branch, head } = repository;
  const tree = base.commit ?? emptyObject(own, 'tree');
  const [{ untracked, staged, unstaged, conflicted }, committed] = await Promise.all([
    readStatus(own),
    committedNames(own, { tree, head }),
  ]);
  const compared = await compareFiles(own, { tree, untracked });
  const added = new Set(compared.untracked);
  const partsOf = (path: string): ChangePart[] => [
    ...(committed.has(path) ? (['committed'] as const) : []),
    ...(staged.has(path) ? (['staged'] as const) : []),
    ...(unstaged.has(path) ? (['unstaged'] as const) : []),
    ...(added.has(path) ? (['untracked'] as const) : []),
  ];
  const files = [
    ...compared.files.map((file): ChangedFile => {
      const status = conflicted.has(file.path) ? 'conflicted' : file.status;
      return { ...toChanged(file), status, parts: partsOf(file.path) };
    }),
    ...compared.nested.map(nestedRepository),
  ].sort((one, other) => (one.path < other.path ? -1 : 1));
  const first = patchOf === null ? undefined : (files.find(({ path }) => path === patchOf) ?? files[0]);
  const [sizes, patch] = await Promise.all([
    measureBinaries(compared.files, { call: own.call, root }),
    first === undefined ? null : patchOfListed(comparison, first),
  ]);
  return {
    root,
    branch: branch === null ? null : shortName(branch),
    head,
    base,
    files: files.slice(0, MOST_FILES).map((file) => ({ ...file, ...sizes.get(file.path) })),
    total: totalOf(files),
    left_out: { files: Math.max(0, files.length - MOST_FILES), untracked: compared.leftOut },
    ...(patch === null ? {} : { patch }),
  };
}

async function committedNames(
  { call }: OwnGitDir,
  { tree, head }: { tree: string; head: string | null },
): Promise<ReadonlySet<string>> {
  if (head === null || head === tree) return new Set();
  const { stdout } = await readGit([...DIFF, '--no-renames', '--name-only', '-z', tree, head, '--'], call);
  return new Set(splitNames(stdout).map(String));
}

async function patchOfListed(
  { own, base }: Comparison,
  { path, old_path }: Pick<ChangedFile, 'path' | 'old_path'>,
): Promise<NonNullable<Changes['patch']>> {
  return { file: path, ...(await diffOf(own, base, { file: path, oldFile: old_path })) };
}

/** Runs the git processes one at a time, because no one is waiting for a count. */
async function countChanges({ base, own }: Comparison): Promise<CountedChanges | null> {
  const tree = base.commit ?? emptyObject(own, 'tree');
  const { files, nested, leftOut } = await compareFiles(own, { tree, untracked: await untrackedNames(own, []) });
  return leftOut > 0 ? null : { base, total: totalOf([...files, ...nested.map(nestedRepository)]) };
}

/** Finds the file among all that differ, by its name alone. No name from a request is passed to git. */
async function readSide({ repository, base, own }: Comparison, asked: SideOptions): Promise<ChangedSide> {
  const tree = base.commit ?? emptyObject(own, 'tree');
  const untracked = await untrackedNames(own, []);
  const { files } = await compareFiles(own, { tree, untracked, isCounted: false });
  return { base, ...(await readChangedSide(files, asked, { call: own.call, root: repository.root })) };
}

async function comparePatch({ base, own }: Comparison, asked: PatchNames): Promise<Patch> {
  const untracked = await untrackedNames(own, namesIn(asked));
  await addToIndex(own, untracked.filter((name) => !isFolder(name)).slice(0, MOST_UNTRACKED));
  return { base, ...(await diffOf(own, base, asked)) };
}

/** Returns the patch of the files. The index must contain those that are untracked. */
function diffOf(own: OwnGitDir, base: ChangesBase, asked: PatchNames): Promise<Omit<Patch, 'base'>> {
  return readPatch(own.call, [base.commit ?? emptyObject(own, 'tree')], asked);
}

function nestedRepository(path: string): ChangedFile {
  return {
    path,
    old_path: null,
    status: 'added',
    parts: ['untracked'],
    added: null,
    removed: null,
    binary: false,
    kind: 'repository',
  };
}
