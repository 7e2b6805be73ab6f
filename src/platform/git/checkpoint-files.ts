import {
  CatalogueError,
  type CheckpointEntry,
  type CheckpointFile,
  type CheckpointFiles,
} from '../../protocol/index.ts';
import { MOST_PATCH_BYTES } from './compare.ts';
import { type GitCall, readGit } from './read-git.ts';
import { textOf } from './repository.ts';
import { readState } from './turn-refs.ts';
import { lines } from './working-tree.ts';

/** How many entries of a folder one answer lists. */
const MOST_ENTRIES = 10_000;
/** The maximum size of a folder's list. A folder with a million files takes less than this. */
const MOST_LISTED = 256 * 1024 * 1024;

/** How to call git in the repository. The commands used here read no file of the working tree. */
type Call = Pick<GitCall, 'env' | 'signal' | 'cwd'>;

interface Found extends Pick<CheckpointEntry, 'name' | 'kind' | 'mode' | 'saved'> {
  /** the object with the content, or null if nothing is saved */
  id: string | null;
}

/** A folder at a checkpoint. `unsaved` are the files and repositories below the folder that are not saved. */
interface Folder {
  tree: string | null;
  unsaved: readonly { path: readonly string[]; kind: 'file' | 'repository' }[];
}

/**
 * Lists one folder of a checkpoint.
 * @param asked.folder relative to the root; empty for the root itself
 * @throws CatalogueError no_such_file, git_failed
 */
export async function listCheckpoint(
  call: Call,
  commit: string,
  { folder, from }: { folder: string; from: number },
): Promise<Pick<CheckpointFiles, 'folder' | 'entries' | 'total' | 'next'>> {
  const names = folder.split('/').filter((name) => name !== '');
  const all = await entriesOf(call, await openFolder(call, commit, names));
  const some = all.slice(from, from + MOST_ENTRIES);
  const sizes = await sizesOf(call, some);
  const end = from + some.length;
  return {
    folder: names.join('/'),
    entries: some.map(({ id, ...entry }) => ({ ...entry, size: sizes.get(id ?? '') ?? null })),
    total: all.length,
    next: end < all.length ? end : null,
  };
}

/**
 * Reads what was at a path. Symbolic links are not followed: their content is their target.
 * @throws CatalogueError no_such_file, git_failed
 */
export async function readCheckpointFile(
  call: Call,
  commit: string,
  path: string,
): Promise<Omit<CheckpointFile, 'turn' | 'state' | 'at' | 'commit' | 'root'>> {
  const names = path.split('/').filter((name) => name !== '');
  const name = names.pop();
  const all = name === undefined ? [] : await entriesOf(call, await openFolder(call, commit, names));
  const found = all.find((entry) => entry.name === name);
  if (found === undefined) throw noSuchFile(path);
  const { id, name: _, ...entry } = found;
  const facts = { path: [...names, name].join('/'), ...entry };
  if (id === null || entry.kind === 'folder') {
    return { ...facts, size: null, encoding: null, content: null, cut: false, image: null };
  }
  const { stdout, isCut } = await readGit(['cat-file', 'blob', id], { ...call, mostBytes: MOST_PATCH_BYTES });
  const size = isCut ? ((await sizesOf(call, [found])).get(id) ?? null) : stdout.length;
  const text = isCut ? textOfCut(stdout) : textIn(stdout);
  return {
    ...facts,
    size,
    encoding: text === null ? 'base64' : 'utf-8',
    content: text ?? stdout.toString('base64'),
    cut: isCut,
    image: isCut || entry.kind === 'link' ? null : imageType(stdout),
  };
}

/**
 * Finds a folder step by step, by comparing names. No name from a request is ever passed to git, which could take it
 * for a revision or a pattern, so a path can neither leave the checkpoint nor name anything else in the repository.
 */
