import { followLinks } from '../../platform/rules/index.ts';
import type { Session } from '../../protocol/index.ts';

type Placed = Pick<Session, 'slug' | 'path'>;

/**
 * Returns the sessions that work in each of these folders, by folder. A session counts only for the innermost folder,
 * because worktrees are inside the main checkout. Stopped sessions count too, because a restart continues in the
 * folder.
 */
export async function usersOf(
  folders: readonly string[],
  sessions: readonly Placed[],
): Promise<ReadonlyMap<string, string[]>> {
  const users = new Map<string, string[]>(folders.map((folder) => [folder, []]));
  const real = await Promise.all(
    folders.map(async (folder) => ({ folder, at: (await followLinks(folder)) ?? folder })),
  );
  const innermost = real.toSorted((one, other) => other.at.length - one.at.length);
  for (const { slug, path } of sessions) {
    const at = path === null ? null : ((await followLinks(path)) ?? path);
    const inside = innermost.find((one) => at !== null && (at === one.at || at.startsWith(`${one.at}/`)));
    if (inside !== undefined) users.get(inside.folder)?.push(slug);
  }
  return users;
}
