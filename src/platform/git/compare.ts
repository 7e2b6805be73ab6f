/**
 * Compares a working tree with the commit where its branch began. The comparison is made by git itself.
 *
 * - calling git safely: `read-git.ts`
 * - the repository of a folder: `working-tree.ts`
 * - what to compare with: `find-base.ts`
 * - a separate git directory, so that nothing in the repository is written or run: `own-git-dir.ts`
 * - git's output: `parse-diff.ts`, `read-status.ts`
 */

import { createHash } from 'node:crypto';
import type { ChangedFile, ChangePart, Changes, ChangesBase, Patch } from '../../protocol/index.ts';
import { findBase } from './find-base.ts';
import { gitEnvironment } from './git-environment.ts';
import { makeOwnGitDir, type OwnGitDir } from './own-git-dir.ts';
import { parseDiff, splitNames } from './parse-diff.ts';
import { readGit } from './read-git.ts';
import { readStatus } from './read-status.ts';
import { findWorkingTree, type WorkingTree } from './working-tree.ts';

/**
 * How long git may take for one answer. In a repository of 500,000 files on a slow disk, an answer takes a few seconds.
 */
const LONGEST_MS = 20_000;
/** How many files are listed. No one reads through a longer list, but all files are counted. */
export const MOST_FILES = 5_000;
/** How many untracked files are compared. git has to read each of them completely. */
const MOST_UNTRACKED = 2_000;
/** The maximum size of a patch in a response, which is about 40,000 lines. */
export const MOST_PATCH_BYTES = 2 * 1024 * 1024;

/**
 * Options that make git compare a working tree without applying any configuration and without looking into submodules.
 */
export const DIFF: readonly string[] = [
  'diff',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--ignore-submodules=dirty',
  '--submodule=short',
];
export const RENAMES = '--find-renames';

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

