import { openWaits } from '../../core/status/index.ts';
import {
  awaitUsageLimit,
  findTranscript,
  type HookSpool,
  type RegistryRecord,
  type ReplyWaits,
  readUsageLimit,
  registryEvidence,
  registryIn,
  SET_UP_EVENT,
  type SpooledHook,
  watchHookSpool,
} from '../../platform/claude/index.ts';
import { watchScreens } from '../../platform/gnu-screen/index.ts';
import { isAlive } from '../../platform/process/index.ts';
import type { Approvals } from '../approval/approvals.ts';
import { answerCall } from '../approval/call-guard.ts';
import type { Clock } from '../clock.ts';
import { configDirectoriesOf } from '../session/session-conversation.ts';
import type { Dispose } from '../sessions.ts';
import { seeSetUpEnd } from '../worktrees/begin-set-up.ts';
import { followAgent } from './follow-agent.ts';
import type { Member } from './listed-sessions.ts';
import { ownPayload } from './own-payload.ts';
import { ownerOf } from './owner.ts';
import { createRegistries } from './registries.ts';
import { createScreenSurvey, type SurveyOptions } from './survey-screens.ts';

/**
 * How often to check whether Claude Code's processes are alive. A process that ends normally is noticed through
 * inotify, because Screen's socket and the registry file disappear. Only this sweep finds a killed process whose Screen
 * session still exists. The sweep takes 2 ms for 50 sessions.
 */
const SWEEP_MS = 3_000;
/**
 * How long to wait for further changes before checking. A registry file or a socket often appears in several steps, and
 * one check after the last step is enough.
 */
const LOOK_DELAY_MS = 20;

export interface ObserverOptions extends SurveyOptions {
  clock: Clock;
  spoolDir: string;
  waits: ReplyWaits;
  approvals: Approvals;
  /** called when the spool was removed and recreated */
  onSpoolRemade: () => void;
  /** called when any process creates, releases, or removes a turn gate */
  onGateChanged: () => void;
  /** called when any process writes or removes the guard of calls */
  onGuardChanged: () => void;
  /** the environment of the server's own process */
  environment: Readonly<Record<string, string | undefined>>;
  /** the directory of Claude Code's registry: `sessions` in Claude Code's configuration directory */
  registryDir: string;
}

/** Watches everything outside the server, and passes the evidence to each session. */
export interface Observer {
  /**
   * Checks the current state of everything, and then keeps watching for changes. Resolves when the first check is done.
   */
  start(): Promise<void>;
  /** Immediately checks Screen's sessions and the processes in them. */
  look(): Promise<void>;
  dispose(): Promise<void>;
}

