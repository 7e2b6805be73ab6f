import { createHash } from 'node:crypto';
import type { OwnGitDir } from './own-git-dir.ts';
import { type DiffedFile, parseDiff, splitNames } from './parse-diff.ts';
import { type GitContext, readGit } from './read-git.ts';

/** How many untracked files are compared. git has to read each of them completely. */
export const MOST_UNTRACKED = 2_000;

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
/** Options for output that names the compared objects. */
export const RAW: readonly string[] = ['--raw', '--no-abbrev'];

export interface ComparedFiles {
  files: DiffedFile[];
  /** the untracked files that are among the compared files */
  untracked: string[];
  /** untracked folders that are repositories of their own */
  nested: string[];
  /** how many untracked files were not compared */
  leftOut: number;
}

/**
 * Compares the working tree, including its untracked files, with a tree object.
 * @param options.isCounted false if the changed lines need not be counted, which saves reading the files
 */
export async function compareFiles(
  own: OwnGitDir,
  { tree, untracked, isCounted = true }: { tree: string; untracked: readonly Buffer[]; isCounted?: boolean },
): Promise<ComparedFiles> {
  const alone = untracked.filter((name) => !isFolder(name));
  const compared = alone.slice(0, MOST_UNTRACKED);
  await addToIndex(own, compared);
  const { stdout } = await readGit(
    [...DIFF, RENAMES, ...RAW, ...(isCounted ? ['--numstat'] : []), '-z', tree, '--'],
    own.call,
  );
  return {
    files: parseDiff(stdout),
    untracked: compared.map(String),
    nested: untracked.filter(isFolder).map(String),
    leftOut: alone.length - compared.length,
  };
}

/** The character that replaces bytes in a path that are not UTF-8. */
export const LOST_BYTES = '\ufffd';

/** Names with bytes that were replaced need a pathspec with wildcards. */
export function forNames(call: GitContext, names: readonly string[]): GitContext {
  if (!names.some((name) => name.includes(LOST_BYTES))) return call;
  return { ...call, env: { ...call.env, GIT_LITERAL_PATHSPECS: '0' } };
}

/** Returns a pathspec for a name. Wherever a byte was replaced, the pathspec matches any byte. */
export function asPathspec(name: string): string {
  if (!name.includes(LOST_BYTES)) return name;
  return `:(top,glob)${name.replaceAll(/[\\*?[]/g, '\\$&').replaceAll(LOST_BYTES, '*')}`;
}

/**
 * Returns the files that git neither tracks nor ignores, as well as folders that are repositories, which have a
 * trailing slash.
 * @param names the files and folders to look at, or none for all
 */
export async function untrackedNames({ call }: OwnGitDir, names: readonly string[]): Promise<Buffer[]> {
  const args = ['ls-files', '--others', '--exclude-standard', '-z', '--', ...names.map(asPathspec)];
  const { stdout } = await readGit(args, forNames(call, names));
  return splitNames(stdout);
}

/**
 * Adds untracked files to the copy of the index as empty files, so that git compares them as if they were about to be
 * added. `git add` would write objects and run filters.
 */
export async function addToIndex(own: OwnGitDir, names: readonly Buffer[]): Promise<void> {
  if (names.length === 0) return;
  const line = Buffer.from(`100644 ${emptyObject(own, 'blob')} 0\t`);
  const input = Buffer.concat(names.flatMap((name) => [line, name, Buffer.from('\0')]));
  await readGit(['update-index', '-z', '--index-info'], { ...own.call, input });
}

/** Returns the hash of an empty object. */
export function emptyObject({ objectFormat }: OwnGitDir, type: 'blob' | 'tree'): string {
  return createHash(objectFormat).update(`${type} 0\0`).digest('hex');
}

export function isFolder(name: Buffer): boolean {
  return name.at(-1) === 0x2f;
}
