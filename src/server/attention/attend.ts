/**
 * Adds to each session whether somebody has looked at it and whether it is snoozed. `src/core/attention/` defines what
 * the facts mean, and `src/protocol/attention.ts` defines the counts.
 */

import {
  type Attended,
  endsWaiting,
  type Happening,
  isDue,
  isWokenBy,
  lookAt,
  markUnread,
  observeStatus,
  type SnoozeRule,
  UNATTENDED,
} from '../../core/attention/index.ts';
import type { AttentionStore } from '../../platform/sqlite/attention-store.ts';
import type { Session } from '../../protocol/index.ts';
import type { BaseSessions } from '../base-sessions.ts';
import type { Book } from '../book/book.ts';
import { keepFacts } from '../book/kept-facts.ts';
import type { Clock } from '../clock.ts';
import type { PatientWrites } from '../session/patient-writes.ts';
import type { Dispose, SessionEvent, Sessions } from '../sessions.ts';
import { readRule } from './rules.ts';
import { viewAttended } from './view.ts';
import { createWakeTimer } from './wake-timer.ts';

export interface AttendOptions {
  book: Book;
  sessions: Pick<BaseSessions, 'list' | 'get' | 'idOf'>;
  store: AttentionStore;
  writes: Pick<PatientWrites, 'write' | 'demand'>;
  clock: Clock;
  /** called when a session starts to wait for its user, or when a snoozed session wakes while it is waiting */
  onWaiting: (session: Session) => void;
}

/** What is known about who has looked at which session, and which sessions are snoozed. */
export interface Attention extends Pick<Sessions, 'seen' | 'unseen' | 'snooze' | 'unsnooze'> {
  /**
   * Runs a person's action on a session, and records a look: whoever acts on a session has just seen its state.
   * @param slug the session; undefined if it is unknown
   */
  acting<T>(slug: string | undefined, work: () => Promise<T>): Promise<T>;
  /** Runs an action whose outcome the person sees, too, such as ending a session. */
  actingUntilSeen<T>(slug: string, work: () => Promise<T>): Promise<T>;
  /**
   * Wakes the sessions that became due while no server was running. No session is woken before this call, because not
   * all sessions are listed until then.
   */
  start(): void;
  dispose: Dispose;
}

