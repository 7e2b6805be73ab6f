import { contextOf, type DeliveryContext } from '../../core/delivery/decide.ts';
import {
  CONTINUATION,
  CONTINUE_TEXT,
  continuationDue,
  continuationKey,
  mayContinue,
  SPACING_MS,
} from '../../core/limits/continuation.ts';
import { type Evidence, endOfLimit, limitOf } from '../../core/status/index.ts';
import { CatalogueError, type LimitsThen, type RateLimit, type Send } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { SessionActor } from '../session/actor.ts';
import type { SessionControls } from '../session/controls.ts';
import type { JournalWith } from '../session/delivery-journal.ts';
import { seeDelivery } from '../session/see-delivery.ts';
import type { Dispose, SessionEvent } from '../sessions.ts';

/** A session that a usage limit may have stopped. */
export interface LimitedSession {
  id: string;
  slug: string;
  /** the limit that ended its last turn, while no turn has begun since */
  limit(): { limit: RateLimit; turnEndedAt: number } | null;
  context(): { delivery: DeliveryContext; waitingTexts: number };
  /** whether a continuation of this key was begun before, by this server or a former one */
  wasBegun(key: string): boolean;
  /** Whether somebody told Claude Code not to continue. */
  isCancelled(since: number): Promise<boolean>;
  /** @throws CatalogueError whatever `send` throws, and what `journalWith` throws */
  send(request: Send, journalWith: JournalWith): Promise<unknown>;
  /** Alerts its person, who is to decide. */
  alert(): void;
}

export interface ContinueOptions {
  policy: LimitsThen;
  sessions(): LimitedSession[];
  onEvent(listener: (event: Pick<SessionEvent, 'kind'>) => void): Dispose;
  clock: Clock;
  log: Logger;
}

/** The longest wait in one piece: Node's timers take 24 days at most, and a machine that sleeps stops them. */
const MOST_MS = 6 * 60 * 60_000;

/** Somebody was first: the session does something else by now. */
const hasMoved = (): CatalogueError => new CatalogueError('not_accepting_text', 'Somebody was first');

/**
 * Does what the setting `limits.then` says once a usage limit has ended: `resume` continues each session once, `ask`
 * alerts its person, everything else does nothing. One timer runs, for the session that is due next.
 *
 * The continuation is a delivery whose key names the limit. It is written down before the first keystroke, so after a
 * kill there is either no trace of it, or a delivery that is never begun again.
 */
