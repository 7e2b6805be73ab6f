import { constants } from 'node:fs';
import { access, lstat, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CatalogueError } from '../../protocol/index.ts';
import { readGit } from './read-git.ts';
import { byteNamesIn, bytePath } from './repository.ts';
import { forgetRead, type TurnGitDir } from './turn-git-dir.ts';
import { lines } from './working-tree.ts';

/** The files of a working tree, after they were written into its repository. Names have one character for each byte. */
export interface TurnTree {
  tree: string;
  /** files that the tree does not contain, because they are too large or cannot be read; a rewind leaves them alone */
  leftOut: string[];
  /**
   * files that only their owner may read, because a tree does not store that; `*` if this is true of nearly all files
   */
  ownerOnly: string[];
  /** submodules and other repositories in the working tree, whose files are not saved */
  repositories: string[];
}

/** The maximum size of a file that is stored. A larger file would be stored again for each turn that changes it. */
const LARGEST_FILE = 50 * 1024 * 1024;
/**
 * The maximum amount of untracked data that one checkpoint may add. If there is more, it is probably build output that
 * is not ignored yet.
 */
const MOST_NEW_BYTES = 256 * 1024 * 1024;
const MOST_NEW_FILES = 20_000;
/** How many file names a checkpoint stores in addition to its tree. */
const MOST_NAMED = 2_000;
/** How many files are inspected at once. Node's thread pool has four threads. */
const AT_ONCE = 64;
/** How many attempts to make. git fails if a file changes while git is reading it. */
const TRIES = 3;
/** The file that contains the names of files that only their owner may read. */
const OWNER_ONLY = 'owner-only.json';
const NAMES = ['-z', '--exclude-standard'];

/**
 * Writes all files that git tracks, and those that it neither tracks nor ignores, into the repository as a tree, byte
 * for byte. Only files that have changed since the last call are read. Nothing refers to the tree yet. The working
 * tree, its index, and its refs do not change, and nothing from the repository is run.
 * @throws CatalogueError git_failed, disk_full
 */
export async function takeTree(own: TurnGitDir): Promise<TurnTree> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await takeOnce(own);
    } catch (cause) {
      const isTooMuch = cause instanceof CatalogueError && cause.extra.reason === TOO_MUCH;
      if (attempt >= TRIES || isTooMuch || own.call.signal.aborted) throw cause;
      // The objects of earlier checkpoints may no longer exist, or the index may be unreadable.
      if (attempt === TRIES - 1) await forgetRead(own);
    }
  }
}

async function takeOnce(own: TurnGitDir): Promise<TurnTree> {
  const ask = async (args: readonly string[]): Promise<string[]> =>
    byteNamesIn((await readGit(args, { ...own.call, mostBytes: MOST_LISTED })).stdout);
  const [changed, others, ignored, tracked] = await Promise.all([
    ask(['diff-files', '-z', '--name-status', '--no-renames', '--ignore-submodules=all']),
    ask(['ls-files', '--others', ...NAMES]),
    ask(['ls-files', '--cached', '--ignored', ...NAMES]),
    // These are tracked files that git would otherwise ignore.
    readGit(['ls-files', '--cached', '--ignored', ...NAMES], { ...own.theirs, mostBytes: MOST_LISTED }).then(
      ({ stdout }) => byteNamesIn(stdout),
    ),
  ]);
  const kept = new Set(tracked);
  const known = new Set(ignored);
  const stale = changed.flatMap((word, at) => (at % 2 === 1 && changed[at - 1] !== 'D' ? [word] : []));
  const gone = changed.flatMap((word, at) => (at % 2 === 1 && changed[at - 1] === 'D' ? [word] : []));
  const found = await lookAt(own, [
    ...new Set([
      ...stale,
      ...others.filter((name) => !name.endsWith('/')),
      ...tracked.filter((name) => !known.has(name)),
    ]),
  ]);
  const taken = found.filter(({ kind }) => kind === 'taken');
  await requireBounded(own, taken);
  const leftOut = found.flatMap(({ kind, name }) => (kind === 'left' ? [name] : []));
  if (leftOut.length > MOST_NAMED) throw tooMuch(`${leftOut.length} files are too large or cannot be read`);
  const dropped = new Set([
    ...gone,
    ...ignored.filter((name) => !kept.has(name)),
    ...found.flatMap(({ kind, name }) => (kind === 'taken' ? [] : [name])),
  ]);
  await updateIndex(own, dropped, taken);
  const { stdout } = await readGit(['write-tree'], own.call);
  const ownerOnly = await followOwnerOnly(own, dropped, taken);
  // git lists another repository as a folder, and other folders by their files.
  const repositories = others.flatMap((name) => (name.endsWith('/') ? [name.slice(0, -1)] : [])).slice(0, MOST_NAMED);
  return { tree: lines(stdout)[0] ?? '', leftOut, ownerOnly, repositories };
}

