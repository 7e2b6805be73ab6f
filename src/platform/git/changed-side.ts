import { CatalogueError, type ChangedSide } from '../../protocol/index.ts';
import { NO_CONTENT, readBlob } from './file-content.ts';
import { type DiffedFile, kindOf } from './parse-diff.ts';
import type { GitContext } from './read-git.ts';
import { readWorkingFile } from './working-file.ts';

export interface SideOptions {
  /** the path of a changed file, as the list of changes has it */
  file: string;
  side: ChangedSide['side'];
}

/**
 * Reads one side of a changed file. Only files that differ have sides, so nothing that git ignores can be read.
 * @param place.root the working tree that has the new side; null if both sides are objects
 * @throws CatalogueError no_such_file, git_failed
 */
export async function readChangedSide(
  files: readonly DiffedFile[],
  { file, side }: SideOptions,
  { call, root }: { call: GitContext; root: string | null },
): Promise<Omit<ChangedSide, 'base'>> {
  const found = files.find(({ path }) => path === file);
  if (found === undefined) throw noSuchFile(`${JSON.stringify(file)} has not changed`);
  const { mode, id } = found.sides[side] ?? {};
  if (mode === undefined) {
    throw noSuchFile(`${JSON.stringify(file)} ${side === 'old' ? 'did not exist before' : 'was deleted'}`);
  }
  const kind = kindOf(mode);
  const path = side === 'old' ? (found.old_path ?? found.path) : found.path;
  const facts = { path, side, kind, mode };
  if (kind === 'submodule') return { ...facts, ...NO_CONTENT };
  const isLink = kind === 'link';
  if (side === 'new' && root !== null) {
    const content = await readWorkingFile(root, path, { isLink });
    if (content === null) throw noSuchFile(`${JSON.stringify(file)} was deleted or replaced while CBOS was reading it`);
    return { ...facts, ...content };
  }
  if (id == null) throw new CatalogueError('git_failed', `git does not name the content of ${path}`);
  return { ...facts, ...(await readBlob(call, { id, isLink })) };
}

function noSuchFile(message: string): CatalogueError {
  return new CatalogueError('no_such_file', message);
}
