import { CatalogueError, type Session, type SessionPatch } from '../../protocol/index.ts';
import { requireRecovered } from './finish-session.ts';
import { requireDirectory } from './launch-session.ts';
import { assertSlug, type Member, type Roster } from './roster.ts';

/** Renames a session, or changes the folder in which it will start next time. */
export async function changeSession(
  roster: Roster,
  member: Member,
  { slug, ...patch }: SessionPatch,
): Promise<Session> {
  if (slug !== undefined) assertSlug(slug);
  const path = patch.path === undefined ? null : await requireDirectory(patch.path);
  const { actor, controls } = member;
  return actor.mailbox.post(async () => {
    if (slug !== undefined) await rename(roster, member, slug);
    if (path !== null) {
      actor.commit({ path });
      await controls.moved();
    }
    return actor.view();
  });
}

async function rename(roster: Roster, { actor, controls }: Member, slug: string): Promise<void> {
  if (slug === actor.slug) return;
  await roster.claim(slug, async () => {
    const from = actor.slug;
    await controls.rename(slug);
    actor.deps.emit({ kind: 'renamed', from, session: actor.view() });
  });
}

/** @throws CatalogueError session_alive, no_such_path, and every error with which a launch is refused */
export function restartSession({ actor, controls }: Member): Promise<Session> {
  return actor.mailbox.post(async () => {
    if (!actor.isDead()) throw new CatalogueError('session_alive', `${actor.slug} is running`);
    await requireRecovered(actor);
    await controls.launch();
    return actor.view();
  });
}

/** Ends a session if it is running, and deletes it. */
export async function removeSession(roster: Roster, member: Member): Promise<void> {
  const { actor, controls } = member;
  // The deletion is saved before the processes are ended, so that on a full disk, the request fails before anything has
  // been done.
  actor.commit({ removedAt: actor.deps.clock.now() });
  try {
    if (!actor.isDead()) await controls.end();
  } catch (cause) {
    actor.update({ removedAt: null });
    throw cause;
  }
  roster.remove(member);
}
