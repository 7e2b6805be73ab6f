import { followLinks } from '../../platform/rules/index.ts';
import { isInside, type Session } from '../../protocol/index.ts';

type Placed = Pick<Session, 'slug' | 'path'> & {
  place?: string | null | undefined;
  /** the worktree that the session's own arguments for Claude Code name */
  argued?: string | null;
};

/**
 * Returns the sessions that work in each of these folders, by folder. A session counts only for the innermost folder,
 * because worktrees are inside the main checkout. Stopped sessions count too, because a restart continues in the
 * folder. A session that has moved counts for its place, and for the folder in which it will start again.
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
  for (const { slug, path, place, argued } of sessions) {
    const at = await Promise.all(
      [path, place, argued].map(async (one) => (one == null ? null : ((await followLinks(one)) ?? one))),
    );
    const inside = at.map((one) => innermost.find((worktree) => isInside(one, worktree.at))?.folder);
    for (const folder of new Set(inside)) if (folder !== undefined) users.get(folder)?.push(slug);
  }
  return users;
}
