import { createHash } from 'node:crypto';
import { lstat, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CatalogueError } from '../../protocol/index.ts';
import { haveSameList, includedNames } from './include-files.ts';
import { LINK, SUBMODULE } from './parse-diff.ts';
import { byteNamesIn, bytePath, listWorktrees, textOf } from './repository.ts';
import { askGit, type GitOptions, type GitPlace, runGit, tryGit } from './run-git.ts';

/** The files of a worktree, as trees in its repository. All trees have been written, but nothing refers to them yet. */
export interface FileTrees {
  /** the tree that contains all tracked and untracked files */
  files: string;
  /** the tree that contains the content of the index */
  staged: string;
  /** the sides of each file in conflict, in folders named after the stages of the index; null if there are none */
  sides: string | null;
  /** the ignored files listed in `.worktreeinclude`, or null if there are none */
  included: string | null;
  /** the names of files outside the index that only their owner may read, with one character for each byte */
  ownerOnly: string[];
}

/** An entry of an index. Names have one character for each byte. */
interface IndexEntry {
  mode: string;
  hash: string;
  name: string;
}

type Found = { kind: 'file'; mode: string; isOwnerOnly: boolean } | { kind: 'link'; target: Buffer } | { kind: 'gone' };

/** A partial clone lacks objects that were never requested. */
const WRITE_TREE = ['write-tree', '--missing-ok'];

/**
 * Writes the files of a worktree into its repository, byte for byte. Each file is read, regardless of what the index
 * assumes about it (`assume-unchanged`, its dates), and no filter or line-ending conversion changes it. The worktree
 * and its index do not change. A tree cannot contain empty folders, sockets, or pipes.
 * @param place the worktree
 * @param options.root the main checkout
 * @param options.indexFile a file that is used only for this purpose, and is removed afterwards
 * @param options.skipsWorktrees whether to leave out worktrees of the same repository that are inside this one, instead
 * of refusing them
 * @throws CatalogueError worktree_nested, git_failed, disk_full
 */
export async function snapshotFiles(
  place: GitPlace,
  { root, indexFile, skipsWorktrees = false }: { root: string; indexFile: string; skipsWorktrees?: boolean },
): Promise<FileTrees> {
  const own = { ...place, indexFile };
  const index = await readIndex(place);
  const untracked = await listUntracked(place, skipsWorktrees);
  try {
    const staged = await writeTree(own, index.entries);

    const found = await findAll(place, [...index.names, ...untracked]);
    const hashes = await hashAll(place, found, index.entries);
    const zero = '0'.repeat(hashes.length);
    // A file that a sparse checkout omits does not count as deleted, because the index contains it.
    const isGone = (name: string): boolean => found.get(name)?.kind === 'gone' && !index.leftOut.has(name);
    const gone = index.names.filter(isGone).map((name) => indexLine({ mode: '0', hash: zero, name }));
    // Missing files come first, because a file may have replaced a folder.
    await updateIndex(own, [...gone, ...hashes.entries.map(indexLine)]);
    const files = await askGit(WRITE_TREE, own);

    const sides = index.sides.length === 0 ? null : await writeTree(own, index.sides);

    const names = await namesToInclude(place, root, found);
    const foundIncluded = await findAll(place, names);
    const { entries } = await hashAll(place, foundIncluded, []);
    const included = names.length === 0 ? null : await writeTree(own, entries);
    // For tracked files, git does not store this mode, so after a checkout they have the usual mode.
    const ownerOnly = [...untracked, ...names].filter((name) => {
      const one = found.get(name) ?? foundIncluded.get(name);
      return one?.kind === 'file' && one.isOwnerOnly;
    });
    return { files, staged, sides, included, ownerOnly };
  } finally {
    await rm(indexFile, { force: true });
  }
}

/** Returns the untracked files of a worktree. @throws CatalogueError worktree_nested if a repository is among them */
export async function listUntracked(place: GitPlace, skipsWorktrees = false): Promise<string[]> {
  const found = byteNamesIn(await runGit(['ls-files', '-z', '--others', '--exclude-standard'], place));
  const untracked = found.filter((name) => !name.endsWith('/'));
  if (untracked.length === found.length) return untracked;
  const isSkipped = skipsWorktrees ? await worktreeFinder(place) : () => false;
  for (const name of found) {
    const folder = join(place.cwd, textOf(name.replace(/\/$/, '')));
    if (!name.endsWith('/') || (await isSkipped(folder))) continue;
    throw new CatalogueError('worktree_nested', `${folder}/ is a separate repository`);
  }
  return untracked;
}

/**
 * Returns a function that reports whether a folder is a worktree of the same repository, such as one that Claude Code
 * made in the main checkout. Another repository may have taken the place of a worktree that git still lists.
 */
async function worktreeFinder(place: GitPlace): Promise<(folder: string) => Promise<boolean>> {
  const words = ['rev-parse', '--path-format=absolute', '--git-common-dir'];
  const commonDir = await askGit(words, place);
  const listed = new Set((await listWorktrees(place)).map(({ path }) => path));
  return async (folder) =>
    listed.has(folder) && (await tryGit(words, { ...place, cwd: folder })).stdout.toString() === `${commonDir}\n`;
}

