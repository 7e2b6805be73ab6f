import type { NewSession, Session, SessionType } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import { type LaunchContext, requireDirectory } from './launch-session.ts';
import { newRecord } from './new-record.ts';
import { placeSession } from './place-session.ts';
import { assertSlug, type Member, type Roster } from './roster.ts';

/**
 * Launches a new session, in a new worktree if the request names one.
 * @throws CatalogueError for everything that refuses the request or the launch; neither a session nor a worktree is
 * left then
 */
export async function createSession(
  { roster, launch, clock }: { roster: Roster; launch: LaunchContext; clock: Clock },
  request: NewSession & { type: SessionType },
): Promise<Session> {
  assertSlug(request.slug);
  const asked = await requireDirectory(request.path);
  return roster.claim(request.slug, async () => {
    const { path, worktree, undo } = await placeSession(launch.environment, { ...request, path: asked });
    let member: Member | null = null;
    try {
      member = roster.add(newRecord({ ...request, made: worktree }, path, clock.now()));
      // The text is held until the prompt is ready: in a terminal after the start, otherwise as soon as the session
      // is listed.
      if (request.prompt !== undefined) await member.controls.deliverer.send({ text: request.prompt, queue: true });
      await member.controls.launch();
    } catch (cause) {
      if (member !== null) roster.remove(member);
      await undo();
      throw cause;
    }
    member.actor.list();
    return member.actor.view();
  });
}
