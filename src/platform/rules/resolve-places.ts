import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** How many paths in one call are resolved. If a call has more paths, CBOS asks the user about it. */
const MOST_PATHS = 500;

/** A path, together with the directory that it is relative to. */
export interface NamedPath {
  base: string;
  path: string;
}

/**
 * Returns where each path leads, with symbolic links followed as far as the path exists, or null if that is unknown (a
 * dangling link, an unreadable folder, or too many paths).
 * @param options.keyOf returns the key under which a path is stored in the map
 */
export async function resolvePlaces(
  named: readonly NamedPath[],
  options: { userHome: string; keyOf(base: string, path: string): string },
): Promise<Map<string, string | null>> {
  const places = new Map<string, string | null>();
  for (const { base, path } of named) {
    const key = options.keyOf(base, path);
    if (places.has(key)) continue;
    places.set(key, places.size < MOST_PATHS ? await followLinks(toAbsolute(base, path, options.userHome)) : null);
  }
  return places;
}

function toAbsolute(base: string, path: string, userHome: string): string {
  if (path === '~' || path.startsWith('~/')) return `${userHome}${path.slice(1)}`;
  return path.startsWith('/') ? path : `${base}/${path}`;
}

/**
 * Errors that mean that the rest of a path does not exist and therefore cannot contain a symbolic link. A name that is
 * too long does not exist either.
 */
const MISSING: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

/** @param path an absolute path @returns null if it is unknown where the path leads */
export async function followLinks(path: string): Promise<string | null> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(await realpath(at), ...missing);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (!MISSING.has(code) || at === dirname(at) || (await isLink(at))) return null;
      missing.unshift(basename(at));
    }
  }
}

const isLink = async (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
