import { findCheckout, findMainCheckout } from '../../platform/git/git-dir.ts';
import { followLinks } from '../../platform/rules/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { CatalogueError } from '../../protocol/index.ts';
import { arguedWorktree } from './argued-worktree.ts';

/** A session that may work in a worktree of its own. */
interface Claiming {
  readonly slug: string;
  readonly record: Pick<SessionRecord, 'id' | 'path' | 'launch' | 'reported' | 'parkedAt'>;
  readonly isChangingHands: boolean;
  isDead(): boolean;
}

/**
 * Ensures that a new session does not start in a worktree that was made for another session, or into which another one
 * has moved. Sessions that share a folder because their users started them there are not affected.
 * @param own the name of the new session
 * @throws CatalogueError worktree_in_use
 */
export async function requireUnclaimed(sessions: readonly Claiming[], folder: string, own: string): Promise<void> {
  const worktree = await worktreeOf(folder);
  if (worktree === null) return;
  for (const session of sessions.filter(isThere)) {
    if (!(await claimsOf(session)).includes(worktree)) continue;
    throw inUse(session.slug, worktree, `\`cbos fork ${session.slug} ${own}\` works on a copy; --same-folder lets`);
  }
}

/**
 * Ensures that a session which is not running does not start again in a worktree in which another session works by now,
 * if the worktree is the own one of either. They may share it if a user has started one of them there although the
 * other one worked there already.
 * @throws CatalogueError worktree_in_use
 */
export async function requireUnshared(sessions: readonly Claiming[], own: Claiming): Promise<void> {
  if (!own.isDead() || own.record.launch.same_folder === true) return;
  const worktree = await startOf(own);
  if (worktree === null) return;
  const isOwn = (await madeFor(own)).includes(worktree);
  for (const session of sessions) {
    if (session.record.id === own.record.id || !(await worksIn(session, worktree, isOwn))) continue;
    const { slug } = session;
    throw inUse(
      slug,
      worktree,
      `\`cbos stop ${slug}\` ends its work there; \`cbos restart ${own.slug} --same-folder\` lets`,
    );
  }
}

/** @param isOwn whether the worktree belongs to the session that is about to start there */
async function worksIn(session: Claiming, worktree: string, isOwn: boolean): Promise<boolean> {
  const startsHere = (await startOf(session)) === worktree;
  if (startsHere && session.record.launch.same_folder === true) return false;
  if (isThere(session)) return (isOwn && startsHere) || (await claimsOf(session)).includes(worktree);
  // Another request is starting the other session.
  return session.isChangingHands && ((isOwn && startsHere) || (await madeFor(session)).includes(worktree));
}

const inUse = (slug: string, worktree: string, cures: string): CatalogueError =>
  new CatalogueError('worktree_in_use', `The session ${slug} works in the worktree ${worktree}`, {
    hint: `${cures} both sessions work on the same files`,
  });

const isThere = (session: Claiming): boolean => !session.isDead() || session.record.parkedAt !== null;

/** Returns the worktrees that are a session's own: the one that was made for it, and the one that it has moved into. */
const claimsOf = async (session: Claiming): Promise<(string | null)[]> => [
  await worktreeAt(session.record.reported.place),
  ...(await madeFor(session)),
];

/** Returns the worktrees that CBOS has made for a session, or that Claude Code makes for it. */
async function madeFor({ record }: Claiming): Promise<(string | null)[]> {
  const { worktree: made } = record.launch;
  const argued = await arguedWorktree(record.launch.args, record.path);
  const own = made === undefined || made.finished !== undefined ? null : made.path;
  return Promise.all([worktreeAt(argued), worktreeAt(own)]);
}

/** Returns the worktree in which a session is started, or null if it is started elsewhere. */
const startOf = async ({ record }: Claiming): Promise<string | null> =>
  worktreeAt((await arguedWorktree(record.launch.args, record.path)) ?? record.path);

const worktreeAt = async (path: string | null): Promise<string | null> => (path === null ? null : worktreeOf(path));

/** Returns the worktree that contains a folder, with links resolved; null in a main checkout or no repository. */
async function worktreeOf(path: string): Promise<string | null> {
  const real = (await followLinks(path)) ?? path;
  const checkout = await findCheckout(real);
  return checkout === null || (await findMainCheckout(real)) === checkout.folder ? null : checkout.folder;
}
