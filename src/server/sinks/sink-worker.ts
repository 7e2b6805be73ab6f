import { due, type Rules, retryDelay } from '../../core/sinks/due.ts';
import { noticeOf, questionOf } from '../../core/sinks/notice.ts';
import type { Attempt, Press, PressReply, SinkDriver, SinkMessage } from '../../platform/sinks/index.ts';
import type { OutboxMessage, OutboxStore } from '../../platform/sqlite/outbox-store.ts';
import type { Session } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Dispose } from '../sessions.ts';

/** The current state of the question that a message is about. */
export type Standing = { kind: 'open'; session: Session } | { kind: 'over' } | { kind: 'unknown' };

export interface SinkWorker {
  /** Makes the worker check which messages must be sent or closed now. */
  poke(): void;
  /** Sends a test message, which does not belong to a session. */
  test(message: SinkMessage): Promise<Attempt>;
  /** resolves when the worker has nothing in progress; used by tests */
  settled(): Promise<void>;
  /** returns why the last attempt failed or why button presses cannot be received; null if there is no fault */
  fault(): string | null;
  dispose: Dispose;
}

export interface SinkWorkerOptions {
  sinkId: string;
  name: string;
  takesAnswers: boolean;
  driver: SinkDriver;
  rules: Rules;
  store: OutboxStore;
  standingOf(message: OutboxMessage): Standing;
  onPress(press: Press): Promise<PressReply>;
  lookedMsAgo(): number | null;
  clock: Clock;
  log: Logger;
}

/** The longest delay of a single timer. Node limits a timer to 24 days, and timers pause while the machine sleeps. */
const MOST_WAIT_MS = 3_600_000;
/** How long to wait before trying again if the home was not writable. */
const HOME_RETRY_MS = 30_000;
/**
 * How many times to try to close a message. After that, the message is left as it is, and pressing its buttons has no
 * effect.
 */
const MOST_CLOSINGS = 8;

/**
 * Sends the messages of one sink, one at a time. Each step is saved before it is taken. Therefore a message that may
 * have been sent is always recorded as sent or as possibly sent, whenever the server is killed.
 */