export interface PatchOptions extends CompareOptions {
  /** the file to compare, or null for all files */
  file: string | null;
  /** the file's name in the base, if that was different */
  oldFile: string | null;
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
  patch(options: PatchOptions): Promise<Patch>;
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
    patch: (asked) => compare(asked, (comparison) => readPatch(comparison, asked)),
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
      return { ...file, status, parts: partsOf(file.path) };
    }),
    ...compared.nested.map(nestedRepository),
  ].sort((one, other) => (one.path < other.path ? -1 : 1));
  const first = patchOf === null ? undefined : (files.find(({ path }) => path === patchOf) ?? files[0]);
  return {
    root,
    branch: branch === null ? null : branch.replace(/^refs\/heads\//, ''),
    head,
    base,
    files: files.slice(0, MOST_FILES),
    total: totalOf(files),
    left_out: { files: Math.max(0, files.length - MOST_FILES), untracked: compared.leftOut },
    ...(first === undefined ? {} : { patch: await patchOfListed(comparison, first) }),
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
  const names = [path, old_path].flatMap((name) => (name === null ? [] : [name]));
  return { file: path, ...(await diffOf(forNames(own, names), base, names)) };
}

/** Runs the git processes one at a time, because no one is waiting for a count. */
async function countChanges({ base, own }: Comparison): Promise<CountedChanges | null> {
  const tree = base.commit ?? emptyObject(own, 'tree');
  const { files, nested, leftOut } = await compareFiles(own, { tree, untracked: await untrackedNames(own, []) });
  return leftOut > 0 ? null : { base, total: totalOf([...files, ...nested.map(nestedRepository)]) };
}

interface ComparedFiles {
  files: ReturnType<typeof parseDiff>;
  /** the untracked files that are among the compared files */
  untracked: string[];
  /** untracked folders that are repositories of their own */
  nested: string[];
  /** how many untracked files were not compared */
  leftOut: number;
}

/** Compares the working tree, including its untracked files, with a tree object. */
async function compareFiles(
  own: OwnGitDir,
  { tree, untracked }: { tree: string; untracked: readonly Buffer[] },
): Promise<ComparedFiles> {
  const alone = untracked.filter((name) => !isFolder(name));
  const compared = alone.slice(0, MOST_UNTRACKED);
  await addToIndex(own, compared);
  const { stdout } = await readGit([...DIFF, RENAMES, '--raw', '--numstat', '-z', tree, '--'], own.call);
  return {
    files: parseDiff(stdout),
    untracked: compared.map(String),
    nested: untracked.filter(isFolder).map(String),
    leftOut: alone.length - compared.length,
  };
}

function totalOf(files: readonly Pick<ChangedFile, 'added' | 'removed'>[]): Changes['total'] {
  return {
    files: files.length,
    added: files.reduce((sum, file) => sum + (file.added ?? 0), 0),
    removed: files.reduce((sum, file) => sum + (file.removed ?? 0), 0),
  };
}

async function readPatch({ base, own: given }: Comparison, { file, oldFile }: PatchOptions): Promise<Patch> {
  const names = [file, oldFile].flatMap((name) => (name === null ? [] : [name]));
  const own = forNames(given, names);
  const untracked = await untrackedNames(own, names.map(asPathspec));
  await addToIndex(own, untracked.filter((name) => !isFolder(name)).slice(0, MOST_UNTRACKED));
  return { base, ...(await diffOf(own, base, names)) };
}

/** Names with bytes that were replaced need a pathspec with wildcards. */
function forNames(own: OwnGitDir, names: readonly string[]): OwnGitDir {
  if (!names.some((name) => name.includes(LOST_BYTES))) return own;
  return { ...own, call: { ...own.call, env: { ...own.call.env, GIT_LITERAL_PATHSPECS: '0' } } };
}

/** Returns the patch of some files, or of all if there are no names. The index must contain the untracked files. */
async function diffOf(own: OwnGitDir, base: ChangesBase, names: readonly string[]): Promise<Omit<Patch, 'base'>> {
  const tree = base.commit ?? emptyObject(own, 'tree');
  const { stdout, isCut } = await readGit([...DIFF, RENAMES, '--patch', tree, '--', ...names.map(asPathspec)], {
    ...own.call,
    mostBytes: MOST_PATCH_BYTES,
  });
  const end = isCut ? stdout.lastIndexOf(0x0a) + 1 : stdout.length;
  return { patch: stdout.toString('utf8', 0, end), cut: isCut };
}

/** The character that replaces bytes in a path that are not UTF-8. */
export const LOST_BYTES = '\ufffd';

/** Returns a pathspec for a name. Wherever a byte was replaced, the pathspec matches any byte. */
export function asPathspec(name: string): string {
  if (!name.includes(LOST_BYTES)) return name;
  return `:(top,glob)${name.replaceAll(/[\\*?[]/g, '\\$&').replaceAll(LOST_BYTES, '*')}`;
}

/**
 * Returns the files that git neither tracks nor ignores, as well as folders that are repositories, which have a
 * trailing slash.
 */
async function untrackedNames({ call }: Pick<OwnGitDir, 'call'>, paths: readonly string[]): Promise<Buffer[]> {
  const { stdout } = await readGit(['ls-files', '--others', '--exclude-standard', '-z', '--', ...paths], call);
  return splitNames(stdout);
}

/**
 * Adds untracked files to the copy of the index as empty files, so that git compares them as if they were about to be
 * added. `git add` would write objects and run filters.
 */
async function addToIndex(own: OwnGitDir, names: readonly Buffer[]): Promise<void> {
  if (names.length === 0) return;
  const line = Buffer.from(`100644 ${emptyObject(own, 'blob')} 0\t`);
  const input = Buffer.concat(names.flatMap((name) => [line, name, Buffer.from('\0')]));
  await readGit(['update-index', '-z', '--index-info'], { ...own.call, input });
}

/** Returns the hash of an empty object. */
function emptyObject({ objectFormat }: OwnGitDir, type: 'blob' | 'tree'): string {
  return createHash(objectFormat).update(`${type} 0\0`).digest('hex');
}

function isFolder(name: Buffer): boolean {
  return name.at(-1) === 0x2f;
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
