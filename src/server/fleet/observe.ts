import { dirname } from 'node:path';
import type { EndSeen } from '../../core/restore/loss.ts';
import {
  type HookSpool,
  LAUNCH_VARIABLE,
  type RegistryRecord,
  type ReplyWaits,
  registryEvidence,
  type SpooledHook,
  transcriptFile,
  watchHookSpool,
  watchRegistry,
} from '../../platform/claude/index.ts';
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
  watchScreens,
  wipeScreen,
} from '../../platform/gnu-screen/index.ts';
import { endTree, isAlive, type ProcessId, readProcess } from '../../platform/process/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { SessionActor } from '../session/actor.ts';
import type { Dispose } from '../sessions.ts';
import { ownPayload } from './own-payload.ts';
import { ownerOf, ownerOfScreen } from './owner.ts';
import type { Member, Roster } from './roster.ts';

/**
 * How often to check whether the agents' processes are alive. inotify reports their usual end, because Screen's
 * socket and the registry file disappear. Only this sweep finds a process that was killed while its Screen stayed. It
 * takes 2 ms for 50 sessions.
 */
const SWEEP_MS = 3_000;
/**
 * How long to wait for further steps after a change. A registry file or a socket often appears in several steps, and
 * checking once after them is enough.
 */
const LOOK_DELAY_MS = 20;

export interface ObserverOptions {
  roster: Roster;
  screen: ScreenHost;
  clock: Clock;
  log: Logger;
  home: string;
  spoolDir: string;
  waits: ReplyWaits;
  /** called when the spool was removed and recreated */
  onSpoolRemade: () => void;
  /** called when anybody creates, releases, or removes a turn gate */
  onGateChanged: () => void;
  /** Claude Code's `sessions` directory */
  registryDir: string;
  /** called with a session that has ended, and what was left of its Screen session */
  onEnd: (actor: SessionActor, screen: EndSeen['screen']) => void;
  /** called with a Screen session that contains Claude Code and is not listed */
  onForeign: (found: ForeignSession) => void;
}

/** Watches everything outside the server, and passes the evidence to each session. */
export interface Observer {
  /** Checks the current state of everything, then keeps watching. Resolves when the first check is done. */
  start(): Promise<void>;
  /** Checks Screen's sessions and the processes now. */
  look(): Promise<void>;
  dispose(): Promise<void>;
}

