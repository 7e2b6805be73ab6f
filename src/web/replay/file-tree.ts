import type { CheckpointFiles } from '../../protocol/index.ts';
import { type MarkedEntry, type Marks, markedEntries } from '../../text/checkpoint-words.ts';

/** The part of a folder that has been read. */
export type ReadFolder = Pick<CheckpointFiles, 'entries' | 'total' | 'next'>;

/** A row of the tree: an entry, or the place of a folder's entries that have not been read yet. */
export type TreeRow =
  | { kind: 'entry'; depth: number; entry: MarkedEntry; isOpen: boolean }
  | { kind: 'more'; depth: number; folder: string; left: number; from: number };

/**
 * Returns the rows of all open folders. The rows of a folder that is still being read are missing.
 * @param folders the folders that have been read, by their paths
 */
export function treeRows(folders: ReadonlyMap<string, ReadFolder>, open: ReadonlySet<string>, marks: Marks): TreeRow[] {
  const rows: TreeRow[] = [];
  const add = (folder: string, depth: number, isGone: boolean): void => {
    const read = isGone ? EMPTY : folders.get(folder);
    if (read === undefined) return;
    for (const entry of markedEntries(folder, read.entries, marks)) {
      const isOpen = entry.kind === 'folder' && open.has(entry.path);
      rows.push({ kind: 'entry', depth, entry, isOpen });
      if (isOpen) add(entry.path, depth + 1, entry.deleted);
    }
    const { next, total } = read;
    if (next !== null) rows.push({ kind: 'more', depth, folder, left: total - next, from: next });
  };
  add('', 0, false);
  return rows;
}

const EMPTY: ReadFolder = { entries: [], total: 0, next: null };
