import { join } from 'node:path';
import { questionOf } from '../../core/status/index.ts';
import type { ProcessTrace } from '../../platform/claude/index.ts';
import { prepareJsonDirectory } from '../../platform/claude/json/index.ts';
import { readMachineLoad } from '../../platform/process/index.ts';
import { ensureRecordingDir, markOwn } from '../../platform/recorder/index.ts';
import { CatalogueError, type SessionType } from '../../protocol/index.ts';
import type { Approvals, AskingSession } from '../approval/approvals.ts';
import type { BaseSessions } from '../base-sessions.ts';
import type { Budgets } from '../budgets/budgets.ts';
import { createCards } from '../json/cards.ts';
import type { JsonContext } from '../json/context.ts';
import { createJsonControls } from '../json/json-controls.ts';
import { continueByHand, dropContinuations, limitedSession } from '../limits/continue-after-limits.ts';
import type { LaunchContext } from '../screen/launch-session.ts';
import { createScreenControls } from '../screen/screen-controls.ts';
import type { ActorDeps, SessionActor } from '../session/actor.ts';
import type { SessionControls } from '../session/controls.ts';
import type { Conversation } from '../session/conversation.ts';
import { placeOfRecord } from '../session/place.ts';
import { resumeQueue } from '../session/queue-stop.ts';
import type { Dispose } from '../sessions.ts';
import { createSlots } from '../slots.ts';
import { skipSetUp } from '../worktrees/begin-set-up.ts';
import { createPorts } from '../worktrees/ports.ts';
import { adoptSession, observeForeign } from './adopt-session.ts';
import { startBackgroundWork } from './background-work.ts';
import { bringBack, finishRemovals } from './bring-back.ts';
import { broadcast } from './broadcast.ts';
import { changeSession, removeSession, restartSession } from './change-session.ts';
import { adoptConversation, convertSession, otherConversations } from './convert-session.ts';
import { readFleetCosts, readSessionCosts } from './costs.ts';
import { createSession } from './create-session.ts';
import { finishDeletions, finishSession, keepPullRequest } from './finish-session.ts';
import { followFigures } from './follow-figures.ts';
import { forkSession } from './fork-session.ts';
import { createListedSessions, type ListedSessions, type Member } from './listed-sessions.ts';
import { explainStatus, readConversation, readDays, readHistory, searchSessions } from './look-back.ts';
import { createLosses } from './losses.ts';
import { createObserver, type ObserverOptions } from './observe.ts';
import { otherSessions } from './other-sessions.ts';
import { readResources } from './resources.ts';
import { createRestoring } from './restoring.ts';
import { createSessionProcesses } from './session-processes.ts';
import { alsoOpenIn, watchSharedConversations } from './shared-conversations.ts';
import { stopSession } from './stop-session.ts';
import { holdTurn, turnOf, whileQuiet } from './turn-of-session.ts';

/**
 * The type of a new session if neither the request nor a setting specifies one. `cbos new` explicitly requests a
 * terminal session.
 */
const DEFAULT_TYPE: SessionType = 'json';

/**
 * The largest number of launches at once. Launching Claude Code keeps one core busy for a second, so more launches at
 * once would not make any session ready sooner.
 */
const LAUNCHES_AT_ONCE = 3;

export interface OwnSessionsOptions
  extends Pick<ObserverOptions, 'registryDir' | 'onSpoolRemade' | 'onGateChanged' | 'onGuardChanged'> {
  deps: ActorDeps;
  launch: LaunchContext;
  /** the user's approval rules, which answer permission requests */
  approvals: Approvals;
  budgets: Budgets;
  /** the pid of the server's own process */
  pid: number;
  /** returns whether new Claude Code processes must show their tool calls to CBOS before running them */
  areCallsGuarded: () => boolean;
}

/** All sessions of this home, with the methods that the faces call. Also observes everything outside the server. */
export interface OwnSessions extends BaseSessions {
  /** returns the session that a process belongs to; null if the process belongs to no listed session */
  sessionOf(trace: ProcessTrace): string | null;
  /** returns every session, in the form that approval rules use */
  named(): AskingSession[];
  /** Finds all sessions of the previous server again, and then starts to observe them. */
  start(): Promise<void>;
  /** Stops the observation and releases all resources. The sessions keep running. */
  close(): Promise<void>;
}