export function createSinkWorker(options: SinkWorkerOptions): SinkWorker {
  const { sinkId, name, takesAnswers, driver, rules, store, standingOf, clock, log } = options;
  const ended = new AbortController();
  let cancel: Dispose | null = null;
  let running: Promise<void> | null = null;
  let isPoked = false;
  const tests: (() => Promise<void>)[] = [];
  let sendFault: string | null = null;
  let listenFault: string | null = null;

  /**
   * Changes some fields of a message. The message is read again first, because other code may have changed other fields
   * of it.
   */
  function change(id: string, fields: Partial<OutboxMessage>): OutboxMessage | null {
    const now = store.get(id);
    if (now === null) return null;
    const next = { ...now, ...fields, changedAt: clock.now() };
    store.save(next);
    return next;
  }

  function poke(): void {
    if (ended.signal.aborted) return;
    isPoked = true;
    if (running !== null) return;
    running = run()
      .catch((cause: unknown) => {
        log.error({ sink: name, err: cause }, "a sink's messages could not be sent");
        wait(HOME_RETRY_MS);
      })
      .finally(() => {
        running = null;
        if (isPoked) poke();
      });
  }

  async function run(): Promise<void> {
    while (isPoked && !ended.signal.aborted) {
      isPoked = false;
      cancel?.();
      for (const test of tests.splice(0)) await test();
      let soonest: number | null = null;
      let isBlocked = false;
      for (const { id } of store.unfinished(sinkId)) {
        const message = store.get(id);
        if (message === null || (isBlocked && message.phase !== 'closing')) continue;
        const again = await advance(message);
        if (ended.signal.aborted) return;
        if (again !== null) soonest = Math.min(soonest ?? again, again);
        isBlocked ||= driver.isSerial === true && isUnsure(store.get(id));
      }
      if (soonest !== null) wait(soonest - clock.now());
    }
  }

  function wait(ms: number): void {
    if (ended.signal.aborted) return;
    cancel?.();
    cancel = clock.after(Math.min(Math.max(0, ms), MOST_WAIT_MS), poke);
  }

  /** @returns when to check the message again; null if no check is needed until something changes */
  async function advance(message: OutboxMessage): Promise<number | null> {
    if (message.phase === 'closing') return closeMessage(message);
    // A previous server was killed while it was sending this message.
    const unsureSince = message.unsureSince ?? (message.phase === 'sending' ? message.changedAt : null);
    if (message.phase === 'sending') change(message.id, { phase: 'waiting', unsureSince });
    const standing = standingOf(message);
    if (standing.kind === 'unknown') return null;
    if (standing.kind === 'over' && unsureSince === null) {
      change(message.id, { phase: 'dropped' });
      return null;
    }
    const { openedAt, retryAt } = message;
    const isOver = standing.kind === 'over';
    const moment = { now: clock.now(), lookedMsAgo: options.lookedMsAgo() };
    const now = due({ openedAt, retryAt }, isOver ? AT_ONCE : rules, moment);
    if (now.kind === 'wait') return now.until;
    if (unsureSince !== null && driver.find !== undefined) {
      const found = await driver.find(toSink(message, standing), unsureSince);
      if (found.kind === 'unknown') return retry(message.id, { error: found.error, afterMs: null, unsureSince });
      if (found.kind === 'found') return arrived(message.id, found.remote);
      if (isOver) {
        change(message.id, { phase: 'dropped', unsureSince: null });
        return null;
      }
    }
    // The message may have arrived, so it is treated as sent and then closed. In this way, a receiver that drops
    // duplicates learns that the question is over, even if it never got the message.
    if (isOver) return arrived(message.id, null);
    return send(message, { unsureSince, session: standing.session });
  }

  async function send(
    before: OutboxMessage,
    { unsureSince, session }: { unsureSince: number | null; session: Session },
  ): Promise<number | null> {
    // If a message may already have arrived, exactly the same text is sent again.
    const notice =
      unsureSince !== null && before.notice !== null
        ? before.notice
        : noticeOf(
            session,
            { mostButtons: takesAnswers ? driver.mostButtons : 0, most: driver.shown },
            questionOf(session, before.need),
          );
    const attempts = before.attempts + 1;
    const message = change(before.id, { phase: 'sending', attempts, notice, unsureSince });
    if (message === null) return null;
    const attempt = await driver.send(toSink(message, { kind: 'open', session }));
    const again = await conclude(message, attempt, unsureSince);
    if (attempt.kind === 'sent' && attempt.pressed !== undefined)
      await options.onPress({ code: message.code, key: attempt.pressed });
    return again;
  }

  function conclude({ id, changedAt }: OutboxMessage, attempt: Attempt, unsureSince: number | null): number | null {
    switch (attempt.kind) {
      case 'sent':
        return arrived(id, attempt.remote);
      case 'refused':
        fail(attempt.error);
        change(id, { phase: 'refused', error: attempt.error });
        return null;
      case 'unsent':
        return retry(id, { ...attempt, unsureSince });
      case 'unsure':
        return retry(id, { ...attempt, unsureSince: unsureSince ?? changedAt });
      default:
        return attempt satisfies never;
    }
  }

  function retry(
    id: string,
    { error, afterMs, unsureSince }: { error: string; afterMs: number | null; unsureSince: number | null },
  ): number | null {
    fail(error);
    const attempts = store.get(id)?.attempts ?? 1;
    const retryAt = clock.now() + retryDelay(Math.max(1, attempts), afterMs);
    change(id, { phase: 'waiting', error, retryAt, unsureSince, attempts: Math.max(1, attempts) });
    return retryAt;
  }

  /** Records that a message has arrived, and closes it if its question is already over. */
  function arrived(id: string, remote: string | null): number | null {
    sendFault = null;
    const sent = { phase: 'sent', remote, error: null, retryAt: null, unsureSince: null, attempts: 0 } as const;
    const message = change(id, sent);
    if (message === null || standingOf(message).kind !== 'over') return null;
    change(id, { phase: 'closing' });
    isPoked = true;
    return null;
  }

  async function closeMessage(message: OutboxMessage): Promise<number | null> {
    const { id, retryAt, remote, attempts } = message;
    if (retryAt !== null && retryAt > clock.now()) return retryAt;
    const done = (error: string | null): null => {
      change(id, { phase: 'closed', error });
      return null;
    };
    if (driver.close === undefined) return done(null);
    const words = message.ended ?? 'This question no longer needs an answer.';
    const attempt = await driver.close(toSink(message, { kind: 'over' }), remote, words);
    if (attempt.kind === 'sent') return done(null);
    if (attempt.kind === 'refused' || attempts + 1 >= MOST_CLOSINGS) return done(attempt.error);
    const next = clock.now() + retryDelay(attempts + 1, attempt.afterMs);
    change(id, { attempts: attempts + 1, retryAt: next, error: attempt.error });
    return next;
  }

  function fail(error: string): void {
    if (sendFault !== error) log.warn({ sink: name, error }, "a sink's message did not arrive");
    sendFault = error;
  }

  if (takesAnswers && driver.listen !== undefined) {
    const listening = {
      onPress: options.onPress,
      onFault: (error: string | null) => {
        if (error !== null && listenFault === null)
          log.warn({ sink: name, error }, 'button presses cannot be received from a sink');
        listenFault = error;
      },
      pause: (ms: number) =>
        new Promise<void>((resolve) => {
          const stop = clock.after(ms, resolve);
          ended.signal.addEventListener('abort', () => {
            stop();
            resolve();
          });
        }),
      signal: ended.signal,
    };
    void driver.listen(listening).catch((cause: unknown) => {
      log.error({ sink: name, err: cause }, 'button presses are no longer received from a sink');
      listenFault = 'button presses are no longer received; see server.log';
    });
  }

  return {
    poke,
    test: (message) =>
      new Promise((resolve) => {
        tests.push(async () => resolve(await driver.send(message)));
        poke();
      }),
    settled: async () => {
      while (running !== null) await running;
    },
    fault: () => sendFault ?? listenFault,
    dispose: () => {
      ended.abort();
      cancel?.();
      driver.dispose?.();
    },
  };
}

function isUnsure(message: OutboxMessage | null): boolean {
  return message?.phase === 'waiting' && message.unsureSince !== null;
}

const AT_ONCE: Rules = { afterMs: 0, awayMs: 0, quiet: null };

function toSink({ id, code, notice }: OutboxMessage, standing: Standing): SinkMessage {
  const { title = '', body = '', buttons = [] } = notice ?? {};
  return { id, code, title, body, buttons, session: standing.kind === 'open' ? standing.session.slug : '' };
}
