import { v4 as uuid } from 'uuid';
import { isKnown, needsOf } from '../../core/sinks/notice.ts';
import type { OutboxMessage, OutboxStore } from '../../platform/sqlite/outbox-store.ts';
import type { Session } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { SessionEvent, Sessions } from '../sessions.ts';
import type { Standing } from './message-steps.ts';
import { makeCode } from './sink-book.ts';

/** Where the messages to sinks wait. */
interface Outbox {
  store: OutboxStore;
  clock: Pick<Clock, 'now'>;
  /** makes the worker of a sink check its messages */
  poke(sinkId: string): void;
}

type About = Pick<OutboxMessage, 'sinkId' | 'sessionId' | 'need'>;

interface SessionNeedsOptions extends Outbox {
  sessions: Pick<Sessions, 'list'>;
  idOf(slug: string): string;
  sinkIds(): readonly string[];
  log: Logger;
}

/** Records what sessions need, and queues messages about it. */
export function createSessionNeeds(options: SessionNeedsOptions) {
  const { sessions, store, log } = options;
  /** what each session was last known to need, by session id */
  const needs = new Map<string, readonly string[]>();
  const idBySlug = new Map<string, string>();
  const idOf = (slug: string): string => idBySlug.get(slug) ?? options.idOf(slug);

  /** Records what a session needs now, and queues messages about it. */
  function note(session: Session, isWoken: boolean): void {
    try {
      const sessionId = idOf(session.slug);
      idBySlug.set(session.slug, sessionId);
      const now = needsOf(session);
      const before = needs.get(sessionId);
      if (before !== undefined && isEqualList(before, now) && !isWoken) return;
      if (now.length === 0 && !isKnown(session)) return;
      needs.set(sessionId, now);
      closeOthers(options, sessionId, now);
      const added = isWoken ? now : now.filter((need) => before?.includes(need) !== true);
      const about = added.flatMap((need) => options.sinkIds().map((sinkId) => ({ sinkId, sessionId, need })));
      for (const one of about) tell(options, one, isWoken);
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
    closeOthers(options, id, []);
  }

  function takeAllAgain(): void {
    needs.clear();
    const listed = sessions.list();
    for (const session of listed) note(session, false);
    const ids = new Set(listed.map(({ slug }) => idBySlug.get(slug)));
    for (const id of store.openSessions()) if (!ids.has(id)) closeOthers(options, id, []);
  }

  function see(event: SessionEvent): void {
    if (event.kind === 'renamed') {
      const id = idBySlug.get(event.from);
      idBySlug.delete(event.from);
      if (id !== undefined) idBySlug.set(event.session.slug, id);
    }
    if (event.kind === 'removed') forget(event.slug);
    else if ('session' in event) note(event.session, event.kind === 'woken');
  }

  const standingOf = ({ sessionId, need }: OutboxMessage): Standing =>
    standingIn(sessions.list().find(({ slug }) => idOf(slug) === sessionId) ?? null, need);

  return { see, takeAllAgain, standingOf };
}

function standingIn(session: Session | null, need: string): Standing {
  if (session === null) return { kind: 'over' };
  if (needsOf(session).includes(need)) return { kind: 'open', session };
  return isKnown(session) ? { kind: 'over' } : { kind: 'unknown' };
}

function tell({ store, clock, poke }: Outbox, about: About, isWoken: boolean): void {
  const isNew = store.add({ id: uuid(), ...about, code: makeCode(), openedAt: clock.now() });
  if (!isNew && isWoken) renew({ store, clock }, about);
  poke(about.sinkId);
}

/**
 * Sends a question again after its session was snoozed. The message needs new buttons, because the old message has
 * been closed.
 */
function renew({ store, clock }: Pick<Outbox, 'store' | 'clock'>, { sinkId, sessionId, need }: About): void {
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
function closeOthers({ store, clock, poke }: Outbox, sessionId: string, needed: readonly string[]): void {
  for (const message of store.openOf(sessionId)) {
    if (needed.includes(message.need)) continue;
    if (message.phase === 'sent') {
      const closing = { phase: 'closing', attempts: 0, retryAt: null, changedAt: clock.now() } as const;
      store.save({ ...message, ...closing });
    }
    poke(message.sinkId);
  }
}

const ENDS: ReadonlySet<OutboxMessage['phase']> = new Set(['closing', 'closed', 'dropped']);

const isEqualList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((entry, index) => entry === other[index]);
