/**
 * Sinks report sessions' questions to a person who is not looking at any face. This file manages the sinks.
 * `session-needs.ts` queues messages, `sink-worker.ts` sends them step by step (`message-steps.ts`), `take-press.ts`
 * takes the answers, and `src/core/sinks/` decides when to send.
 */

import { v4 as uuid } from 'uuid';
import type { Rules } from '../../core/sinks/due.ts';
import { readQuiet } from '../../core/sinks/quiet.ts';
import type { OutboxStore } from '../../platform/sqlite/outbox-store.ts';
import { type AddedSink, CatalogueError, type NewSink, type Sink } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Dispose, Sessions } from '../sessions.ts';
import { createSessionNeeds } from './session-needs.ts';
import { setAllBack } from './set-back.ts';
import { type KeptSink, makeCode, makeSink, openDriver, openSinkBook } from './sink-book.ts';
import { createSinkWorker, type SinkWorker } from './sink-worker.ts';
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
const NO_MEMORY = { read: () => null, write: () => undefined };

export function createSinks(options: SinksOptions): Sinks {
  const { sessions, store, clock, log } = options;
  const book = openSinkBook(options.file);
  const workers = new Map<string, SinkWorker>();
  /** the codes of test messages, whose buttons do not answer any question */
  const tests = new Set<string>();
  /** what ends the reports; empty until they begin */
  const stop: Dispose[] = [];
  const sinkIds = (): string[] => book.all().map(({ id }) => id);
  const needs = createSessionNeeds({ ...options, sinkIds, poke: (id) => workers.get(id)?.poke() });

  function open(sink: KeptSink): void {
    const { id: sinkId, name, answers: takesAnswers } = sink;
    const memory = { read: () => store.memory(sinkId), write: (text: string) => store.remember(sinkId, text) };
    const driver = openDriver(sink, { memory, now: clock.now, bus: options.bus });
    workers.set(
      sinkId,
      createSinkWorker({
        ...{ sinkId, name, takesAnswers, driver, store, standingOf: needs.standingOf, clock, log },
        rules: rulesOf(sink, options.timezone),
        onPress: (press) => takePress(press, { sinkId, store, tests, standingOf: needs.standingOf, sessions, log }),
        lookedMsAgo: options.lookedMsAgo,
      }),
    );
  }

  function view(sink: KeptSink): Sink {
    const { id, name, kind, after_s, away_s, quiet, timezone, answers, created_at } = sink;
    const { to } = openDriver(sink, { memory: NO_MEMORY, now: clock.now, bus: options.bus });
    const rules = { after_s, away_s, quiet, timezone, answers };
    const fault = workers.get(id)?.fault() ?? null;
    return { name, kind, to, ...rules, created_at, ...store.counts(id, clock.now() - KEPT_MS), fault };
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
      if (stop.length > 0) {
        open(sink);
        needs.takeAllAgain();
      }
      return { ...view(sink), shown_once: shownOnce };
    },
    remove: (name) => {
      const sink = book.find(name);
      const removed = view(sink);
      book.save(book.all().filter(({ id }) => id !== sink.id));
      workers.get(sink.id)?.dispose();
      workers.delete(sink.id);
      store.forgetSink(sink.id);
      return removed;
    },
    test: async (name) => {
      const sink = book.find(name);
      const code = makeCode();
      tests.add(code);
      if (!workers.has(sink.id)) open(sink);
      const attempt = await workers.get(sink.id)?.test({
        ...{ id: uuid(), code, session: '', title: 'CBOS: a test' },
        body: `This is an example of what ${name} sends. No session has a question.`,
        buttons: sink.answers ? [{ key: 't', label: 'It works' }] : [],
      });
      if (attempt?.kind === 'sent') return { status: 'sent' };
      throw new CatalogueError('sink_failed', `${name}: ${attempt?.error ?? 'it was removed'}`);
    },
    start: () => {
      store.forgetBefore(clock.now() - KEPT_MS);
      store.clearAnswers();
      setAllBack(store, sinkIds(), { byMs: 0, now: clock.now() });
      for (const sink of book.all()) open(sink);
      needs.takeAllAgain();
      const onEvent = sessions.onEvent((event) => {
        // If no sinks are configured, nothing needs to be written.
        if (book.all().length > 0) needs.see(event);
      });
      const onStep = clock.onStep((byMs) => {
        try {
          if (byMs < 0) setAllBack(store, sinkIds(), { byMs: -byMs, now: clock.now() });
        } catch (cause) {
          log.error({ err: cause }, 'the times of messages could not be changed after the clock was set back');
        }
        for (const worker of workers.values()) worker.poke();
      });
      stop.push(onEvent, onStep);
      for (const worker of workers.values()) worker.poke();
    },
    settled: async () => void (await Promise.all([...workers.values()].map((worker) => worker.settled()))),
    dispose: () => {
      for (const one of stop.splice(0)) one();
      for (const worker of workers.values()) worker.dispose();
      workers.clear();
    },
  };
}

function rulesOf({ after_s, away_s, quiet, timezone }: KeptSink, ownTimezone: string): Rules {
  const hours = quiet === null ? null : readQuiet(quiet, timezone ?? ownTimezone);
  // The time zone of a saved sink may be invalid now, if a system update has removed it.
  return { afterMs: after_s * 1_000, awayMs: away_s * 1_000, quiet: typeof hours === 'string' ? null : hours };
}