/** The maximum size of a list. The names of a million files take less than this. */
const MOST_LISTED = 256 * 1024 * 1024;

interface Found {
  name: string;
  /** `none`: the path is neither a file nor a symbolic link */
  kind: 'taken' | 'left' | 'none';
  bytes: number;
  isOwnerOnly: boolean;
}

async function lookAt({ repository }: TurnGitDir, names: readonly string[]): Promise<Found[]> {
  const found: Found[] = [];
  for (let start = 0; start < names.length; start += AT_ONCE) {
    const some = names.slice(start, start + AT_ONCE);
    found.push(...(await Promise.all(some.map((name) => lookAtOne(repository.root, name)))));
  }
  return found;
}

async function lookAtOne(root: string, name: string): Promise<Found> {
  const path = bytePath(root, name);
  const stats = await lstat(path).catch(() => null);
  const one = { name, bytes: stats?.size ?? 0, isOwnerOnly: false };
  if (stats?.isSymbolicLink() === true) return { ...one, kind: 'taken' };
  if (stats?.isFile() !== true) return { ...one, kind: 'none' };
  // git refuses to store anything under these names, in upper or lower case.
  const isForGit = name.split('/').some((part) => part.toLowerCase() === '.git');
  const isReadable = isOwnFile(stats) || (await mayRead(path));
  if (isForGit || !isReadable || stats.size > LARGEST_FILE) return { ...one, kind: 'left' };
  return { ...one, kind: 'taken', isOwnerOnly: (stats.mode & 0o044) === 0 };
}

/** Reports whether this user owns the file and may read it. For most files, this takes no further call. */
const isOwnFile = ({ uid, mode }: { uid: number; mode: number }): boolean =>
  uid === process.getuid?.() && (mode & 0o400) !== 0;

async function mayRead(path: Buffer): Promise<boolean> {
  return access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}

async function requireBounded(own: TurnGitDir, taken: readonly Found[]): Promise<void> {
  const sum = (some: readonly Found[]): number => some.reduce((total, { bytes }) => total + bytes, 0);
  if (taken.length <= MOST_NEW_FILES && sum(taken) <= MOST_NEW_BYTES) return;
  const listed = await readGit(['ls-files', '-z', '--cached'], { ...own.theirs, mostBytes: MOST_LISTED });
  const tracked = new Set(byteNamesIn(listed.stdout));
  const untracked = taken.filter(({ name }) => !tracked.has(name));
  if (untracked.length > MOST_NEW_FILES) throw tooMuch(`${untracked.length} new files are neither tracked nor ignored`);
  const bytes = sum(untracked);
  if (bytes > MOST_NEW_BYTES) throw tooMuch(`${Math.round(bytes / 1e6)} MB are neither tracked nor ignored`);
}

const TOO_MUCH = 'too_much';
function tooMuch(what: string): CatalogueError {
  return new CatalogueError('git_failed', `No checkpoint was saved: ${what}`, {
    hint: 'List files that need not be restored in .gitignore',
    extra: { reason: TOO_MUCH },
  });
}

async function updateIndex(own: TurnGitDir, dropped: ReadonlySet<string>, taken: readonly Found[]): Promise<void> {
  if (dropped.size > 0) {
    const zero = '0'.repeat((own.repository.head ?? SHA1_ZERO).length);
    const input = [...dropped].map((name) => `0 ${zero}\t${name}\0`).join('');
    await readGit(['update-index', '-z', '--index-info'], { ...own.call, input: Buffer.from(input, 'latin1') });
  }
  if (taken.length === 0) return;
  const input = Buffer.from(taken.map(({ name }) => `${name}\0`).join(''), 'latin1');
  await readGit(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], { ...own.call, input });
}
const SHA1_ZERO = '0'.repeat(40);

async function followOwnerOnly(
  { dir }: TurnGitDir,
  dropped: ReadonlySet<string>,
  taken: readonly Found[],
): Promise<string[]> {
  const file = join(dir, OWNER_ONLY);
  const names = new Set(await readNames(file));
  const before = names.size;
  for (const name of dropped) names.delete(name);
  let hasChanged = names.size !== before;
  for (const { name, isOwnerOnly } of taken) {
    if (names.has(name) === isOwnerOnly) continue;
    hasChanged = true;
    if (isOwnerOnly) names.add(name);
    else names.delete(name);
  }
  if (hasChanged) await writeFile(file, JSON.stringify([...names]), { mode: 0o600 });
  return names.size > MOST_NAMED ? ['*'] : [...names];
}

async function readNames(file: string): Promise<string[]> {
  try {
    const read: unknown = JSON.parse(await readFile(file, 'utf8'));
    return Array.isArray(read) ? read.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}
