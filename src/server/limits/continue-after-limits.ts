import { contextOf, type DeliveryContext } from '../../core/delivery/decide.ts';
import {
  CONTINUATION,
  CONTINUE_TEXT,
  continuationDue,
  continuationKey,
  leastLeft,
  mayContinue,
  SPACING_MS,
} from '../../core/limits/continuation.ts';
import { type Evidence, endOfLimit, limitOf } from '../../core/status/index.ts';
import { CatalogueError, type Delivery, type LimitsThen, type RateLimit, type Send } from '../../protocol/index.ts';
import { type Clock, markNow } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { SessionActor } from '../session/actor.ts';
import type { SessionControls } from '../session/controls.ts';
import type { JournalWith } from '../session/delivery-journal.ts';
import { seeDelivery } from '../session/see-delivery.ts';
import type { Dispose, SessionEvent } from '../sessions.ts';

/** A session whose turn a usage limit may have stopped. */
export interface LimitedSession {
  id: string;
  slug: string;
  /** returns the limit that ended the session's last turn, unless another turn has begun since then */
  limit(): { limit: RateLimit; turnEndedAt: number } | null;
  /** returns Claude Code's latest report about one of the account's limits; only JSON sessions have such reports */
  reported(): RateLimit | null;
  context(): { delivery: DeliveryContext; waitingTexts: number };
  /** reports whether this server or a previous one has already begun a continuation with this key */
  wasBegun(key: string): boolean;
  /** Reports whether somebody has cancelled Claude Code's own continuation. */
  isCancelled(since: number): Promise<boolean>;
  /** @throws CatalogueError everything that `send` and `journalWith` throw */
  send(request: Send, journalWith: JournalWith): Promise<Delivery>;
  /** Alerts the person, who must decide whether to continue. */
  alert(): void;
}

export interface ContinueOptions {
  policy: LimitsThen;
  /** the percentage of every reported limit that must be left for a continuation; 0 means that any amount is enough */
  floorPercent: number;
  sessions(): LimitedSession[];
  onEvent(listener: (event: Pick<SessionEvent, 'kind'>) => void): Dispose;
  clock: Clock;
  log: Logger;
}

/** The longest delay of a single timer. Node limits a timer to 24 days, and timers pause while the machine sleeps. */
const MOST_MS = 6 * 60 * 60_000;

/** Returns the error for a session that somebody has already continued or otherwise changed. */
const hasMoved = (): CatalogueError => new CatalogueError('not_accepting_text', 'Somebody acted first');

/**
 * Applies the setting `limits.then` when a usage limit has reset. `resume` continues each session once, `ask` alerts
 * the session's user, and with any other value nothing happens. There is only one timer, for the session that is due
 * next.
 *
 * The continuation is a delivery whose key identifies the limit. It is saved before the first keypress. If the server
 * is killed, there is therefore either no trace of the continuation, or a delivery that is never started again.
 */
