import type { Dirent } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { readEntries } from './read-entries.ts';

/** The maximum number of folders to offer. No one reads through more, and typing another letter shortens the list. */
const MOST_FOLDERS = 50;
/** How many entries of a directory are read. A directory with a million files must not delay the answer by seconds. */
const MOST_ENTRIES = 20_000;

/**
 * Returns at most 50 folders whose path begins with what the user has typed so far, as sorted absolute paths. `~` and
 * relative paths refer to the user's home. A path that ends in `/` matches all folders in it. Hidden folders match only
 * if their leading dot was typed. A path that is unreadable or missing yields no folders and no error, because the user
 * may still be typing.
 */
export async function completeFolder(typed: string, userHome: string): Promise<string[]> {
  const path = absolutePath(typed, userHome);
  const [parent, start] = path.endsWith('/') ? [path, ''] : [dirname(path), basename(path)];
  const names: string[] = [];
  for (const entry of await readEntries(parent, MOST_ENTRIES)) {
    if (!entry.name.startsWith(start) || (entry.name.startsWith('.') && !start.startsWith('.'))) continue;
    if (await isFolder(entry, parent)) names.push(entry.name);
  }
  return names
    .sort((one, other) => one.localeCompare(other, 'en'))
    .slice(0, MOST_FOLDERS)
    .map((name) => join(parent, name));
}

function absolutePath(typed: string, userHome: string): string {
  const path = typed === '' || typed === '~' ? '~/' : typed;
  if (path.startsWith('~/')) return join(userHome, path.slice(1));
  return isAbsolute(path) ? path : join(userHome, path);
}

async function isFolder(entry: Dirent, parent: string): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return (await stat(join(parent, entry.name)).catch(() => null))?.isDirectory() === true;
}
