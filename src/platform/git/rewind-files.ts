import { chmod, lstat, mkdir, mkdtemp, readdir, rename, rm, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SUBMODULE } from './parse-diff.ts';
import { readGit } from './read-git.ts';
import { byteNamesIn, bytePath, textOf } from './repository.ts';
import type { TurnGitDir } from './turn-git-dir.ts';
import type { TurnTree } from './turn-tree.ts';

/** What a rewind has done. */
export interface RewoundFiles {
  /** how many files were written, and how many were deleted */
  written: number;
  deleted: number;
  /**
   * files that were not changed, because an ignored file is in their place, because they were written to during the
   * rewind, because they were never saved, or because their place is not writable
   */
  left: string[];
}

const STAGING = '.cbos-rewind-';

/**
 * Restores the files of a working tree to an earlier state. All files are first written next to the working tree, so
 * that a full disk does no harm. Then each of them is moved into place by a rename. Ignored files are left alone, and
 * symbolic links are not followed.
 * @param options.present the current state of the files, which a ref keeps
 * @param options.when when the capture of that state began, in Unix milliseconds; a file that was written later is left
 * alone
 * @throws CatalogueError git_failed, disk_full, and the file system's error; in these cases, nothing has been changed
 */
export async function rewindFiles(
  own: TurnGitDir,
  { present, wanted, since }: { present: TurnTree; wanted: TurnTree; since: number },
): Promise<RewoundFiles> {
  const untouched = new Set([...present.leftOut, ...wanted.leftOut]);
  const { write, remove } = await compareTrees(own, { from: present.tree, to: wanted.tree });
  const kept = [...write, ...remove].filter((name) => untouched.has(name));
  const writing = write.filter((name) => !untouched.has(name));
  const removing = remove.filter((name) => !untouched.has(name));
  const { root } = own.repository;
  const staging = await makeStaging(own);
  try {
    await stage(own, { staging, wanted, writing });
    const was = new Set(await namesOf(own, present.tree));
    const left: string[] = [];
    let deleted = 0;
    for (const name of removing) {
      if (await removeFile({ root, name, since }).catch(() => false)) deleted += 1;
      else left.push(name);
    }
    let written = 0;
    for (const name of writing) {
      if (await placeFile({ root, staging, name, was, since }).catch(() => false)) written += 1;
      else left.push(name);
    }
    return { written, deleted, left: [...kept, ...left].map(textOf).sort() };
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/**
 * Creates a private folder on the disk of the working tree. Files that a killed server left in it are deleted; that
 * server had changed only some of the files, or none.
 */
async function makeStaging({ repository: { gitDir, root } }: TurnGitDir): Promise<string> {
  const isOneDisk = (await stat(gitDir)).dev === (await stat(root)).dev;
  const parent = isOneDisk ? gitDir : root;
  for (const name of await readdir(parent)) {
    if (name.startsWith(STAGING)) await rm(join(parent, name), { recursive: true, force: true });
  }
  const staging = await mkdtemp(join(parent, STAGING));
  await writeFile(join(staging, '.gitignore'), '*\n');
  return staging;
}

async function compareTrees(
  own: TurnGitDir,
  { from, to }: { from: string; to: string },
): Promise<{ write: string[]; remove: string[] }> {
  const words = ['diff-tree', '-r', '-z', '--no-renames', '--raw', from, to];
  const said = byteNamesIn((await readGit(words, { ...own.call, mostBytes: MOST_LISTED })).stdout);
  const [write, remove]: [string[], string[]] = [[], []];
  for (let at = 0; at + 1 < said.length; at += 2) {
    const [oldMode = '', mode = '', , , letter = ''] = (said[at] ?? '').slice(1).split(' ');
    const name = said[at + 1] ?? '';
    if (oldMode === SUBMODULE || mode === SUBMODULE) continue;
    if (letter.startsWith('D')) remove.push(name);
    else write.push(name);
  }
  return { write, remove };
}
const MOST_LISTED = 256 * 1024 * 1024;

async function namesOf(own: TurnGitDir, tree: string): Promise<string[]> {
  const words = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree];
  return byteNamesIn((await readGit(words, { ...own.call, mostBytes: MOST_LISTED })).stdout);
}

async function stage(
  own: TurnGitDir,
  { staging, wanted, writing }: { staging: string; wanted: TurnTree; writing: readonly string[] },
): Promise<void> {
  if (writing.length === 0) return;
  const files = join(staging, 'files');
  await mkdir(files);
  const call = { ...own.call, env: { ...own.call.env, GIT_INDEX_FILE: join(staging, 'index') } };
  await readGit(['read-tree', wanted.tree], call);
  const input = Buffer.from(writing.map((name) => `${name}\0`).join(''), 'latin1');
  await readGit(['checkout-index', '--quiet', `--prefix=${files}/`, '-z', '--stdin'], { ...call, input });
  const ownerOnly = new Set(wanted.ownerOnly);
  for (const name of writing) {
    if (!ownerOnly.has('*') && !ownerOnly.has(name)) continue;
    const path = bytePath(files, name);
    const stats = await lstat(path);
    if (stats.isFile()) await chmod(path, stats.mode & 0o700);
  }
}

/** Returns the folders that a file name contains, from the top down. */
function foldersOf(name: string): string[] {
  const parts = name.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

/**
 * Reports whether every folder on a file's path is a real folder rather than a symbolic link. `make` creates missing
 * folders.
 */
async function areFolders(root: string, name: string, make: boolean): Promise<boolean> {
  for (const folder of foldersOf(name)) {
    const path = bytePath(root, folder);
    const stats = await lstat(path).catch(() => null);
    if (stats?.isDirectory() === true) continue;
    if (stats !== null || !make) return false;
    await mkdir(path);
  }
  return true;
}

/**
 * Reports whether someone has written to the file since its state was saved. If so, its current content exists nowhere
 * else.
 */
const isNewer = (stats: { mtimeMs: number }, since: number): boolean => stats.mtimeMs > since;

async function removeFile({ root, name, since }: { root: string; name: string; since: number }): Promise<boolean> {
  if (!(await areFolders(root, name, false))) return false;
  const path = bytePath(root, name);
  const stats = await lstat(path).catch(() => null);
  if (stats !== null && (stats.isDirectory() || isNewer(stats, since))) return false;
  if (stats !== null) await unlink(path);
  // git does not track empty folders, so a folder is removed together with its last file.
  for (const folder of foldersOf(name).reverse()) {
    if (!(await removeEmpty(bytePath(root, folder)))) break;
  }
  return true;
}

async function removeEmpty(folder: Buffer): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    () => false,
  );
}

async function placeFile(options: {
  root: string;
  staging: string;
  name: string;
  /** the files in the current state; anything else that is in the way belongs to someone */
  was: ReadonlySet<string>;
  since: number;
}): Promise<boolean> {
  const { root, staging, name, was, since } = options;
  if (!(await areFolders(root, name, true))) return false;
  const path = bytePath(root, name);
  const stats = await lstat(path).catch(() => null);
  if (stats?.isDirectory() === true) {
    if (!(await removeEmpty(path))) return false;
  } else if (stats !== null && (!was.has(name) || isNewer(stats, since))) return false;
  await rename(bytePath(join(staging, 'files'), name), path);
  return true;
}
