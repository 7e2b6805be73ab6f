import { dirname } from 'node:path';
import {
  type ForeignSession,
  findClaudeIn,
  findRecordings,
  listScreens,
  type ScreenHost,
  startLog,
} from '../../platform/gnu-screen/index.ts';
import { markOwn, rotateRecording } from '../../platform/recorder/index.ts';
import { type Adoption, CatalogueError, type Session, type Settings } from '../../protocol/index.ts';
import { followRecording } from '../screen/follow-recording.ts';
import { readSize } from '../screen/keep-logging.ts';
import { recordingFiles } from '../screen/launch-session.ts';
import { redrawScreen } from '../screen/redraw-screen.ts';
import type { ActorDeps, SessionActor } from '../session/actor.ts';
import { belongsToOther } from '../session/other-home.ts';
import { requireDirectory } from '../session/require-directory.ts';
import { assertSlug, type ListedSessions, type Member } from './listed-sessions.ts';
import { newRecord } from './new-record.ts';
import { ownerOfScreen } from './owner.ts';

/** The terminal size that Screen gives a session if no size is requested. */
const SCREEN_DEFAULT_SIZE = { cols: 80, rows: 24 };

export interface AdoptContext {
  deps: ActorDeps;
  listed: ListedSessions;
  settings: Settings;
  screen: ScreenHost;
}

/** Lists a session that another program started. CBOS only observes such a session, and types nothing into it. */
export function observeForeign({ deps, listed }: Pick<AdoptContext, 'deps' | 'listed'>, found: ForeignSession): Member {
  const known = listed.byScreen(found.screen);
  if (known !== null) return known;
  const { cwd, window, pid, startTime } = found.claude;
  const request = {
    slug: listed.freeSlug(found.screen.name),
    type: 'screen' as const,
    ...SCREEN_DEFAULT_SIZE,
  };
  const { id: screenId, daemon } = found.screen;
  const member = listed.find({
    ...newRecord(request, cwd, deps.clock.now()),
    ...{ adopted: false, screenId, window, daemon, agent: { pid, startTime } },
  });
  member.actor.intake.seeAgent({ pid, startTime, startedAt: null });
  member.actor.seeAttached(found.screen.attached);
  member.actor.list();
  return member;
}

/**
 * Takes over a Screen session that another program started. From then on, CBOS records the session and can type into
 * it.
 * @throws CatalogueError no_such_screen, already_adopted, other_home, invalid_slug, slug_taken, no_such_path,
 * screen_unresponsive
 */
export async function adoptSession(
  context: AdoptContext,
  request: Pick<Adoption, 'slug' | 'path'> & { screen_id: string },
): Promise<Session> {
  const { listed, settings, screen, deps } = context;
  if (request.slug !== undefined) assertSlug(request.slug);
  const path = request.path === undefined ? null : await requireDirectory(request.path);
  const found = await findForeign(screen, request.screen_id);
  await assertFree(context, found);
  const member = observeForeign(context, found);
  const { actor } = member;
  return actor.mailbox.post(async () => {
    if (actor.record.adopted)
      throw new CatalogueError('already_adopted', `CBOS has already adopted ${found.screen.id}, as ${actor.slug}`);
    const wanted = request.slug ?? actor.slug;
    const takeOver = async (): Promise<void> => {
      const before = actor.record;
      const { typescript } = recordingFiles(settings.stream_dir, wanted);
      const { id, daemon } = found.screen;
      const { window, pid } = found.claude;
      // The record is saved before Screen starts recording, so that on a full disk, the change fails before anything
      // has been done.
      actor.commit({
        slug: wanted,
        adopted: true,
        recording: { typescript, timing: null },
        ...(path === null ? {} : { path }),
      });
      try {
        await rotateRecording(settings.stream_dir, wanted);
        await startLog(screen, { id, daemon, window, pid }, typescript);
      } catch (cause) {
        const { slug, adopted, recording, path } = before;
        actor.update({ slug, adopted, recording, path });
        throw cause;
      }
      await markOwn(typescript);
      if (before.slug !== wanted) deps.emit({ kind: 'renamed', from: before.slug, session: actor.view() });
    };
    if (wanted === actor.slug) await takeOver();
    else await listed.claim(wanted, takeOver);
    await showScreen(context, actor);
    return actor.view();
  });
}

/**
 * Throws if the session is already adopted. Two CBOS servers that control the same Claude Code would type into each
 * other's text, and a session ended by one would also end for the other.
 */
async function assertFree({ listed, settings }: AdoptContext, found: ForeignSession): Promise<void> {
  const { id } = found.screen;
  const owner = ownerOfScreen(listed, settings.home, found);
  if (owner.kind === 'listed')
    throw new CatalogueError('already_adopted', `CBOS has already adopted ${id}, as ${owner.member.actor.slug}`);
  if (owner.kind === 'other_home') throw belongsToOther('other_home', id, owner.home);
  // If another home has adopted the session, no environment shows that home. But Screen writes only one log per window,
  // so the log's path reveals the home.
  const file = (await findRecordings(found.screen.pid)).find((one) => dirname(one) !== settings.stream_dir);
  if (file === undefined) return;
  throw new CatalogueError('other_home', `Another CBOS home has adopted ${id} and records it in ${file}`);
}

/** Finds a Screen session by its full id, or by a name that only one Screen session has. */
async function findForeign(screen: ScreenHost, id: string): Promise<ForeignSession> {
  const screens = (await listScreens(screen)).filter((one) => one.state !== 'dead');
  const exact = screens.filter((one) => one.id === id);
  const [session, another] = exact.length > 0 ? exact : screens.filter((one) => one.name === id);
  if (another !== undefined) {
    const named = screens.filter((one) => one.name === id).map((one) => one.id);
    throw new CatalogueError('no_such_screen', `Screen has several sessions named ${id}: ${named.join(', ')}`, {
      hint: 'Name one as PID.NAME',
    });
  }
  if (session === undefined) throw new CatalogueError('no_such_screen', `Screen has no session ${JSON.stringify(id)}`);
  const [found] = await findClaudeIn([session]);
  if (found === undefined) {
    throw new CatalogueError('no_such_screen', `Claude Code isn't running in the Screen session ${session.id}`, {
      hint: 'Start `claude` in that session first; CBOS then lists it',
    });
  }
  return found;
}

/**
 * Opens the recording and makes Claude Code redraw. Screen's log contains only output from now on, so without a redraw
 * the screen would be empty.
 */
async function showScreen({ deps, screen }: AdoptContext, actor: SessionActor): Promise<void> {
  const size = (await readSize(screen, actor)) ?? SCREEN_DEFAULT_SIZE;
  await followRecording(deps, actor, size);
  await redrawScreen(screen, actor, size);
}
