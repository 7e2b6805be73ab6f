import { findCheckout, findMainCheckout } from '../../platform/git/git-dir.ts';
import { followLinks } from '../../platform/rules/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { CatalogueError } from '../../protocol/index.ts';
import { arguedWorktree } from './argued-worktree.ts';

/** A session that may work in a worktree of its own. */
interface Claiming {
  readonly slug: string;
  readonly record: Pick<SessionRecord, 'path' | 'launch' | 'reported' | 'parkedAt'>;
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
  for (const session of sessions) {
    const { slug, record } = session;
    if (session.isDead() && record.parkedAt === null) continue;
    const { worktree: made } = record.launch;
    const argued = await arguedWorktree(record.launch.args, record.path);
    const claimed = [
      record.reported.place,
      argued,
      made === undefined || made.finished !== undefined ? null : made.path,
    ];
    const inside = await Promise.all(claimed.map((one) => (one === null ? null : worktreeOf(one))));
    if (!inside.includes(worktree)) continue;
    throw new CatalogueError('worktree_in_use', `The session ${slug} works in the worktree ${worktree}`, {
      hint: `\`cbos fork ${slug} ${own}\` works on a copy; --same-folder lets both sessions work on the same files`,
    });
  }
}

/** Returns the worktree that contains a folder, with links resolved; null in a main checkout or no repository. */
async function worktreeOf(path: string): Promise<string | null> {
  const real = (await followLinks(path)) ?? path;
  const checkout = await findCheckout(real);
  return checkout === null || (await findMainCheckout(real)) === checkout.folder ? null : checkout.folder;
}