export function continueAfterLimits(options: ContinueOptions): Dispose {
  const { policy, sessions, clock, log } = options;
  if (policy !== 'resume' && policy !== 'ask') return () => undefined;
  /** what was decided about, by session and limit: each is decided about once */
  const settled = new Set<string>();
  const startedAt = clock.now();
  let lastAt: number | null = null;
  let isActing = false;
  let isDisposed = false;
  let cancel: Dispose | null = null;

  const nameOf = (session: LimitedSession, limit: RateLimit): string => `${session.id} ${continuationKey(limit)}`;

  /** A limit that ended while no server ran is told by every list; an alert for it comes too late. */
  function endToTell(limit: RateLimit): number | null {
    const endsAt = endOfLimit(limit);
    return endsAt === null || endsAt < startedAt ? null : endsAt;
  }

  /** The sessions that wait for the end of a limit, or for their turn after it. */
  function waiting(now: number): { session: LimitedSession; limit: RateLimit; at: number }[] {
    return sessions().flatMap((session) => {
      const stopped = session.limit();
      if (stopped === null || settled.has(nameOf(session, stopped.limit))) return [];
      const { limit } = stopped;
      const at = policy === 'ask' ? endToTell(limit) : continuationDue(limit, now);
      return at === null ? [] : [{ session, limit, at }];
    });
  }

  function set(): void {
    if (isDisposed || isActing) return;
    // Read first: `now` may report that the clock was set, which comes back here.
    const now = clock.now();
    cancel?.();
    cancel = null;
    const next = waiting(now).reduce((soonest, { at }) => Math.min(soonest, at), Number.POSITIVE_INFINITY);
    if (next === Number.POSITIVE_INFINITY) return;
    const restMs = lastAt === null ? 0 : lastAt + SPACING_MS - clock.elapsed();
    cancel = clock.after(Math.min(Math.max(0, next - now, restMs), MOST_MS), () => void act());
  }

  async function act(): Promise<void> {
    const now = clock.now();
    const due = waiting(now)
      .filter(({ at }) => at <= now)
      .sort((one, other) => one.at - other.at)[0];
    if (due !== undefined) {
      isActing = true;
      settled.add(nameOf(due.session, due.limit));
      try {
        if (policy === 'ask') due.session.alert();
        else if (await goOn(due.session, due.limit)) lastAt = clock.elapsed();
      } catch (cause) {
        const { slug } = due.session;
        if (cause instanceof CatalogueError) log.info({ slug, code: cause.code }, 'not continued after its limit');
        else log.error({ slug, err: cause }, 'could not be continued after its limit');
      } finally {
        isActing = false;
      }
    }
    set();
  }

  /** @returns whether the text was sent */
  async function goOn(session: LimitedSession, limit: RateLimit): Promise<boolean> {
    const key = continuationKey(limit);
    const stopped = session.limit();
    if (stopped === null || session.wasBegun(key)) return false;
    if (await session.isCancelled(stopped.turnEndedAt)) {
      log.info({ slug: session.slug }, 'not continued after its limit, because somebody cancelled that');
      return false;
    }
    const isFree = (): boolean => {
      const now = session.limit();
      const { delivery, waitingTexts } = session.context();
      return now !== null && continuationKey(now.limit) === key && mayContinue(delivery, waitingTexts);
    };
    if (!isFree()) return false;
    await session.send({ text: CONTINUE_TEXT, idempotency_key: key }, (_, save) => {
      // In its turn in the session's mailbox, where nobody else types: looked at again.
      if (isDisposed || !isFree()) throw hasMoved();
      save();
    });
    log.info({ slug: session.slug, limit: limit.kind }, 'continued after its usage limit');
    return true;
  }

  const stops = [
    options.onEvent(({ kind }) => {
      if (kind !== 'events' && kind !== 'resized') set();
    }),
    clock.onStep(set),
  ];
  set();
  return () => {
    isDisposed = true;
    cancel?.();
    for (const stop of stops) stop();
  };
}

/** What `continueAfterLimits` needs of a session, from its parts. */
export function limitedSession(
  { actor, controls }: { actor: SessionActor; controls: Pick<SessionControls, 'deliverer'> },
  isCancelled: (transcript: string, since: number) => Promise<boolean>,
): LimitedSession {
  const { deps, record } = actor;
  return {
    id: record.id,
    slug: actor.slug,
    limit: () => stoppedBy(actor.status.evidence()),
    context: () => {
      const seen = seeDelivery(actor);
      return { delivery: contextOf(seen), waitingTexts: seen.deliveries.queued.length };
    },
    wasBegun: (key) => deps.deliveries.byKey(record.id, key) !== null,
    isCancelled: async (since) => {
      const { transcript } = actor.intake;
      return transcript !== null && isCancelled(transcript, since);
    },
    send: (request, journalWith) => controls.deliverer.send(request, journalWith),
    alert: () => deps.emit({ kind: 'woken', session: actor.view() }),
  };
}

/**
 * Drops what a killed server was about to send: it was written down, but not one key of it was typed. Since then
 * somebody may have gone on by hand.
 */
export function dropContinuations({
  record,
  deps: { deliveries, clock },
}: Pick<SessionActor, 'record' | 'deps'>): void {
  for (const delivery of deliveries.withStatus(record.id, 'queued')) {
    const isOurs = delivery.idempotencyKey?.startsWith(CONTINUATION) === true && delivery.phase === 'held';
    if (isOurs) deliveries.save({ ...delivery, phase: 'cancelled', updatedAt: clock.now() });
  }
}

function stoppedBy(evidence: Evidence): { limit: RateLimit; turnEndedAt: number } | null {
  const limit = limitOf(evidence);
  const end = evidence.json === undefined ? evidence.hooks.turnEnd : evidence.json.turnEnd;
  return limit === null || end === null ? null : { limit, turnEndedAt: end.at };
}
