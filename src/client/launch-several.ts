import { CatalogueError, isSlug, type NewSession, type Session } from '../protocol/index.ts';
import type { Caller } from './caller.ts';

/** The maximum number of sessions that can get the same task at once. */
export const MOST_TIMES = 20;

/** Returns the names of the sessions that get the same task: NAME-1, NAME-2. */
export function attemptSlugs(name: string, times: number): string[] {
  return Array.from({ length: times }, (_, at) => `${name}-${at + 1}`);
}

/**
 * Launches several sessions with the same task, each in its own worktree. If one of their names is taken or too long,
 * none of them is launched.
 * @param body.slug the beginning of each name
 * @param onLaunched called for each session. If a later launch fails, the sessions before it are already running.
 * @throws CatalogueError slug_taken, invalid_slug, and every error of `createSession`
 */
export async function launchSeveral(
  client: Caller,
  body: NewSession,
  { times, onLaunched }: { times: number; onLaunched(session: Session): void },
): Promise<void> {
  const slugs = attemptSlugs(body.slug, times);
  if (!slugs.every(isSlug)) throw new CatalogueError('invalid_slug');
  const taken = new Set((await client.call('listSessions')).map(({ slug }) => slug));
  const [same] = slugs.filter((slug) => taken.has(slug));
  if (same !== undefined) throw new CatalogueError('slug_taken', `A session named ${same} already exists`);
  for (const [at, slug] of slugs.entries()) {
    const { branch, ...worktree } = body.worktree ?? {};
    const own = branch === undefined ? worktree : { ...worktree, branch: `${branch}-${at + 1}` };
    onLaunched(await client.call('createSession', { body: { ...body, slug, worktree: own } }));
  }
}
