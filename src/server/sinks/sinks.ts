/**
 * Sinks report sessions' questions to a person who is not looking at any face. This file manages the sinks and the
 * messages that are waiting to be sent. `sink-worker.ts` sends the messages, `take-press.ts` takes the answers, and
 * `src/core/sinks/` decides when to send.
 */

import { v4 as uuid } from 'uuid';
import type { Rules } from '../../core/sinks/due.ts';
import { isKnown, needsOf } from '../../core/sinks/notice.ts';
import { readQuiet } from '../../core/sinks/quiet.ts';
import type { OutboxMessage, OutboxStore } from '../../platform/sqlite/outbox-store.ts';
import { type AddedSink, CatalogueError, type NewSink, type Session, type Sink } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Dispose, Sessions } from '../sessions.ts';
import { setBack } from './set-back.ts';
import { type KeptSink, makeCode, makeSink, openDriver, openSinkBook } from './sink-book.ts';
import { createSinkWorker, type SinkWorker, type Standing } from './sink-worker.ts';
import { takePress } from './take-press.ts';

export interface Sinks {
  list(): Sink[];
  /** @throws CatalogueError sink_taken, invalid_sink */
  add(request: NewSink): AddedSink;
  /** @throws CatalogueError no_such_sink */
  remove(name: string): Sink;
  /** @throws CatalogueError no_such_sink, sink_failed */
  test(name: string): Promise<{ status: 'sent' }>;
  /** Continues what a killed server had begun, and then reports what sessions ask. */
  start(): void;
  /** resolves when no sink has anything in progress; used by tests */
  settled(): Promise<void>;
  dispose: Dispose;
}

export interface SinksOptions {
  sessions: Pick<Sessions, 'list' | 'onEvent' | 'answer'>;
  /** returns a session's id, which stays the same when the session is renamed */
  idOf(slug: string): string;
  store: OutboxStore;
  /** the path of the private file that stores the sinks */
  file: string;
  lookedMsAgo(): number | null;
  clock: Clock;
  log: Logger;
  /** the time zone of sinks that do not specify one */
  timezone: string;
  /** the address of the desktop's D-Bus; null if the server cannot reach any */
  bus: string | null;
}

/**
 * How long a finished message is remembered, so that a person who presses one of its old buttons gets an explanation.
 */
const KEPT_MS = 7 * 24 * 3_600_000;

