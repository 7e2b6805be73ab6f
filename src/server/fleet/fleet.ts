import { mkdir } from 'node:fs/promises';
import { v7 as uuid } from 'uuid';
import { explain } from '../../core/status/index.ts';
import { readHardcopy, renameScreen, resizeScreen, typeKeys } from '../../platform/gnu-screen/index.ts';
import { renameRecording } from '../../platform/recorder/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import {
  type Broadcast,
  type BroadcastResult,
  CatalogueError,
  matchesState,
  type NewSession,
  parseStateSelector,
  type Session,
  type SessionPatch,
} from '../../protocol/index.ts';
import type { ActorDeps } from '../session/actor.ts';
import { interruptTurn } from '../session/interrupt.ts';
import { answerQuestion } from '../session/respond.ts';
import type { Sessions } from '../sessions.ts';
import { adoptSession, keepLogging, observeForeign } from './adopt-session.ts';
import { endSession } from './end-session.ts';
import { followRecording, openRecording } from './follow-recording.ts';
import { type LaunchContext, launchSession, recordingFiles, requireDirectory } from './launch-session.ts';
import { createObserver } from './observe.ts';
import { assertSlug, createRoster, type Member } from './roster.ts';

/** Size of a session's terminal unless asked otherwise: Claude Code's dialogs fit, and it fits a laptop's screen. */
export const DEFAULT_SIZE = { cols: 160, rows: 45 };

export interface FleetOptions {
  deps: ActorDeps;
  launch: LaunchContext;
  /** Claude Code's registry, `sessions` in its configuration directory */
  registryDir: string;
}

/** All sessions of this home: what the faces ask for, and the watch over the world outside. */
export interface Fleet extends Sessions {
  /** finds every session of the last time again, then begins to watch */
  start(): Promise<void>;
  /** lets go of everything; the sessions live on */
  close(): Promise<void>;
}

