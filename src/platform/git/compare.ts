/**
 * Compares a working tree with the commit where its branch began. The comparison is made by git itself.
 *
 * - `read-git.ts`: calls git safely
 * - `working-tree.ts`: finds the repository of a folder
 * - `find-base.ts`: finds the commit to compare with
 * - `own-git-dir.ts`: makes a separate git directory, so that nothing in the repository is written or run
 * - `parse-diff.ts`: parses git's output
 */

import type { ChangedFile, ChangePart, Changes, ChangesBase, Patch } from '../../protocol/index.ts';
import { findBase } from './find-base.ts';
import { gitEnvironment } from './git-environment.ts';
import { makeOwnGitDir, type OwnGitDir } from './own-git-dir.ts';
import { parseDiff, splitNames } from './parse-diff.ts';
import { readGit } from './read-git.ts';
import { findWorkingTree, lines, type WorkingTree } from './working-tree.ts';

/**
 * How long git may take for one answer. In a repository of 500,000 files on a slow disk, an answer takes a few seconds.
 */
const LONGEST_MS = 20_000;
/** How many files are listed. No one reads through more, but all of them are counted. */
export const MOST_FILES = 5_000;
/** How many untracked files are compared. git has to read each of them completely. */
const MOST_UNTRACKED = 2_000;
/** The maximum size of a patch in a response, which is about 40,000 lines. */
export const MOST_PATCH_BYTES = 2 * 1024 * 1024;

/** Options that compare a working tree without following any configuration and without looking into submodules. */
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

export interface PatchOptions extends CompareOptions {
  /** the file to compare, or null for all files */
  file: string | null;
  /** the file's name in the base, if that was different */
  oldFile: string | null;
}

export type CountedChanges = Pick<Changes, 'base' | 'total'>;

export interface Comparer {
  /** @throws CatalogueError no_such_path, not_a_repository, no_such_ref, git_not_found, git_failed */
  changes(options: CompareOptions): Promise<Changes>;
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
    const base = await findBase(repository, asked, call);
    const own = await makeOwnGitDir({ repository, scratchDir: options.scratchDir, call, userHome });
    try {
      return await use({ repository, base, own });
    } finally {
      await own.dispose();
    }
  };
  return {
    changes: (asked) => compare(asked, listChanges),
    count: (asked) => compare(asked, countChanges),
    patch: (asked) => compare(asked, (comparison) => readPatch(comparison, asked)),
  };
}

interface Comparison {
  repository: WorkingTree;
  base: ChangesBase;
  own: OwnGitDir;
}

async function listChanges(comparison: Comparison): Promise<Changes> {
  const { repository, base, own } = comparison;
  const { root, branch, head } = repository;
  const tree = base.commit ?? (await emptyTree(own));
  const names = async (args: readonly string[]): Promise<ReadonlySet<string>> => {
    const { stdout } = await readGit([...DIFF, '--no-renames', '--name-only', '-z', ...args, '--'], own.call);
    return new Set(splitNames(stdout).map(String));
  };
  const [untracked, committed, staged, unstaged, conflicted] = await Promise.all([
    untrackedNames(own, []),
    head === null ? new Set<string>() : names([tree, head]),
    names(['--cached', head ?? tree]),
    names([]),
    names(['--diff-filter=U']),
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
  return {
    root,
    branch: branch === null ? null : branch.replace(/^refs\/heads\//, ''),
    head,
    base,
    files: files.slice(0, MOST_FILES),
    total: totalOf(files),
    left_out: { files: Math.max(0, files.length - MOST_FILES), untracked: compared.leftOut },
  };
}

/** Runs the git processes one at a time, because no one is waiting for a count. */
async function countChanges({ base, own }: Comparison): Promise<CountedChanges | null> {
  const tree = base.commit ?? (await emptyTree(own));
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

async function readPatch({ base, own }: Comparison, { file, oldFile }: PatchOptions): Promise<Patch> {
  const tree = base.commit ?? (await emptyTree(own));
  const names = [file, oldFile].flatMap((name) => (name === null ? [] : [name]));
  const paths = names.map(asPathspec);
  const call = names.some((name) => name.includes(LOST_BYTES))
    ? { ...own.call, env: { ...own.call.env, GIT_LITERAL_PATHSPECS: '0' } }
    : own.call;
  const untracked = await untrackedNames({ ...own, call }, paths);
  await addToIndex(own, untracked.filter((name) => !isFolder(name)).slice(0, MOST_UNTRACKED));
  const { stdout, isCut } = await readGit([...DIFF, RENAMES, '--patch', tree, '--', ...paths], {
    ...call,
    mostBytes: MOST_PATCH_BYTES,
  });
  const end = isCut ? stdout.lastIndexOf(0x0a) + 1 : stdout.length;
  return { base, patch: stdout.toString('utf8', 0, end), cut: isCut };
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
async function addToIndex({ call }: OwnGitDir, names: readonly Buffer[]): Promise<void> {
  if (names.length === 0) return;
  const empty = await hashNothing(call, 'blob');
  const input = Buffer.concat(names.flatMap((name) => [Buffer.from(`100644 ${empty} 0\t`), name, Buffer.from('\0')]));
  await readGit(['update-index', '-z', '--index-info'], { ...call, input });
}

function emptyTree({ call }: OwnGitDir): Promise<string> {
  return hashNothing(call, 'tree');
}

/** Returns the hash of an empty object, which depends on the repository's object format. */
async function hashNothing(call: OwnGitDir['call'], type: 'blob' | 'tree'): Promise<string> {
  const { stdout } = await readGit(['hash-object', '--no-filters', '-t', type, '--stdin'], call);
  return lines(stdout)[0] ?? '';
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