export function createSinks(options: SinksOptions): Sinks {
  const { sessions, idOf, store, clock, log } = options;
  const book = openSinkBook(options.file);
  const workers = new Map<string, SinkWorker>();
  /** the codes of test messages, whose buttons do not answer any question */
  const tests = new Set<string>();
  /** what each session was last known to need, by session id */
  const needs = new Map<string, readonly string[]>();
  const idBySlug = new Map<string, string>();
  let stop: Dispose[] = [];
  let isStarted = false;

  const sessionOf = (id: string): Session | null =>
    sessions.list().find(({ slug }) => (idBySlug.get(slug) ?? idOf(slug)) === id) ?? null;

  function standingOf({ sessionId, need }: OutboxMessage): Standing {
    const session = sessionOf(sessionId);
    if (session === null) return { kind: 'over' };
    if (needsOf(session).includes(need)) return { kind: 'open', session };
    return isKnown(session) ? { kind: 'over' } : { kind: 'unknown' };
  }

  function rulesOf({ after_s, away_s, quiet, timezone }: KeptSink): Rules {
    const hours = quiet === null ? null : readQuiet(quiet, timezone ?? options.timezone);
    // The time zone of a saved sink may be invalid now, if a system update has removed it.
    return { afterMs: after_s * 1_000, awayMs: away_s * 1_000, quiet: typeof hours === 'string' ? null : hours };
  }

  function open(sink: KeptSink): void {
    const { id: sinkId, name, answers: takesAnswers } = sink;
    const memory = { read: () => store.memory(sinkId), write: (text: string) => store.remember(sinkId, text) };
    const driver = openDriver(sink, { memory, now: clock.now, bus: options.bus });
    workers.set(
      sinkId,
      createSinkWorker({
        ...{ sinkId, name, takesAnswers, driver, store, standingOf, clock, log },
        rules: rulesOf(sink),
        onPress: (press) => takePress(press, { sinkId, store, tests, standingOf, sessions, log }),
        lookedMsAgo: options.lookedMsAgo,
      }),
    );
  }

  function find(name: string): KeptSink {
    const found = book.all().find((one) => one.name === name);
    if (found !== undefined) return found;
    throw new CatalogueError('no_such_sink', `No sink is named ${JSON.stringify(name.slice(0, 80))}`);
  }

  function view(sink: KeptSink): Sink {
    const { id, name, kind, after_s, away_s, quiet, timezone, answers, created_at } = sink;
    const memory = { read: () => null, write: () => undefined };
    const { to } = openDriver(sink, { memory, now: clock.now, bus: options.bus });
    const rules = { after_s, away_s, quiet, timezone, answers };
    const fault = workers.get(id)?.fault() ?? null;
    return { name, kind, to, ...rules, created_at, ...store.counts(id, clock.now() - KEPT_MS), fault };
  }

  /** Moves the times of all unfinished messages after the clock was set back. @param byMs as in {@link setBack} */
  function moveTimes(byMs: number): void {
    const now = clock.now();
    for (const message of book.all().flatMap(({ id }) => store.unfinished(id))) {
      const moved = setBack(message, { byMs, now });
      if (moved !== null) store.save(moved);
    }
  }

  /** Records what a session needs now, and queues messages about it. */
  function note(session: Session, isWoken = false): void {
    const id = idBySlug.get(session.slug) ?? idOf(session.slug);
    idBySlug.set(session.slug, id);
    const now = needsOf(session);
    const before = needs.get(id);
    if (before !== undefined && isEqualList(before, now) && !isWoken) return;
    if (now.length === 0 && !isKnown(session)) return;
    needs.set(id, now);
    closeOthers(id, now);
    const added = isWoken ? now : now.filter((need) => before?.includes(need) !== true);
    for (const need of added) for (const sink of book.all()) tell(sink, { sessionId: id, need, isWoken });
  }

  function tell(
    sink: KeptSink,
    { sessionId, need, isWoken }: { sessionId: string; need: string; isWoken: boolean },
  ): void {
    const about = { sinkId: sink.id, sessionId, need };
    const isNew = store.add({ id: uuid(), ...about, code: makeCode(), openedAt: clock.now() });
    if (!isNew && isWoken) renew(about);
    workers.get(sink.id)?.poke();
  }

  /**
   * Sends a question again after its session was snoozed. The message needs new buttons, because the old message has
   * been closed.
   */
  function renew({ sinkId, sessionId, need }: Pick<OutboxMessage, 'sinkId' | 'sessionId' | 'need'>): void {
    const old = store.find(sinkId, sessionId, need);
    if (old === null || !ENDS.has(old.phase)) return;
    const nothing = { retryAt: null, unsureSince: null, notice: null, remote: null, ended: null, error: null };
    const now = clock.now();
    store.save({ ...old, ...nothing, code: makeCode(), phase: 'waiting', attempts: 0, openedAt: now, changedAt: now });
  }

  /**
   * Closes the messages about what a session no longer needs. Messages that have not been sent yet are left to their
   * worker.
   */
  function closeOthers(sessionId: string, needed: readonly string[]): void {
    for (const message of store.openOf(sessionId)) {
      if (needed.includes(message.need)) continue;
      if (message.phase === 'sent') {
        const closing = { phase: 'closing', attempts: 0, retryAt: null, changedAt: clock.now() } as const;
        store.save({ ...message, ...closing });
      }
      workers.get(message.sinkId)?.poke();
    }
  }

  function noteSafely(session: Session, isWoken = false): void {
    try {
      note(session, isWoken);
    } catch (cause) {
      // The disk is full. Questions that are still open will be reported when something changes or when the server
      // restarts.
      needs.delete(idBySlug.get(session.slug) ?? '');
      log.error({ slug: session.slug, err: cause }, "a session's question could not be recorded for the sinks");
    }
  }

  function forget(slug: string): void {
    const id = idBySlug.get(slug);
    idBySlug.delete(slug);
    if (id === undefined) return;
    needs.delete(id);
    closeOthers(id, []);
  }

  function takeAll(): void {
    const listed = sessions.list();
    for (const session of listed) noteSafely(session);
    const ids = new Set(listed.map(({ slug }) => idBySlug.get(slug)));
    for (const id of store.openSessions()) if (!ids.has(id)) closeOthers(id, []);
  }

  return {
    list: () => book.all().map(view),
    add: (request) => {
      if (book.all().some(({ name }) => name === request.name))
        throw new CatalogueError('sink_taken', `A sink named ${request.name} already exists`);
      const { sink, shownOnce } = makeSink(request, { timezone: options.timezone, now: clock.now() });
      const hours = sink.quiet === null ? null : readQuiet(sink.quiet, sink.timezone ?? options.timezone);
      if (typeof hours === 'string') throw new CatalogueError('invalid_sink', `${sink.quiet}: ${hours}`);
      book.save([...book.all(), sink]);
      if (isStarted) {
        open(sink);
        needs.clear();
        takeAll();
      }
      return { ...view(sink), shown_once: shownOnce };
    },
    remove: (name) => {
      const sink = find(name);
      const removed = view(sink);
      book.save(book.all().filter(({ id }) => id !== sink.id));
      workers.get(sink.id)?.dispose();
      workers.delete(sink.id);
      store.forgetSink(sink.id);
      return removed;
    },
    test: async (name) => {
      const sink = find(name);
      const code = makeCode();
      tests.add(code);
      if (!workers.has(sink.id)) open(sink);
      const attempt = await workers.get(sink.id)?.test({
        id: uuid(),
        code,
        session: '',
        title: 'CBOS: a test',
        body: `This is an example of what ${name} sends. No session has a question.`,
        buttons: sink.answers ? [{ key: 't', label: 'It works' }] : [],
      });
      if (attempt?.kind === 'sent') return { status: 'sent' };
      throw new CatalogueError('sink_failed', `${name}: ${attempt?.error ?? 'it was removed'}`);
    },
    start: () => {
      isStarted = true;
      store.forgetBefore(clock.now() - KEPT_MS);
      store.clearAnswers();
      moveTimes(0);
      for (const sink of book.all()) open(sink);
      takeAll();
      const onEvent = sessions.onEvent((event) => {
        // If no sinks are configured, nothing needs to be written.
        if (book.all().length === 0) return;
        if (event.kind === 'renamed') {
          const id = idBySlug.get(event.from);
          idBySlug.delete(event.from);
          if (id !== undefined) idBySlug.set(event.session.slug, id);
        }
        if (event.kind === 'removed') forget(event.slug);
        else if ('session' in event) noteSafely(event.session, event.kind === 'woken');
      });
      const onStep = clock.onStep((byMs) => {
        try {
          if (byMs < 0) moveTimes(-byMs);
        } catch (cause) {
          log.error({ err: cause }, 'the times of messages could not be changed after the clock was set back');
        }
        for (const worker of workers.values()) worker.poke();
      });
      stop = [onEvent, onStep];
      for (const worker of workers.values()) worker.poke();
    },
    settled: async () => {
      await Promise.all([...workers.values()].map((worker) => worker.settled()));
    },
    dispose: () => {
      isStarted = false;
      for (const one of stop) one();
      for (const worker of workers.values()) worker.dispose();
      workers.clear();
    },
  };
}

const ENDS: ReadonlySet<OutboxMessage['phase']> = new Set(['closing', 'closed', 'dropped']);

const isEqualList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((entry, index) => entry === other[index]);
