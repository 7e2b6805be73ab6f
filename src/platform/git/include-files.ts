import { constants } from 'node:fs';
import { lstat, mkdir, open, realpath, rm } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { openRegularFile, readRegularFile } from '../files/regular-file.ts';
import { byteNamesIn, textOf } from './repository.ts';
import { type GitPlace, gitFailed, runGit, tryGit } from './run-git.ts';

/** The file that lists, in the syntax of `.gitignore`, the ignored files that are copied into a new worktree. */
const INCLUDE_FILE = '.worktreeinclude';
/** The maximum size of this file. A longer file is not a list of patterns. */
const MOST_LIST_BYTES = 1_000_000;

/**
 * Returns, as relative paths, the files in a checkout that git ignores and that the main checkout's `.worktreeinclude`
 * lists. Folders that are repositories of their own are not searched.
 */
export async function includedFiles(place: GitPlace, root: string): Promise<string[]> {
  return (await includedNames(place, root)).map(textOf);
}

/** Works like {@link includedFiles}, but returns names that have one character for each byte. */
export async function includedNames(place: GitPlace, root: string): Promise<string[]> {
  const named = (await namedIn(place, root)).filter((name) => !name.endsWith('/'));
  if (named.length === 0) return [];
  // Without the `./`, a name that begins with a colon would be interpreted as a pattern.
  const input = Buffer.from(named.map((name) => `./${name}\0`).join(''), 'latin1');
  const asked = await tryGit(['check-ignore', '-z', '--stdin'], { ...place, input });
  // Exit code 1 means that none of the files is ignored.
  if (asked.code > 1) throw gitFailed(['check-ignore'], asked);
  return byteNamesIn(asked.stdout).map((name) => name.slice('./'.length));
}

/** Returns the folders in a checkout that the list names and that are separate repositories, with a trailing slash. */
export async function includedRepositories(place: GitPlace, root: string): Promise<string[]> {
  return (await namedIn(place, root)).filter((name) => name.endsWith('/'));
}

async function namedIn(place: GitPlace, root: string): Promise<string[]> {
  if ((await readList(root)) === null) return [];
  const list = join(root, INCLUDE_FILE);
  return byteNamesIn(await runGit(['ls-files', '-z', '--others', '--ignored', `--exclude-from=${list}`], place));
}

/** Reports whether the patterns in two checkouts are the same. */
export async function haveSameList(one: string, other: string): Promise<boolean> {
  return (await readList(one)) === (await readList(other));
}

function readList(root: string): Promise<string | null> {
  const options = { mostBytes: MOST_LIST_BYTES, followsLinks: false };
  return readRegularFile(join(root, INCLUDE_FILE), options).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

/**
 * Copies files from one checkout to another. Symbolic links are neither copied nor followed in either checkout. A file
 * that already exists is not overwritten.
 * @returns the names of the files that were not copied for any of these reasons
 */
export async function copyIncluded(from: string, to: string, names: readonly string[]): Promise<string[]> {
  const [source, target] = await Promise.all([realpath(from), realpath(to)]);
  const left: string[] = [];
  for (const name of names) if (!(await copyOne(source, target, name))) left.push(name);
  return left;
}

/** @returns whether the file was copied */
async function copyOne(source: string, target: string, name: string): Promise<boolean> {
  if (!isBelow(name)) return false;
  const folder = dirname(name);
  // If a folder on the path is a symbolic link, its real path differs.
  if ((await realpath(join(source, folder))) !== join(source, folder)) return false;
  const file = await openRegularFile(join(source, name), { followsLinks: false });
  if (file === null) return false;
  try {
    if (!(await makeFolders(target, folder))) return false;
    const { mode } = await file.stat();
    const path = join(target, name);
    const copy = await open(
      path,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      mode & 0o777,
    ).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return null;
      throw error;
    });
    if (copy === null) return false;
    try {
      for await (const bytes of file.createReadStream({ autoClose: false })) await copy.writeFile(bytes);
      return true;
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await copy.close();
    }
  } finally {
    await file.close();
  }
}

/** Reports whether a relative name leads to a place that is below its folder and outside any git directory. */
export function isBelow(name: string): boolean {
  const parts = name.split(sep);
  return name !== '' && parts.every((part) => !['', '.', '..'].includes(part) && part.toLowerCase() !== '.git');
}

/**
 * Creates the folders of a relative path one by one, without following symbolic links.
 * @returns false if something on the path is not a folder
 */
export async function makeFolders(base: string, folder: string): Promise<boolean> {
  if (folder === '.' || folder === '') return true;
  if (!isBelow(folder)) return false;
  let path = base;
  for (const part of folder.split(sep)) {
    path = join(path, part);
    await mkdir(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    if (!(await lstat(path)).isDirectory()) return false;
  }
  return true;
}