async function openFolder(call: Call, commit: string, names: readonly string[]): Promise<Folder> {
  const { tree, leftOut, repositories } = await readState({ call }, commit);
  const unsaved = [
    ...leftOut.map((path) => ({ path: textOf(path).split('/'), kind: 'file' as const })),
    ...repositories.map((path) => ({ path: textOf(path).split('/'), kind: 'repository' as const })),
  ];
  let folder: Folder = { tree, unsaved };
  for (const name of names) {
    const inside = (await entriesOf(call, folder)).find((entry) => entry.name === name && entry.kind === 'folder');
    if (inside === undefined) throw noSuchFile(names.join('/'));
    folder = {
      tree: inside.id,
      unsaved: folder.unsaved.flatMap(({ path: [first, ...rest], kind }) =>
        first === name && rest.length > 0 ? [{ path: rest, kind }] : [],
      ),
    };
  }
  return folder;
}

function noSuchFile(path: string): CatalogueError {
  return new CatalogueError('no_such_file', `The checkpoint has no ${JSON.stringify(path)}`, {
    hint: '`cbos tree NAME` lists the files of a checkpoint',
  });
}

/** Returns what is in a folder: folders first, then everything else, each sorted by name. */
async function entriesOf(call: Call, { tree, unsaved }: Folder): Promise<Found[]> {
  const saved = tree === null ? [] : await listTree(call, tree);
  const known = new Set(saved.map(({ name }) => name));
  const others = new Map<string, Found>();
  for (const { path, kind } of unsaved) {
    const [name = ''] = path;
    if (known.has(name)) continue;
    others.set(name, { name, kind: path.length > 1 ? 'folder' : kind, mode: null, saved: false, id: null });
  }
  return [...saved, ...others.values()].sort(
    (one, other) => Number(other.kind === 'folder') - Number(one.kind === 'folder') || (one.name < other.name ? -1 : 1),
  );
}

async function listTree(call: Call, tree: string): Promise<Found[]> {
  const { stdout } = await readGit(['ls-tree', '-z', '--full-tree', tree], { ...call, mostBytes: MOST_LISTED });
  return stdout
    .toString('utf8')
    .split('\0')
    .flatMap((row): Found[] => {
      const [, mode = '', type, id = '', name = ''] = /^(\d+) (\w+) ([0-9a-f]+)\t([\s\S]+)$/.exec(row) ?? [];
      if (type === undefined) return [];
      if (type === 'commit') return [{ name, kind: 'repository', mode: null, saved: false, id: null }];
      return [{ name, kind: type === 'tree' ? 'folder' : mode === LINK ? 'link' : 'file', mode, saved: true, id }];
    });
}
const LINK = '120000';

/** Returns the sizes of files by the ids of their objects. */
async function sizesOf(call: Call, found: readonly Found[]): Promise<Map<string, number>> {
  const ids = found.flatMap(({ id, kind }) => (id === null || kind === 'folder' ? [] : [id]));
  if (ids.length === 0) return new Map();
  const { stdout } = await readGit(['cat-file', '--batch-check=%(objectname) %(objectsize)'], {
    ...call,
    input: Buffer.from(ids.map((id) => `${id}\n`).join('')),
  });
  return new Map(
    lines(stdout).flatMap((line) => {
      const [id = '', size = ''] = line.split(' ');
      return /^\d+$/.test(size) ? [[id, Number(size)] as const] : [];
    }),
  );
}

/** Returns the text of a file, or null if the file is not text in UTF-8. */
function textIn(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Ends the text after a whole line, or if there is none, after a whole character. */
function textOfCut(bytes: Buffer): string | null {
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end > 0) return textIn(bytes.subarray(0, end));
  const whole = [0, 1, 2, 3].map((less) => textIn(bytes.subarray(0, bytes.length - less)));
  return whole.find((text) => text !== null) ?? null;
}

/** Recognizes the images that every browser draws without running anything. SVG is not one of them; it is text. */
function imageType(bytes: Buffer): CheckpointFile['image'] {
  const startsWith = (text: string, at = 0): boolean => bytes.toString('latin1', at, at + text.length) === text;
  if (startsWith('\u0089PNG\r\n\u001a\n')) return 'image/png';
  if (startsWith('\u00ff\u00d8\u00ff')) return 'image/jpeg';
  if (startsWith('GIF87a') || startsWith('GIF89a')) return 'image/gif';
  return startsWith('RIFF') && startsWith('WEBP', 8) ? 'image/webp' : null;
}