export function createObserver(options: ObserverOptions): Observer {
  const { roster, screen, clock, log, home } = options;
  const disposers: Dispose[] = [];
  /** the sessions whose lost sockets are being recreated */
  const regaining = new Set<SessionActor>();
  let looking: Promise<void> | null = null;
  let lookAgain = false;
  let due: Dispose | null = null;
  let sweep: Dispose | null = null;
  let spool: HookSpool | null = null;
  let disposed = false;

  /** Only one check runs at a time. A change during a check causes another one right after it. */
  function look(): Promise<void> {
    if (looking !== null) {
      lookAgain = true;
      return looking;
    }
    looking = lookOnce()
      .catch((cause: unknown) => log.error({ err: cause }, 'looking at the sessions failed'))
      .finally(() => {
        looking = null;
        if (lookAgain) {
          lookAgain = false;
          lookSoon();
        }
      });
    return looking;
  }
  function lookSoon(): void {
    if (disposed) return;
    due ??= clock.after(LOOK_DELAY_MS, () => {
      due = null;
      void look();
    });
  }

  async function lookOnce(): Promise<void> {
    const screens = await listScreens(screen);
    for (const member of roster.all()) {
      const { screenId, daemon } = member.actor.record;
      // A session without a Screen session is being launched.
      if (screenId === null || member.actor.isDead()) continue;
      const listed = findAmong(screens, { id: screenId, daemon });
      // If the session has another name or no socket, Screen is asked again, because the list may be older than our
      // own rename.
      await lookAt(member, listed?.id === screenId ? listed : await findScreen(screen, { id: screenId, daemon }));
    }
    const unknown = screens.filter((one) => roster.byScreen(one) === null);
    if (unknown.length === 0) return;
    for (const found of await findClaudeIn(unknown)) {
      // A session that CBOS is launching, or has just launched, carries the mark of our launch.
      const owner = ownerOfScreen(roster, home, found);
      if (owner.kind === 'listed') await takeLaunched(owner.member, found);
      else if (owner.kind === 'nobody' && roster.byScreen(found.screen) === null) options.onForeign(found);
    }
  }

  /** A server that was killed in the middle of a launch has written down the launch, but none of its processes. */
  async function takeLaunched(
    { actor, controls }: Member,
    { screen: { id, daemon }, claude }: ForeignSession,
  ): Promise<void> {
    if (actor.isChangingHands || actor.record.screenId !== null || daemon === null) return;
    const { pid, startTime } = claude;
    await controls.takeLaunched?.({ screenId: id, daemon, agent: { pid, startTime } });
    log.warn({ slug: actor.slug, screen: id }, 'the last server was launching it; it is taken over');
  }

  async function lookAt(member: Member, found: ScreenSession | null): Promise<void> {
    const { actor } = member;
    const { screenId, agent, daemon } = actor.record;
    /** A conversion may have ended the processes and continued in others, which this check does not know. */
    const hasMoved = (): boolean =>
      actor.isChangingHands || actor.record.daemon?.pid !== (daemon ?? found?.daemon)?.pid;
    if (found !== null && found.state !== 'dead') {
      // The daemon identifies a session, because its user may rename the session at will (`C-a :sessionname`).
      if (found.id !== screenId || daemon === null) actor.update({ screenId: found.id, daemon: found.daemon });
      if (found.daemon !== null) forgetLoss(screen, found.daemon);
      actor.intake.seeReach(found.state === 'unresponsive' ? { because: 'stopped', daemonPid: found.pid } : null);
      actor.seeAttached(found.attached);
      if (agent !== null && (await isAlive(agent))) return;
      // In a session that something else started, the user may start another Claude Code after the first.
      const next = actor.record.launchId === null ? (await findClaudeIn([found]))[0] : undefined;
      if (hasMoved()) return;
      if (next === undefined) {
        actor.intake.seeEnd();
        options.onEnd(actor, 'alive');
      } else {
        actor.status.startAnew();
        actor.intake.seeAgent({ pid: next.claude.pid, startTime: next.claude.startTime, startedAt: null });
      }
      return;
    }
    const lives = daemon !== null && (await isAlive(daemon));
    if (hasMoved() || screenId === null) return;
    if (lives) {
      // A session that is only observed is not changed.
      if (actor.record.adopted) void regain(actor, { id: screenId, daemon });
      return;
    }
    // A daemon that is killed leaves its socket behind.
    const isKilled = (await readScreen(screen, screenId))?.state === 'dead';
    if (hasMoved()) return;
    actor.intake.seeEnd();
    options.onEnd(actor, isKilled ? 'killed' : 'gone');
    await endOrphans(member);
    await wipeScreen(screen, screenId);
  }

  /**
   * A socket can vanish while its daemon is alive (a cleaned /tmp). The search for it does not delay other sessions.
   */
  async function regain(actor: SessionActor, lost: { id: string; daemon: ProcessId }): Promise<void> {
    if (regaining.has(actor)) return;
    regaining.add(actor);
    try {
      const found = await reachScreen(screen, lost);
      if (found !== null) log.warn({ slug: actor.slug }, 'its socket was gone, and its daemon has made it again');
      if (found !== null || !(await isAlive(lost.daemon))) lookSoon();
      else if (!disposed) actor.intake.seeReach({ because: 'no_socket' });
    } catch (cause) {
      log.error(
        { slug: actor.slug, err: cause },
        'its socket is gone, and its daemon could not be asked to make it again',
      );
    } finally {
      regaining.delete(actor);
    }
  }

  /** Without Screen's daemon nobody can reach the session any more, and `script` spins at a quarter of a core. */
  async function endOrphans(member: Member): Promise<void> {
    const { launchId, agent, slug } = member.actor.record;
    if (launchId === null) return;
    const { left } = await endTree({ roots: [], first: agent, mark: { name: LAUNCH_VARIABLE, value: launchId } });
    if (left.length > 0) log.warn({ slug, pids: left.map((one) => one.pid) }, 'orphans could not be ended');
  }

  async function seeRegistry(record: RegistryRecord): Promise<void> {
    const member = await memberOf(record.pid);
    if (member === null) {
      lookSoon();
      return;
    }
    member.actor.intake.seeRegistry({ ...registryEvidence(record, clock.now()), version: record.version });
    const { sessionId, cwd } = record;
    if (sessionId !== null && cwd !== null) {
      const configDir = dirname(options.registryDir);
      member.actor.intake.seeTranscript(transcriptFile({ configDir, cwd, sessionId }));
    }
  }

  function seeRegistryGone(pid: number): void {
    roster
      .all()
      .find(({ actor }) => actor.record.agent?.pid === pid)
      ?.actor.intake.seeRegistry(null);
    lookSoon();
  }

  /** Finds the session by the process, or by the launch's mark if a wrapper was launched. */
  async function memberOf(pid: number): Promise<Member | null> {
    const byPid = roster.all().find(({ actor }) => !actor.isDead() && actor.record.agent?.pid === pid);
    if (byPid !== undefined) return byPid;
    const owner = ownerOf(roster, home, pid);
    if (owner.kind !== 'listed') return null;
    // A Claude Code that was started by the session's own tools carries the mark too.
    const parent = await readProcess(pid);
    return parent?.ppid === owner.member.actor.record.agent?.pid ? owner.member : null;
  }

  /**
   * Removes sessions that belong to another owner. Older servers did not check the mark, so they listed sessions of
   * other homes, and listed renamed sessions twice. Such a session was only observed, so nothing is lost.
   */
  async function dropWhatOthersHave(): Promise<void> {
    for (const member of roster.all()) {
      const { adopted, agent } = member.actor.record;
      if (adopted || agent === null || !(await isAlive(agent))) continue;
      if (ownerOf(roster, home, agent.pid).kind !== 'nobody') roster.remove(member);
    }
  }

  function seeHook(hook: SpooledHook): void {
    const member = hook.launchId === null ? null : roster.byLaunch(hook.launchId);
    if (member === null) log.debug({ event: hook.event }, 'a hook of no listed session');
    else member.actor.intake.seeHook({ ...hook, payload: ownPayload(options, member.actor, hook.payload) });
  }

  /** Releases hooks that wait with an unknown question, because their session was removed or their launch is over. */
  async function leaveUnknownWaits(): Promise<void> {
    const known = new Set(
      roster.all().flatMap(({ actor }) => actor.status.evidence().hooks.tools.flatMap(({ wait }) => wait?.id ?? [])),
    );
    for (const id of await options.waits.list()) if (!known.has(id)) await options.waits.leave(id);
  }

  /** It is unknown which hooks were lost. */
  function spoolRemade(): void {
    log.error(
      { dir: options.spoolDir },
      'the hook spool was removed and is made anew: hooks of that moment are lost, and the status comes from the screen until the next ones',
    );
    options.onSpoolRemade();
    for (const { actor } of roster.all()) if (!actor.isDead()) actor.intake.loseHooks();
  }

  return {
    start: async () => {
      await dropWhatOthersHave();
      await look();
      disposers.push(
        watchScreens(screen.dir, lookSoon),
        watchRegistry({
          dir: options.registryDir,
          onRecord: (record) => void seeRegistry(record),
          onGone: seeRegistryGone,
          onError: (cause) => log.error({ err: cause }, 'reading the registry failed'),
        }),
      );
      spool = watchHookSpool({
        dir: options.spoolDir,
        now: clock.now,
        accept: seeHook,
        onRemade: spoolRemade,
        onGateChanged: options.onGateChanged,
        onRejected: (file, reason) => log.warn({ file, reason }, 'a hook file was rejected'),
        onError: (cause) => log.error({ err: cause }, 'reading the hook spool failed'),
      });
      await spool.drain();
      await leaveUnknownWaits();
      const again = (): void => {
        sweep = clock.after(SWEEP_MS, () => void look().finally(() => disposed || again()));
      };
      again();
    },
    look,
    dispose: async () => {
      disposed = true;
      await spool?.dispose();
      due?.();
      sweep?.();
      for (const dispose of disposers) dispose();
    },
  };
}
