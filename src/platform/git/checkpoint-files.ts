import {
  CatalogueError,
  type CheckpointEntry,
  type CheckpointFile,
  type CheckpointFiles,
} from '../../protocol/index.ts';
import { NO_CONTENT, readBlob, sizesOf } from './file-content.ts';
import { LINK } from './parse-diff.ts';
import { type GitContext, readGit } from './read-git.ts';
import { textOf } from './repository.ts';
import { readState } from './turn-refs.ts';

/** How many entries of a folder one answer lists. */
const MOST_ENTRIES = 10_000;
/** The maximum size of a folder's list. A folder with a million files takes less than this. */
const MOST_LISTED = 256 * 1024 * 1024;

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
  call: GitContext,
  commit: string,
  { folder, from }: { folder: string; from: number },
): Promise<Pick<CheckpointFiles, 'folder' | 'entries' | 'total' | 'next'>> {
  const names = folder.split('/').filter((name) => name !== '');
  const all = await entriesOf(call, await openFolder(call, commit, names));
  const some = all.slice(from, from + MOST_ENTRIES);
  const sizes = await sizesOf(
    call,
    some.flatMap(({ id, kind }) => (id === null || kind === 'folder' ? [] : [id])),
  );
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
  call: GitContext,
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
  if (id === null || entry.kind === 'folder') return { ...facts, ...NO_CONTENT };
  return { ...facts, ...(await readBlob(call, { id, isLink: entry.kind === 'link' })) };
}

/**
 * Finds a folder step by step, by comparing names. No name from a request is ever passed to git, which could take it
 * for a revision or a pattern, so a path can neither leave the checkpoint nor name anything else in the repository.
 */
async function openFolder(call: GitContext, commit: string, names: readonly string[]): Promise<Folder> {
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
async function entriesOf(call: GitContext, { tree, unsaved }: Folder): Promise<Found[]> {
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

async function listTree(call: GitContext, tree: string): Promise<Found[]> {
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