export function createObserver(options: ObserverOptions): Observer {
  const { listed, screen, clock, log, home } = options;
  const survey = createScreenSurvey(options, lookSoon);
  const disposers: Dispose[] = [];
  const registries = createRegistries({
    onRecord: (record) => void seeRegistry(record),
    onGone: seeRegistryGone,
    onError: (cause) => log.error({ err: cause }, 'the registry could not be read'),
  });
  let looking: Promise<void> | null = null;
  let lookAgain = false;
  let due: Dispose | null = null;
  let sweep: Dispose | null = null;
  let spool: HookSpool | null = null;
  let disposed = false;
  /** the ids of waits that show a call and are being answered */
  const answering = new Set<string>();
  /**
   * the last record of each process of which no session is known. The registry reports a record only once, so the
   * record is kept for a session that is found later.
   */
  const unclaimed = new Map<number, RegistryRecord>();

  /** Runs one check at a time. A change during a check causes another check right afterwards. */
  function look(): Promise<void> {
    if (looking !== null) {
      lookAgain = true;
      return looking;
    }
    looking = survey
      .look()
      .then(claimRecords)
      .catch((cause: unknown) => log.error({ err: cause }, 'the check of the sessions failed'))
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

  async function seeRegistry(record: RegistryRecord): Promise<void> {
    unclaimed.set(record.pid, record);
    const member = await memberOf(record.pid);
    if (member === null) lookSoon();
    // While the session was looked for, a newer record may have come, or the file may have been removed.
    else if (unclaimed.get(record.pid) === record) await takeRecord(member, record);
  }

  /** Gives the kept records to sessions that have been found since. */
  function claimRecords(): void {
    for (const record of unclaimed.values()) {
      const member = memberByPid(record.pid);
      if (member !== undefined) void takeRecord(member, record);
    }
  }

  async function takeRecord({ actor }: Member, record: RegistryRecord): Promise<void> {
    unclaimed.delete(record.pid);
    const { sessionId, version } = record;
    actor.intake.seeRegistry({ ...registryEvidence(record, clock.now()), version });
    if (sessionId === null) return;
    const configDirs = configDirectoriesOf(actor.record, options.environment);
    const transcript = await findTranscript({ sessionId, configDirs, reported: actor.record.reported.transcript });
    if (transcript === null || disposed || actor.record.claudeSessionId !== sessionId) return;
    actor.intake.seeReport({ transcript, isBegun: true });
    actor.intake.seeTranscript(transcript);
  }

  /** Watches the registry of each account that a wrapper has chosen for a session. */
  async function followAccounts(): Promise<void> {
    const sessions = terminals();
    // If no hook reports the account, only the process shows it.
    for (const { actor } of sessions) if (actor.record.hooks === null) actor.intake.seeReport({});
    const dirs = new Set(sessions.map(({ actor }) => actor.record.reported.configDir).filter((dir) => dir !== null));
    if (!disposed) await Promise.all([...dirs].map((dir) => registries.follow(registryIn(dir))));
  }

  function seeRegistryGone(pid: number): void {
    unclaimed.delete(pid);
    listed
      .all()
      .find(({ actor }) => actor.record.agent?.pid === pid)
      ?.actor.intake.seeRegistry(null);
    lookSoon();
  }

  const terminals = (): Member[] => listed.all().filter(({ actor }) => !actor.isDead());
  const memberByPid = (pid: number): Member | undefined =>
    terminals().find(({ actor }) => actor.record.agent?.pid === pid);

  /**
   * Finds the session by its process, or by its Screen session if a wrapper or a person has started Claude Code there.
   */
  async function memberOf(pid: number): Promise<Member | null> {
    const byPid = memberByPid(pid);
    if (byPid !== undefined) return byPid;
    for (const member of terminals()) if (await followAgent(member.actor, pid, options.registryDir)) return member;
    return null;
  }

  /**
   * Removes listed sessions that do not belong here. Older servers did not check the mark, so they listed sessions of
   * other homes, and listed renamed sessions twice. Such sessions were only observed, so removing them loses nothing.
   */
  async function dropWhatOthersHave(): Promise<void> {
    for (const member of listed.all()) {
      const { adopted, agent } = member.actor.record;
      if (adopted || agent === null || !(await isAlive(agent))) continue;
      if (ownerOf(listed, home, agent.pid).kind !== 'nobody') listed.remove(member);
    }
  }

  /**
   * Answers a hook that shows a tool call. The wait of such a hook is not a question to the user, so it does not change
   * the session's status.
   */
  function seeShown(hook: SpooledHook, member: Member | null): SpooledHook {
    const { wait } = hook;
    if (hook.event !== 'PreToolUse' || wait === null) return hook;
    answering.add(wait);
    const answer = member === null ? options.waits.leave(wait) : answerCall(member.actor, options.approvals, wait);
    void answer
      .catch((cause: unknown) => log.warn({ err: cause }, 'a hook could not be told to ask'))
      .finally(() => answering.delete(wait));
    return { ...hook, wait: null };
  }

  async function seeHook(shown: SpooledHook): Promise<void> {
    const member = shown.launchId === null ? null : listed.byLaunch(shown.launchId);
    if (shown.event === SET_UP_EVENT) return member === null ? undefined : seeSetUpEnd(member.actor, shown.payload);
    const hook = seeShown(shown, member);
    if (member === null) log.debug({ event: hook.event }, 'a hook came from a session that is not listed');
    // For a JSON session, nothing else is needed here, because its events report everything else.
    else if (member.actor.record.type === 'screen') {
      const { actor } = member;
      await followAgent(actor, hook.pid, options.registryDir);
      const payload = ownPayload(options, actor, hook.payload);
      const own = { ...hook, payload };
      const limit = await tryTo(actor, () => readUsageLimit(own));
      actor.intake.seeHook(limit == null ? own : { ...own, limit });
      void followAccounts();
      if (limit === undefined) void seeLimitLater(actor, own);
    }
  }

  /** The transcript may mention the usage limit a moment later. The status is updated as soon as it does. */
  async function seeLimitLater(actor: Member['actor'], hook: SpooledHook): Promise<void> {
    const limit = await tryTo(actor, () => awaitUsageLimit(hook));
    if (limit !== null && !disposed) actor.intake.seeLimit(limit, hook.payload.last_assistant_message);
  }

  /** If the transcript cannot be read, the turn counts as failed, as after any other error. */
  async function tryTo<T>({ slug }: Member['actor'], read: () => Promise<T>): Promise<T | null> {
    try {
      return await read();
    } catch (cause) {
      log.warn({ slug, err: cause }, 'the transcript could not be read for the usage limit');
      return null;
    }
  }

  /**
   * Releases waiting hooks whose question belongs to no session, because their session was removed or their launch is
   * over.
   */
  async function leaveUnknownWaits(): Promise<void> {
    const known = new Set(listed.all().flatMap(({ actor }) => openWaits(actor.status.evidence().hooks)));
    for (const id of await options.waits.list()) {
      if (!known.has(id) && !answering.has(id)) await options.waits.leave(id);
    }
  }

  /** Nobody knows which hooks were lost, so every session is told. */
  function spoolRemade(): void {
    log.error(
      { dir: options.spoolDir },
      'the hook spool was removed and recreated: hooks from that moment are lost, and the status comes from the screen until the next hooks',
    );
    options.onSpoolRemade();
    for (const { actor } of listed.all()) if (!actor.isDead()) actor.intake.loseHooks();
  }

  return {
    start: async () => {
      await dropWhatOthersHave();
      await look();
      disposers.push(watchScreens(screen.dir, lookSoon), registries.dispose);
      await registries.follow(options.registryDir);
      await followAccounts();
      spool = watchHookSpool({
        dir: options.spoolDir,
        now: clock.now,
        accept: seeHook,
        onRemade: spoolRemade,
        onGateChanged: options.onGateChanged,
        onGuardChanged: options.onGuardChanged,
        onRejected: (file, reason) => log.warn({ file, reason }, 'a hook file was rejected'),
        onError: (cause) => log.error({ err: cause }, 'the hook spool could not be read'),
      });
      await spool.drain();
      await leaveUnknownWaits();
      const again = (): void => {
        sweep = clock.after(SWEEP_MS, () => {
          void followAccounts();
          void look().finally(() => disposed || again());
        });
      };
      again();
    },
    look,
    dispose: async () => {
      disposed = true;
      survey.dispose();
      await spool?.dispose();
      due?.();
      sweep?.();
      for (const dispose of disposers) dispose();
    },
  };
}
