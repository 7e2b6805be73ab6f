import { due, type Rules, retryDelay } from '../../core/sinks/due.ts';
import { noticeOf, questionOf } from '../../core/sinks/notice.ts';
import type { Attempt, Press, PressReply, SinkDriver, SinkMessage } from '../../platform/sinks/index.ts';
import type { OutboxMessage, OutboxStore } from '../../platform/sqlite/outbox-store.ts';
import type { Session } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';

/** The current state of the question that a message is about. */
export type Standing = { kind: 'open'; session: Session } | { kind: 'over' } | { kind: 'unknown' };

/** What the steps of a sink's messages need. */
export interface MessageOptions {
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

/**
 * How many times to try to close a message. After that, the message is left as it is, and pressing its buttons has no
 * effect.
 */
const MOST_CLOSINGS = 8;

const AT_ONCE: Rules = { afterMs: 0, awayMs: 0, quiet: null };

/**
 * Takes the steps of one sink's messages. Each step is saved before it is taken.
 * @param onClosing called when a message has just been sent whose question is already over
 */
export function createMessageSteps(options: MessageOptions, onClosing: () => void) {
  const outcomes = createOutcomes(options, onClosing);
  const step: Step = { ...options, ...outcomes };
  return { advance: (message: OutboxMessage) => advance(step, message), fault: outcomes.fault };
}

/** What a step needs, and what saves its outcome. */
type Step = MessageOptions & ReturnType<typeof createOutcomes>;

/** @returns when to check the message again; null if no check is needed until something changes */
async function advance(step: Step, message: OutboxMessage): Promise<number | null> {
  const { driver, clock, change, retry, arrived } = step;
  if (message.phase === 'closing') return closeMessage(step, message);
  // A previous server was killed while it was sending this message.
  const unsureSince = message.unsureSince ?? (message.phase === 'sending' ? message.changedAt : null);
  if (message.phase === 'sending') change(message.id, { phase: 'waiting', unsureSince });
  const standing = step.standingOf(message);
  if (standing.kind === 'unknown') return null;
  if (standing.kind === 'over' && unsureSince === null) {
    change(message.id, { phase: 'dropped' });
    return null;
  }
  const { openedAt, retryAt } = message;
  const isOver = standing.kind === 'over';
  const moment = { now: clock.now(), lookedMsAgo: step.lookedMsAgo() };
  const now = due({ openedAt, retryAt }, isOver ? AT_ONCE : step.rules, moment);
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
  return send(step, message, { unsureSince, session: standing.session });
}

async function send(
  step: Step,
  before: OutboxMessage,
  { unsureSince, session }: { unsureSince: number | null; session: Session },
): Promise<number | null> {
  const { driver } = step;
  // If a message may already have arrived, exactly the same text is sent again.
  const known = unsureSince === null ? null : before.notice;
  const shown = { mostButtons: step.takesAnswers ? driver.mostButtons : 0, most: driver.shown };
  const notice = known ?? noticeOf(session, shown, questionOf(session, before.need));
  const attempts = before.attempts + 1;
  const message = step.change(before.id, { phase: 'sending', attempts, notice, unsureSince });
  if (message === null) return null;
  const attempt = await driver.send(toSink(message, { kind: 'open', session }));
  const again = step.conclude(message, attempt, unsureSince);
  if (attempt.kind === 'sent' && attempt.pressed !== undefined)
    await step.onPress({ code: message.code, key: attempt.pressed });
  return again;
}

async function closeMessage({ driver, clock, change }: Step, message: OutboxMessage): Promise<number | null> {
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

/** Saves the outcomes of steps. */
function createOutcomes({ name, store, standingOf, clock, log }: MessageOptions, onClosing: () => void) {
  let fault: string | null = null;

  /** Changes fields of a message, which is read again because other code may have changed other fields of it. */
  function change(id: string, fields: Partial<OutboxMessage>): OutboxMessage | null {
    const now = store.get(id);
    if (now === null) return null;
    const next = { ...now, ...fields, changedAt: clock.now() };
    store.save(next);
    return next;
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
    fault = null;
    const sent = { phase: 'sent', remote, error: null, retryAt: null, unsureSince: null, attempts: 0 } as const;
    const message = change(id, sent);
    if (message === null || standingOf(message).kind !== 'over') return null;
    change(id, { phase: 'closing' });
    onClosing();
    return null;
  }

  function fail(error: string): void {
    if (fault !== error) log.warn({ sink: name, error }, "a sink's message did not arrive");
    fault = error;
  }

  return { change, conclude, retry, arrived, fault: () => fault };
}

function toSink({ id, code, notice }: OutboxMessage, standing: Standing): SinkMessage {
  const { title = '', body = '', buttons = [] } = notice ?? {};
  return { id, code, title, body, buttons, session: standing.kind === 'open' ? standing.session.slug : '' };
}