export function createOwnSessions(options: OwnSessionsOptions): OwnSessions {
  const { deps: given, launch, approvals, budgets, registryDir, pid, areCallsGuarded, ...listeners } = options;
  const { settings, screen } = launch;
  const inTurn = createSlots(LAUNCHES_AT_ONCE);
  const finishInTurn = createSlots(1);
  const jsonDir = join(settings.home, 'json');
  const cards = createCards(jsonDir);
  const deps: ActorDeps = {
    ...{ ...given, sessions: cards.keepWith(given.sessions) },
    alsoOpenIn: (record) => alsoOpenIn(listed.all(), record),
  };
  const others = otherSessions(() => listed.all());
  const json: JsonContext = { ...{ ...launch, approvals, jsonDir, registryDir, areCallsGuarded }, ...others };
  const createControls: Record<SessionType, (actor: SessionActor) => SessionControls> = {
    screen: (actor) => createScreenControls({ ...json, ...launch, inTurn }, actor),
    json: (actor) => createJsonControls(json, actor),
  };
  const listed: ListedSessions = createListedSessions(deps, (actor) => createControls[actor.record.type](actor));
  const processes = createSessionProcesses({ listed, onEvent: deps.onEvent, log: deps.log, pid });
  const losses = createLosses({ listed, clock: deps.clock, log: deps.log });
  const restoring = createRestoring({ listed, machine: readMachineLoad, clock: deps.clock, log: deps.log });
  const observer = createObserver({
    ...{ listed, screen, clock: deps.clock, log: deps.log, home: settings.home, registryDir, approvals },
    ...{ spoolDir: launch.spoolDir, waits: deps.waits, environment: launch.environment },
    ...listeners,
    onEnd: losses.seeEnd,
    onForeign: (found) => observeForeign({ deps, listed }, found),
  });

  const stopPrompts = screen.prompts.on(({ daemonPid, isOpen }) => {
    const asked = listed.all().find(({ actor }) => actor.record.daemon?.pid === daemonPid);
    asked?.actor.screenPrompt.see(isOpen);
  });

  const stopShared = watchSharedConversations({ listed, onEvent: deps.onEvent });
  let stopFigures: Dispose | null = null;
  let stopWork: Dispose | null = null;

  const typeOf = ({ type }: { type?: SessionType | undefined }): SessionType =>
    type ?? settings.default_type ?? DEFAULT_TYPE;
  const portsKept = () => listed.all().flatMap(({ actor }) => actor.record.launch.worktree?.port ?? []);
  const past = { ...deps, listed };
  const making = { listed, launch, clock: deps.clock, ports: createPorts(settings.worktree_ports, portsKept) };
  const actorOf = (slug: string): Member['actor'] => listed.get(slug).actor;
  function conversationOf(slug: string): Conversation {
    const { conversation } = controlsOf(slug);
    if (conversation === null) throw new CatalogueError('no_events', `${slug} runs in a terminal, so it has no events`);
    return conversation;
  }
  const controlsOf = (slug: string): Member['controls'] => listed.get(slug).controls;

  return {
    start: async () => {
      await ensureRecordingDir(settings.stream_dir);
      for (const record of deps.sessions.all()) listed.addAgain(record);
      await bringBack({ deps, listed, settings, screen, cards });
      const records = listed.all().map(({ actor }) => actor.record);
      deps.writes.write(() => records.forEach(cards.keep));
      await prepareJsonDirectory(jsonDir, new Set(records.flatMap(({ id, launchId }) => [id, launchId ?? ''])));
      deps.search.keepOnly(records.map(({ id }) => id));
      await Promise.all(records.map(({ recording }) => recording && markOwn(recording.typescript)));
      losses.remember();
      await Promise.all(listed.all().map(({ controls }) => controls.findAgain()));
      // The sessions are listed only once all evidence has arrived, including hooks from the time when no server was
      // running. Held prompts are typed only after that.
      await observer.start();
      losses.judgeFound();
      stopFigures = followFigures({ listed, spoolDir: launch.spoolDir, log: deps.log });
      deps.disk.start();
      void finishDeletions({ listed, environment: launch.environment, inTurn: finishInTurn }, deps.log);
      finishRemovals(listed);
      for (const { actor } of listed.all()) dropContinuations(actor);
      for (const { actor, controls } of listed.all()) {
        actor.list();
        void controls.settle();
      }
      stopWork = startBackgroundWork({ deps, listed, settings, budgets });
      if (settings.restore_at_start) void restoring.begin();
    },
    close: async () => {
      stopFigures?.();
      stopWork?.();
      stopPrompts();
      stopShared();
      processes.dispose();
      deps.disk.dispose();
      restoring.dispose();
      await observer.dispose();
      await Promise.all(listed.all().map(({ actor, controls }) => actor.mailbox.post(() => controls.rest())));
      losses.judgeLast();
      deps.writes.dispose();
      listed.dispose();
    },
    list: () =>
      listed
        .all()
        .filter(({ actor }) => actor.isListed())
        .map(({ actor }) => actor.view()),
    get: (slug) => actorOf(slug).view(),
    idOf: (slug) => actorOf(slug).record.id,
    forgetLoss: (slug) => losses.forget(actorOf(slug)),
    create: (request) => createSession(making, { ...request, type: typeOf(request) }),
    fork: (slug, request) => forkSession(making, listed.get(slug), request),
    adopt: async ({ screen_id, resume, type, ...request }) => {
      if (screen_id !== undefined) return adoptSession({ deps, listed, settings, screen }, { ...request, screen_id });
      const conversation = { ...request, resume: resume ?? '', type: typeOf({ type }) };
      const { actor } = await adoptConversation({ listed, launch, registryDir, clock: deps.clock }, conversation);
      actor.list();
      return actor.view();
    },
    convert: (slug, type) => convertSession(making, listed.get(slug), type),
    conversations: () => otherConversations({ listed, launch, registryDir, clock: deps.clock }),
    patch: (slug, request) => changeSession(listed, listed.get(slug), request),
    restart: (slug, how) => restartSession(launch.environment, listed.get(slug), how),
    park: async (slug) => {
      const { actor, controls } = listed.get(slug);
      await controls.park();
      return actor.view();
    },
    wake: async (slug) => {
      const { actor, controls } = listed.get(slug);
      await controls.wake();
      return actor.view();
    },
    restore: restoring.ask,
    restoration: async () => restoring.state(),
    finish: (slug, request) =>
      finishSession({ ...making, environment: launch.environment, inTurn: finishInTurn }, listed.get(slug), request),
    skipSetUp: async (slug) => skipSetUp(listed.get(slug).actor),
    keepPullRequest: (slug, request) => keepPullRequest(listed.get(slug).actor, request),
    resources: () => readResources(listed.all().map(({ actor }) => actor)),
    kill: async (slug) => {
      const member = listed.get(slug);
      await stopSession(member, deps.clock);
      return member.actor.view();
    },
    remove: (slug) => removeSession(listed, listed.get(slug)),
    send: (slug, request) => controlsOf(slug).deliverer.send(request),
    broadcast: (request) => broadcast({ listed, log: deps.log }, request),
    answer: (slug, request) => controlsOf(slug).answer(request),
    questionId: (slug, id) => questionOf(actorOf(slug).status.memory(), id)?.id ?? id,
    standing: (slug, questionId) => controlsOf(slug).standing(questionId),
    continueAfterLimit: (slug) => continueByHand(limitedSession(listed.get(slug)), deps.clock.now),
    interrupt: (slug) => controlsOf(slug).interrupt(),
    resumeQueue: (slug) => {
      const actor = actorOf(slug);
      resumeQueue(actor);
      return actor.view();
    },
    keys: (slug, keys) => controlsOf(slug).keys(keys),
    resize: (slug, cols, rows) => controlsOf(slug).resize(cols, rows),
    buffer: (slug, options) => controlsOf(slug).buffer(options),
    deliveries: (slug) => controlsOf(slug).deliverer.list(),
    delivery: (slug, id) => controlsOf(slug).deliverer.get(id),
    changeDelivery: (slug, id, text) => controlsOf(slug).deliverer.change(id, text),
    cancelDelivery: (slug, id) => controlsOf(slug).deliverer.cancel(id),
    invoke: (slug, request) => conversationOf(slug).invoke(request),
    events: (slug, page) => conversationOf(slug).events(page),
    lastResponse: (slug, delivery) => conversationOf(slug).lastResponse(delivery),
    sessionCosts: (slug) => readSessionCosts(deps, actorOf(slug)),
    costs: () => readFleetCosts(deps),
    explain: (slug) => explainStatus(actorOf(slug)),
    stash: () =>
      listed
        .all()
        .flatMap((member) => member.stash.list())
        .sort((one, other) => Date.parse(one.created_at) - Date.parse(other.created_at)),
    addToStash: ({ session_slug, ...request }) => listed.get(session_slug).stash.add(request),
    applyStash: (id) => listed.byStash(id).stash.apply(id),
    removeFromStash: (id) => listed.byStash(id).stash.remove(id),
    history: (slug, since) => readHistory(past, slug, since),
    transcript: (slug, after) => readConversation(actorOf(slug), launch.environment, after),
    historyDays: (query) => readDays(past, query),
    search: (query) => searchSessions(past, query),
    stream: (slug) => {
      const recording = controlsOf(slug).recording();
      if (recording === null) throw noRecording(listed.get(slug));
      return recording;
    },
    streams: () =>
      listed
        .all()
        .filter(({ actor, controls }) => actor.isListed() && controls.recording() !== null)
        .map(({ actor }) => actor.slug),
    onEvent: deps.onEvent,
    turn: (slug) => turnOf(actorOf(slug)),
    holdTurn: (slug) => holdTurn(actorOf(slug)),
    whileQuiet: (slug, work) => whileQuiet(listed.get(slug), work),
    sessionOf: processes.sessionOf,
    named: () =>
      listed.all().map(({ actor: { record } }) => ({ id: record.id, name: record.slug, path: placeOfRecord(record) })),
  };
}

function noRecording({ actor: { slug }, controls }: Member): CatalogueError {
  if (controls.conversation === null) return new CatalogueError('no_recording', `${slug} has no recording`);
  const hint = `\`cbos events ${slug}\` lists its events, \`cbos buffer ${slug}\` prints its conversation`;
  return new CatalogueError('no_recording', `${slug} is a JSON session, so it has no recording`, { hint });
}