export function continueAfterLimits(options: ContinueOptions): Dispose {
  const { policy, sessions, clock, log } = options;
  if (policy !== 'resume' && policy !== 'ask') return () => undefined;
  /** the session and limit of each case that has been decided, because each case is decided only once */
  const settled = new Set<string>();
  const startedAt = clock.now();
  const markedStart = markNow(clock);
  let lastAt: number | null = null;
  let isActing = false;
  let isDisposed = false;
  let cancel: Dispose | null = null;

  const nameOf = (session: LimitedSession, limit: RateLimit): string => `${session.id} ${continuationKey(limit)}`;

  /**
   * Returns when an alert about the end of a limit is due. Returns null if the limit ended while no server was running:
   * every list already shows that, and an alert would come too late. The start is earlier on a clock that was set back.
   */
  function endToTell(limit: RateLimit): number | null {
    const endsAt = endOfLimit(limit);
    return endsAt === null || endsAt < Math.min(startedAt, markedStart()) ? null : endsAt;
  }

  /**
   * Returns the sessions that are waiting for a limit to end, and those whose limit has ended but that have not been
   * handled yet.
   */
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
    // The time must be read first: `now` may notice that the clock was set, and then calls this function again.
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
        else if (await goOn(due, options, () => isDisposed)) lastAt = clock.elapsed();
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

/** @returns whether the prompt was sent */
async function goOn(
  { session, limit }: { session: LimitedSession; limit: RateLimit },
  options: ContinueOptions,
  isDisposed: () => boolean,
): Promise<boolean> {
  const { floorPercent, log } = options;
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
  if (isBelowFloor(options)) {
    log.info({ slug: session.slug, floorPercent }, 'not continued after its limit: less than limits.floor is left');
    session.alert();
    return false;
  }
  await session.send({ text: CONTINUE_TEXT, idempotency_key: key }, (_, save) => {
    // This runs in the session's mailbox, where nobody else can type. The conditions are checked again, because they
    // may have changed.
    if (isDisposed() || !isFree()) throw hasMoved();
    save();
  });
  log.info({ slug: session.slug, limit: limit.kind }, 'continued after its usage limit');
  return true;
}

/**
 * Reports whether too little of any reported limit is left. The floor does not apply if no session reports what is
 * left.
 */
function isBelowFloor({ floorPercent, sessions, clock, log }: ContinueOptions): boolean {
  if (floorPercent === 0) return false;
  const all = sessions().map((one) => one.reported());
  const left = leastLeft(all, clock.now());
  if (left === null) log.info({ floorPercent }, 'limits.floor does not apply: no session reports what is left');
  return left !== null && left < floorPercent;
}

/**
 * Continues a session once after its limit, at a person's request. CBOS uses the same key for its own continuation, so
 * only one of the two is ever sent.
 * @throws CatalogueError nothing_to_continue, not_accepting_text, and everything else that a prompt throws
 */
export async function continueByHand(session: LimitedSession, now: () => number): Promise<Delivery> {
  const stopped = session.limit();
  const endsAt = stopped === null ? null : endOfLimit(stopped.limit);
  if (stopped === null || endsAt === null) throw new CatalogueError('nothing_to_continue');
  if (endsAt > now())
    throw new CatalogueError('nothing_to_continue', `The usage limit of ${session.slug} is still in effect`);
  const key = continuationKey(stopped.limit);
  if (session.wasBegun(key))
    throw new CatalogueError('nothing_to_continue', `${session.slug} has already been continued`);
  return session.send({ text: CONTINUE_TEXT, idempotency_key: key }, (_, save) => {
    const found = session.limit();
    if (found === null || continuationKey(found.limit) !== key) throw hasMoved();
    save();
  });
}

/** Returns a session in the form that `continueAfterLimits` needs. */
export function limitedSession(
  { actor, controls }: { actor: SessionActor; controls: Pick<SessionControls, 'deliverer'> },
  isCancelled: (transcript: string, since: number) => Promise<boolean> = async () => false,
): LimitedSession {
  const { deps, record } = actor;
  return {
    id: record.id,
    slug: actor.slug,
    limit: () => stoppedBy(actor.status.evidence()),
    reported: () => actor.status.evidence().json?.rateLimit ?? null,
    context: () => {
      const seen = seeDelivery(actor);
      return { delivery: contextOf(seen), waitingTexts: seen.deliveries.queued.length };
    },
    wasBegun: (key) => deps.deliveries.byKey(record.id, key) !== null,
    isCancelled: async (since) => {
      const { transcript } = actor.record.reported;
      return transcript !== null && isCancelled(transcript, since);
    },
    send: (request, journalWith) => controls.deliverer.send(request, journalWith),
    alert: () => deps.emit({ kind: 'woken', session: actor.view() }),
  };
}

/**
 * Cancels continuations that a killed server had saved but not typed, because somebody may have continued the session
 * by hand since then.
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