/** Reads a worktree's index: the staged entries, the sides of files in conflict, and the names of all tracked files. */
async function readIndex(
  place: GitPlace,
): Promise<{ entries: IndexEntry[]; sides: IndexEntry[]; names: string[]; leftOut: ReadonlySet<string> }> {
  const listed = byteNamesIn(await runGit(['ls-files', '-z', '-t', '--stage'], place)).map((line) => {
    const end = line.indexOf('\t');
    const [tag = '', mode = '', hash = '', stage = ''] = line.slice(0, end).split(' ');
    return { tag, mode, hash, stage, name: line.slice(end + 1) };
  });
  const files = listed.filter(({ mode }) => mode !== SUBMODULE);
  return {
    entries: listed.filter(({ stage }) => stage === '0'),
    sides: listed.flatMap((one) => (one.stage === '0' ? [] : [{ ...one, name: `${one.stage}/${one.name}` }])),
    names: [...new Set(files.map(({ name }) => name))],
    leftOut: new Set(files.flatMap(({ tag, name }) => (tag.toUpperCase() === 'S' ? [name] : []))),
  };
}

async function writeTree(own: GitOptions & { indexFile: string }, entries: readonly IndexEntry[]): Promise<string> {
  await rm(own.indexFile, { force: true });
  await updateIndex(own, entries.map(indexLine));
  return askGit(WRITE_TREE, own);
}

const indexLine = ({ mode, hash, name }: IndexEntry): string => `${mode} ${hash} 0\t${name}\0`;

async function updateIndex(own: GitOptions, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  const input = Buffer.from(lines.join(''), 'latin1');
  await runGit(['update-index', '-z', '--replace', '--index-info'], { ...own, input });
}

/** How many files are inspected at once. Node's thread pool has four threads. */
const AT_ONCE = 64;

async function findAll({ cwd }: GitPlace, names: readonly string[]): Promise<Map<string, Found>> {
  const all = new Map<string, Found>();
  for (let start = 0; start < names.length; start += AT_ONCE) {
    const some = names.slice(start, start + AT_ONCE);
    const found = await Promise.all(some.map((name) => findOne(bytePath(cwd, name))));
    for (const [index, name] of some.entries()) all.set(name, found[index] ?? { kind: 'gone' });
  }
  return all;
}

async function findOne(path: Buffer): Promise<Found> {
  const stats = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (stats?.isSymbolicLink() === true) {
    return { kind: 'link', target: await readlink(path, { encoding: 'buffer' }) };
  }
  // If a folder or a pipe has replaced a file, git knows only about the files below it.
  if (stats?.isFile() !== true) return { kind: 'gone' };
  const mode = (stats.mode & 0o100) === 0 ? '100644' : '100755';
  return { kind: 'file', mode, isOwnerOnly: (stats.mode & 0o044) === 0 };
}

/** Writes files and symbolic links into the repository. `length` is the length of the repository's object names. */
async function hashAll(
  place: GitPlace,
  found: ReadonlyMap<string, Found>,
  known: readonly IndexEntry[],
): Promise<{ entries: IndexEntry[]; length: number }> {
  const files = [...found].flatMap(([name, one]) => (one.kind === 'file' ? [{ name, mode: one.mode }] : []));
  const input = files.map(({ name }) => `${quoted(name)}\n`).join('');
  const write = ['hash-object', '-w', '--no-filters'];
  const printed =
    files.length === 0 ? [] : (await askGit([...write, '--stdin-paths'], { ...place, input })).split('\n');
  const entries = files.map(({ name, mode }, index) => ({ mode, hash: printed[index] ?? '', name }));
  const length = (known[0]?.hash ?? printed[0] ?? '').length || SHA1_LENGTH;
  const there = new Set(known.flatMap(({ mode, hash }) => (mode === LINK ? [hash] : [])));
  for (const [name, one] of found) {
    if (one.kind !== 'link') continue;
    const own = blobName(one.target, length);
    const hash = there.has(own) ? own : await askGit([...write, '--stdin'], { ...place, input: one.target });
    entries.push({ mode: LINK, hash, name });
  }
  return { entries, length };
}
const SHA1_LENGTH = 40;

/** Returns the name that git gives to an object with these bytes. */
function blobName(bytes: Buffer, length: number): string {
  const hash = createHash(length === SHA1_LENGTH ? 'sha1' : 'sha256');
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** Quotes a name for a line that git reads. Each byte that is not a plain character is written as a number. */
export function quoted(name: string): string {
  const plain = name.replaceAll(/[^ !#-[\]-~]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`);
  return `"${plain}"`;
}

/** Reverses {@link quoted}. */
export function unquoted(text: string): string {
  return text
    .slice(1, -1)
    .replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

/** Returns the names in the `.worktreeinclude` lists of both the main checkout and the worktree. */
async function namesToInclude(place: GitPlace, root: string, found: ReadonlyMap<string, Found>): Promise<string[]> {
  const names = new Set(await includedNames(place, root));
  if (!(await haveSameList(root, place.cwd))) {
    for (const name of await includedNames(place, place.cwd)) names.add(name);
  }
  return [...names].filter((name) => !found.has(name));
}
