import type { EndSeen } from '../../core/restore/loss.ts';
import { LAUNCH_VARIABLE } from '../../platform/claude/index.ts';
import {
  type ForeignSession,
  findAmong,
  findClaudeIn,
  findScreen,
  forgetLoss,
  listScreens,
  reachScreen,
  readScreen,
  type ScreenHost,
  type ScreenSession,
  wipeScreen,
} from '../../platform/gnu-screen/index.ts';
import { endTree, isAlive, type ProcessId } from '../../platform/process/index.ts';
import { readExit } from '../../platform/recorder/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { SessionActor } from '../session/actor.ts';
import { seekAgent } from './follow-agent.ts';
import type { ListedSessions, Member } from './listed-sessions.ts';
import { ownerOfScreen } from './owner.ts';

/** How long to wait for the last line of a recording. On a loaded machine, `script` writes it much later. */
const CLOSING_MS = 2_000;

export interface SurveyOptions {
  clock: Pick<Clock, 'elapsed'>;
  listed: ListedSessions;
  screen: ScreenHost;
  log: Logger;
  home: string;
  /** called with a session that has ended and the state of its Screen session */
  onEnd: (actor: SessionActor, screen: EndSeen['screen']) => void;
  /** called with a Screen session in which Claude Code is running and which is not listed */
  onForeign: (found: ForeignSession) => void;
}

/** Checks Screen's sessions and the processes in them, and reports what it finds to the listed sessions. */
export interface ScreenSurvey {
  /** Checks once. */
  look(): Promise<void>;
  dispose(): void;
}

/** @param lookSoon requests another check */
export function createScreenSurvey(options: SurveyOptions, lookSoon: () => void): ScreenSurvey {
  const { listed, screen, log, home, clock } = options;
  /** when the sessions' commands were first seen to have ended while Screen was alive */
  const endingSince = new WeakMap<SessionActor, number>();
  const { regain, dispose } = createRegaining(options, lookSoon);

  async function look(): Promise<void> {
    const screens = await listScreens(screen);
    for (const member of listed.all()) {
      const { screenId, daemon } = member.actor.record;
      // A session that has no Screen session yet is being launched right now.
      if (screenId === null || member.actor.isDead()) continue;
      const inList = findAmong(screens, { id: screenId, daemon });
      // If the Screen session has another name or no socket, Screen is asked again, because CBOS may have renamed the
      // Screen session after the list was made.
      await lookAt(member, inList?.id === screenId ? inList : await findScreen(screen, { id: screenId, daemon }));
    }
    const unknown = screens.filter((one) => listed.byScreen(one) === null);
    if (unknown.length === 0) return;
    for (const found of await findClaudeIn(unknown)) {
      // A Screen session that this home is launching, or has just launched, has the mark of that launch.
      const owner = ownerOfScreen(listed, home, found);
      if (owner.kind === 'listed') await takeLaunched(owner.member, found, log);
      else if (owner.kind === 'nobody' && listed.byScreen(found.screen) === null) options.onForeign(found);
    }
  }

  async function lookAt(member: Member, found: ScreenSession | null): Promise<void> {
    const { actor } = member;
    const { screenId, daemon } = actor.record;
    /** Reports whether a conversion has replaced the session's processes since this check read the record. */
    const hasMoved = (): boolean =>
      actor.isChangingHands || actor.record.daemon?.pid !== (daemon ?? found?.daemon)?.pid;
    if (found !== null && found.state !== 'dead') {
      // A Screen session is identified by its daemon, because the user may rename the Screen session at any time (`C-a
      // :sessionname`).
      if (found.id !== screenId || daemon === null) actor.update({ screenId: found.id, daemon: found.daemon });
      if (found.daemon !== null) forgetLoss(screen, found.daemon);
      actor.intake.seeReach(found.state === 'unresponsive' ? { because: 'stopped', daemonPid: found.pid } : null);
      actor.seeAttached(found.attached);
      const isOver = (await seekAgent(actor, found)) === 'ended';
      const exit = isOver ? await exitOf(actor) : null;
      if (!isOver) endingSince.delete(actor);
      if (!isOver || hasMoved() || (exit === null && isStillClosing(actor))) return;
      endingSince.delete(actor);
      actor.intake.seeEnd(exit);
      options.onEnd(actor, 'alive');
      return;
    }
    const lives = daemon !== null && (await isAlive(daemon));
    if (hasMoved() || screenId === null) return;
    if (lives) {
      // If CBOS only observes the session, it does not touch the socket.
      if (actor.record.adopted) void regain(actor, { id: screenId, daemon });
      return;
    }
    // A daemon that was killed leaves its socket behind.
    const isKilled = (await readScreen(screen, screenId))?.state === 'dead';
    const exit = await exitOf(actor);
    if (hasMoved()) return;
    endingSince.delete(actor);
    actor.intake.seeEnd(exit);
    options.onEnd(actor, isKilled ? 'killed' : 'gone');
    await endOrphans(member, log);
    await wipeScreen(screen, screenId);
  }

  /**
   * Reports whether `script` may still write how the session's command ended, which it does just after that command has
   * ended. If so, this also requests another check.
   */
  function isStillClosing(actor: SessionActor): boolean {
    if (actor.record.recording?.timing == null) return false;
    const since = endingSince.get(actor) ?? clock.elapsed();
    endingSince.set(actor, since);
    if (clock.elapsed() - since >= CLOSING_MS) return false;
    lookSoon();
    return true;
  }

  return { look, dispose };
}