export function createFleet({ deps, launch, registryDir }: FleetOptions): Fleet {
  const { settings, screen } = launch;
  const roster = createRoster(deps);
  const observer = createObserver({
    roster,
    screen,
    clock: deps.clock,
    log: deps.log,
    spoolDir: launch.spoolDir,
    registryDir,
    onForeign: (found) => observeForeign({ deps, roster }, found),
  });

  async function create(request: NewSession): Promise<Session> {
    assertSlug(request.slug);
    if ((request.type ?? settings.default_type ?? 'screen') === 'json') throw new CatalogueError('json_unavailable');
    const path = await requireDirectory(request.path);
    return roster.claim(request.slug, async () => {
      const member = roster.add(newRecord(request, path, deps.clock.now()));
      try {
        if (request.prompt !== undefined) await member.deliverer.send({ text: request.prompt, queue: true });
        await bringUp(member);
      } catch (cause) {
        roster.remove(member);
        throw cause;
      }
      member.actor.list();
      return member.actor.view();
    });
  }

  /** Launches the session of a record, on its conversation where it has one. */
  async function bringUp(member: Member): Promise<void> {
    const { actor } = member;
    // Known before the launch: the first hook may come before Screen has answered.
    actor.update({ launchId: uuid(), hooks: null });
    const launched = await launchSession(launch, actor.record);
    actor.update({ ...launched, window: '0', adopted: true, endedAt: null });
    actor.status.startAnew();
    await followRecording(deps, actor, { cols: actor.record.launch.cols, rows: actor.record.launch.rows });
    actor.seeAgent({ ...launched.agent, startedAt: deps.clock.now() });
    actor.seeAttached(false);
  }

  async function rename(member: Member, slug: string): Promise<void> {
    const { actor } = member;
    if (slug === actor.slug) return;
    await roster.claim(slug, async () => {
      const from = actor.slug;
      const { record } = actor;
      // A session that is only observed keeps the name that its owner gave it in Screen.
      const isOurs = record.adopted && record.screenId !== null && !actor.isDead();
      const screenId = isOurs ? await renameScreen(screen, actor.target.id, slug) : record.screenId;
      actor.update({ slug, screenId });
      if (record.recording !== null) {
        await renameRecording(settings.stream_dir, from, slug);
        const { typescript, timing } = recordingFiles(settings.stream_dir, slug);
        const recording = { typescript, timing: record.recording.timing === null ? null : timing };
        actor.update({ recording });
        actor.recording?.moved(recording);
      }
      deps.emit({ kind: 'renamed', from, session: actor.view() });
    });
  }

  async function broadcast(request: Broadcast): Promise<BroadcastResult[]> {
    const { text, command, queue } = request;
    const send = { text, ...(command === undefined ? {} : { command }), ...(queue === undefined ? {} : { queue }) };
    const slugs = request.slugs ?? chooseSlugs(request);
    return Promise.all(
      slugs.map(async (session): Promise<BroadcastResult> => {
        try {
          return { session, delivery: await roster.get(session).deliverer.send(send) };
        } catch (cause) {
          if (cause instanceof CatalogueError) return { session, error: cause.toBody() };
          deps.log.error({ err: cause, slug: session }, 'a broadcast failed');
          return { session, error: new CatalogueError('internal').toBody() };
        }
      }),
    );
  }

  /** Broadcasts go to whom one can talk to: the dead and the merely observed are left out, unless they are named. */
  function chooseSlugs(request: Broadcast): string[] {
    const selector = request.state === undefined ? null : parseStateSelector(request.state);
    return roster
      .all()
      .filter(({ actor }) => actor.isListed() && actor.record.adopted && !actor.isDead())
      .map(({ actor }) => actor.view())
      .filter((session) => selector === null || matchesState(session, selector))
      .map((session) => session.slug);
  }

  const actorOf = (slug: string): Member['actor'] => roster.get(slug).actor;

  return {
    start: async () => {
      await mkdir(settings.stream_dir, { recursive: true, mode: 0o700 });
      for (const record of deps.sessions.all()) roster.add(record);
      await Promise.all(
        roster.all().map(async ({ actor }) => {
          if (actor.isDead()) {
            openRecording(deps, actor, actor.record.launch);
            return;
          }
          await keepLogging(screen, actor).catch((cause: unknown) =>
            deps.log.warn({ slug: actor.slug, err: cause }, 'its log could not be started again'),
          );
          await followRecording(deps, actor, actor.record.launch);
        }),
      );
      // Listed when all evidence is in, hooks from the time without a server included: only then held texts are typed.
      await observer.start();
      for (const { actor } of roster.all()) actor.list();
    },
    close: async () => {
      await observer.dispose();
      for (const { actor, deliverer, stash } of roster.all()) {
        stash.dispose();
        deliverer.dispose();
        actor.dispose();
      }
    },
    list: () =>
      roster
        .all()
        .filter(({ actor }) => actor.isListed())
        .map(({ actor }) => actor.view()),
    get: (slug) => actorOf(slug).view(),
    create,
    adopt: (request) => adoptSession({ deps, roster, settings, screen }, request),
    patch: async (slug, request: SessionPatch) => {
      const member = roster.get(slug);
      if (request.slug !== undefined) assertSlug(request.slug);
      const path = request.path === undefined ? null : await requireDirectory(request.path);
      return member.actor.mailbox.post(async () => {
        if (request.slug !== undefined) await rename(member, request.slug);
        if (path !== null) member.actor.update({ path });
        return member.actor.view();
      });
    },
    restart: (slug) => {
      const member = roster.get(slug);
      return member.actor.mailbox.post(async () => {
        if (!member.actor.isDead()) throw new CatalogueError('session_alive', `${slug} is alive`);
        await bringUp(member);
        return member.actor.view();
      });
    },
    kill: async (slug) => {
      const { actor } = roster.get(slug);
      await endSession({ screen }, actor);
      return actor.view();
    },
    remove: async (slug) => {
      const member = roster.get(slug);
      if (!member.actor.isDead()) await endSession({ screen }, member.actor);
      roster.remove(member);
    },
    send: (slug, request) => roster.get(slug).deliverer.send(request),
    broadcast,
    answer: (slug, request) => {
      const { actor, deliverer } = roster.get(slug);
      return answerQuestion(actor, deliverer, request);
    },
    interrupt: (slug) => interruptTurn(actorOf(slug)),
    keys: (slug, keys) => {
      const actor = actorOf(slug);
      return actor.mailbox.post(() => typeKeys(screen, actor.target, keys));
    },
    resize: (slug, cols, rows) => {
      const actor = actorOf(slug);
      return actor.mailbox.post(async () => {
        const { agent } = actor.record;
        const { id } = actor.target;
        if (agent === null) throw new CatalogueError('session_dead');
        await resizeScreen(screen, id, { cols, rows, pid: agent.pid });
        actor.update({ launch: { ...actor.record.launch, cols, rows } });
        actor.recording?.resized(cols, rows);
        return actor.view();
      });
    },
    buffer: async (slug, { lines, format }) => {
      const actor = actorOf(slug);
      const { recording, record } = actor;
      if (recording === null) {
        if (record.screenId === null || actor.isDead() || format !== 'text') throw noRecording(slug);
        // Only text, and only what Screen's own copy keeps: nothing else is there of a session that is observed.
        const text = await readHardcopy(screen, { id: record.screenId, window: record.window }, true);
        const kept = text.trimEnd().split('\n').slice(-lines);
        return {
          buffer: kept.join('\n'),
          lines: kept.length,
          cols: record.launch.cols,
          rows: record.launch.rows,
          offset: 0,
        };
      }
      await recording.follow();
      const buffer = recording.text(lines, format);
      return {
        buffer,
        lines: buffer === '' ? 0 : buffer.split('\n').length,
        ...recording.size(),
        offset: recording.end(),
      };
    },
    deliveries: (slug) => roster.get(slug).deliverer.list(),
    delivery: (slug, id) => roster.get(slug).deliverer.get(id),
    changeDelivery: (slug, id, text) => roster.get(slug).deliverer.change(id, text),
    cancelDelivery: (slug, id) => roster.get(slug).deliverer.cancel(id),
    explain: (slug) => {
      const { status } = actorOf(slug);
      return { status: status.view(), ...explain(status.evidence(), deps.clock.now()) };
    },
    stash: () =>
      roster
        .all()
        .flatMap((member) => member.stash.list())
        .sort((one, other) => Date.parse(one.created_at) - Date.parse(other.created_at)),
    addToStash: ({ session_slug, ...request }) => roster.get(session_slug).stash.add(request),
    applyStash: (id) => roster.byStash(id).stash.apply(id),
    removeFromStash: (id) => roster.byStash(id).stash.remove(id),
    history: (slug, since) => deps.history.read(actorOf(slug).record.id, since === null ? null : Date.parse(since)),
    stream: (slug) => {
      const { recording } = actorOf(slug);
      if (recording === null) throw noRecording(slug);
      return recording;
    },
    streams: () =>
      roster
        .all()
        .filter(({ actor }) => actor.isListed() && actor.recording !== null)
        .map(({ actor }) => actor.slug),
    onEvent: deps.onEvent,
  };
}

function noRecording(slug: string): CatalogueError {
  return new CatalogueError('no_recording', `${slug} has no recording`);
}

function newRecord(request: NewSession, path: string, now: number): SessionRecord {
  return {
    id: uuid(),
    slug: request.slug,
    path,
    adopted: true,
    createdAt: now,
    launch: {
      args: request.args ?? [],
      env: request.env ?? {},
      permission_mode: request.permission_mode ?? null,
      model: request.model ?? null,
      cols: request.cols ?? DEFAULT_SIZE.cols,
      rows: request.rows ?? DEFAULT_SIZE.rows,
    },
    launchId: null,
    screenId: null,
    window: '0',
    daemon: null,
    agent: null,
    claudeSessionId: null,
    claudeVersion: null,
    recording: null,
    endedAt: null,
    lastActivity: null,
    lastQuestion: null,
    hooks: null,
  };
}
