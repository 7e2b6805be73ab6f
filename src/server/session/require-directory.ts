import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CatalogueError } from '../../protocol/index.ts';

/** Returns the absolute path of an existing directory. @throws CatalogueError no_such_path */
export async function requireDirectory(path: string): Promise<string> {
  const absolute = resolve(path);
  // A path that contains a NUL or is too long is treated like a missing directory, because `stat` fails for it as well.
  const found = await stat(absolute).catch(() => null);
  if (found === null) throw new CatalogueError('no_such_path', `The directory ${JSON.stringify(path)} does not exist`);
  if (!found.isDirectory()) throw new CatalogueError('no_such_path', `${JSON.stringify(path)} isn't a directory`);
  return absolute;
}