export function attend({ book, sessions, store, writes, clock, onWaiting }: AttendOptions): Attention {
  const facts = keepFacts(store, writes, UNATTENDED);
  const { of, note } = facts;
  /** the most recent state of each session */
  const states = new Map<string, Session['state']>();
  const pending = new Set<string>();
  let isStarted = false;

  /** Saves a change that a person requested. @throws while the home is not writable, in which case nothing changes */
  function change(slug: string, edit: (attended: Attended) => Attended): Session {
    const id = sessions.idOf(slug);
    const { before, after } = facts.change(id, edit);
    if (after !== before) {
      timer.set();
      tellUpdated(id);
    }
    return sessions.get(slug);
  }

  function look(id: string, news: number): void {
    const before = of(id);
    note(id, lookAt(before, news));
    if (of(id) !== before) tellUpdated(id);
  }

  function tellUpdated(id: string): void {
    const slug = book.slugOf(id);
    if (slug !== null) place.tell({ kind: 'updated', session: sessions.get(slug) });
  }

  function wake(id: string): void {
    const { snooze } = of(id);
    if (snooze === null) return;
    if (!isStarted) {
      pending.add(id);
      return;
    }
    note(id, { ...of(id), snooze: null });
    timer.set();
    const slug = book.slugOf(id);
    if (slug === null) return;
    const session = sessions.get(slug);
    place.tell({ kind: 'woken', session });
    if (session.state === 'waiting') onWaiting(session);
  }

  /** Wakes the sessions that are snoozed until this session ends. */
  function wakeWaiters(awaited: string): void {
    for (const [id, { snooze }] of facts.all()) if (snooze?.untilEnds.includes(awaited) === true) wake(id);
  }

  const rules = (): [string, SnoozeRule][] =>
    facts.all().flatMap(([id, { snooze }]) => (snooze === null ? [] : [[id, snooze]]));
  const timer = createWakeTimer({ clock, rules: () => (isStarted ? rules() : []), wake });

  /** Processes the new status of a listed session. @returns what has happened to the session */
  function observe(id: string, { status }: Session): Happening[] {
    const { after, happened } = observeStatus(of(id), status);
    const isWoken = after.snooze !== null && isWokenBy(after.snooze, happened);
    if (isWoken && !isStarted) pending.add(id);
    note(id, isWoken && isStarted ? { ...after, snooze: null } : after);
    if (isWoken) timer.set();
    return happened;
  }

  type Pass = (event: SessionEvent) => void;

  function takeState(event: { kind: 'added' | 'state'; session: Session }, id: string, pass: Pass): void {
    const wasSnoozed = of(id).snooze !== null;
    const happened = observe(id, event.session);
    pass(event);
    const session = book.shown(id, event.session);
    const isNew = states.get(id) !== 'waiting' || (wasSnoozed && session.snoozed === null);
    states.set(id, session.state);
    const mayAlert = event.kind !== 'added' && session.state === 'waiting' && session.snoozed === null;
    if (isNew && mayAlert) onWaiting(session);
    if (endsWaiting(happened)) wakeWaiters(id);
  }

  function take(event: SessionEvent, id: string, pass: Pass): void {
    if (event.kind === 'added' || event.kind === 'state') takeState(event, id, pass);
    else pass(event);
    if (event.kind === 'renamed') tellWaiters(id);
    if (event.kind === 'removed') forget(id);
  }

  /**
   * Reports an update of each session that is snoozed until another session ends, because such a session shows the
   * other session's name.
   */
  function tellWaiters(awaited: string): void {
    for (const [id, { snooze }] of facts.all()) if (snooze?.untilEnds.includes(awaited) === true) tellUpdated(id);
  }

  function forget(id: string): void {
    facts.forget(id);
    states.delete(id);
    timer.set();
    wakeWaiters(id);
  }

  const place = book.add({ of: (id) => viewAttended(of(id), book.slugOf), take });
  for (const session of sessions.list()) take({ kind: 'added', session }, sessions.idOf(session.slug), () => undefined);

  return {
    acting: async (slug, work) => {
      const id = slug === undefined ? undefined : book.idOf(slug);
      const { news } = id === undefined ? UNATTENDED : of(id);
      const result = await work();
      if (id !== undefined) look(id, news);
      return result;
    },
    actingUntilSeen: async (slug, work) => {
      const id = book.idOf(slug);
      const result = await work();
      if (id !== undefined) look(id, of(id).news);
      return result;
    },
    seen: (slug, { news }) => change(slug, (before) => lookAt(before, news ?? null)),
    unseen: (slug) => change(slug, markUnread),
    snooze: (slug, request) => {
      const named = (one: string) => ({ session: sessions.get(one), id: sessions.idOf(one) });
      const rule = readRule(request, { session: sessions.get(slug), now: clock.now(), of: named });
      return change(slug, (before) => ({ ...before, snooze: rule }));
    },
    unsnooze: (slug) => change(slug, (before) => (before.snooze === null ? before : { ...before, snooze: null })),
    start: () => {
      isStarted = true;
      const listed = new Set(sessions.list().map(({ slug }) => sessions.idOf(slug)));
      const now = clock.now();
      for (const [id, rule] of rules()) {
        if (isDue(rule, now) || rule.untilEnds.some((one) => !listed.has(one))) pending.add(id);
      }
      for (const id of pending) wake(id);
      pending.clear();
      timer.set();
    },
    dispose: () => {
      place.dispose();
      timer.dispose();
    },
  };
}