/** Recreates the sockets of sessions whose daemons have lost them. */
function createRegaining({ screen, log }: SurveyOptions, lookSoon: () => void) {
  const regaining = new Set<SessionActor>();
  let disposed = false;

  /**
   * Recreates a socket that has vanished while its daemon is still alive, for example because /tmp was cleaned. This
   * work does not delay the check of other sessions.
   */
  async function regain(actor: SessionActor, lost: { id: string; daemon: ProcessId }): Promise<void> {
    if (regaining.has(actor)) return;
    regaining.add(actor);
    try {
      const found = await reachScreen(screen, lost);
      if (found !== null)
        log.warn({ slug: actor.slug }, "the session's socket had disappeared, and its daemon has created it again");
      if (found !== null || !(await isAlive(lost.daemon))) lookSoon();
      else if (!disposed) actor.intake.seeReach({ because: 'no_socket' });
    } catch (cause) {
      log.error(
        { slug: actor.slug, err: cause },
        "the session's socket has disappeared, and its daemon could not be told to create it again",
      );
    } finally {
      regaining.delete(actor);
    }
  }

  const dispose = (): void => {
    disposed = true;
  };

  return { regain, dispose };
}

/** Takes over a launch from a killed server that had saved the launch, but not yet its processes. */
async function takeLaunched(
  { actor, controls }: Member,
  { screen: { id, daemon }, claude }: ForeignSession,
  log: Logger,
): Promise<void> {
  if (actor.isChangingHands || actor.record.screenId !== null || daemon === null) return;
  const { pid, startTime } = claude;
  await controls.takeLaunched?.({ screenId: id, daemon, agent: { pid, startTime } });
  log.warn(
    { slug: actor.slug, screen: id },
    'the previous server was launching the session; this server takes it over',
  );
}

/** Returns how the session's command ended, if `script` has recorded it. */
const exitOf = async ({ record: { recording } }: SessionActor): ReturnType<typeof readExit> =>
  recording?.timing == null ? null : readExit(recording.typescript);

/**
 * Ends the processes of a session whose Screen daemon has died. Without the daemon, nobody can reach the session any
 * more, and `script` would keep a quarter of a core busy.
 */
async function endOrphans(member: Member, log: Logger): Promise<void> {
  const { launchId, agent, slug } = member.actor.record;
  if (launchId === null) return;
  const { left } = await endTree({ roots: [], first: agent, mark: { name: LAUNCH_VARIABLE, value: launchId } });
  if (left.length > 0)
    log.warn({ slug, pids: left.map((one) => one.pid) }, 'orphaned processes could not be terminated');
}
