import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { NewSession, Session, SessionType } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import { type LaunchContext, requireDirectory } from './launch-session.ts';
import { newRecord } from './new-record.ts';
import { placeSession, type SessionPlace } from './place-session.ts';
import { assertSlug, type Member, type Roster } from './roster.ts';

export interface CreateContext {
  roster: Roster;
  launch: LaunchContext;
  clock: Clock;
}

/**
 * Launches a new session, in a new worktree if the request names one.
 * @throws CatalogueError for everything that refuses the request or the launch; neither a session nor a worktree is
 * left behind
 */
export async function createSession(
  { roster, launch, clock }: CreateContext,
  request: NewSession & { type: SessionType },
): Promise<Session> {
  assertSlug(request.slug);
  const asked = await requireDirectory(request.path);
  return roster.claim(request.slug, async () => {
    const place = await placeSession(launch.environment, { ...request, path: asked });
    const record = newRecord({ ...request, made: place.worktree }, place.path, clock.now());
    return launchFirst(roster, { record, place, prompt: request.prompt });
  });
}

/**
 * Lists a session and launches it for the first time. The caller has claimed its name.
 * @throws CatalogueError for everything that refuses the launch; neither the session nor its place is left behind
 */
export async function launchFirst(
  roster: Roster,
  { record, place, prompt }: { record: SessionRecord; place: Pick<SessionPlace, 'undo'>; prompt: string | undefined },
): Promise<Session> {
  let member: Member | null = null;
  try {
    member = roster.add(record);
    // The prompt is held until the prompt is ready. In a terminal, that is after the start; otherwise, as soon as the
    // session is listed.
    if (prompt !== undefined) await member.controls.deliverer.send({ text: prompt, queue: true });
    await member.controls.launch();
  } catch (cause) {
    if (member !== null) roster.remove(member);
    await place.undo();
    throw cause;
  }
  member.actor.list();
  return member.actor.view();
}
