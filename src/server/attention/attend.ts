/**
 * Adds to each session whether somebody has looked at it and whether it is snoozed. `attend` wraps the sessions for
 * every face, so all faces show the same facts and counts. `src/core/attention/` defines what the facts mean, and
 * `src/protocol/attention.ts` defines the counts.
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
import { Emitter } from '../../emitter/emitter.ts';
import type { AttentionStore } from '../../platform/sqlite/attention-store.ts';
import type { Delivery, Session } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { UnlabelledSessions } from '../labels/label-sessions.ts';
import type { Logger } from '../logger.ts';
import type { PatientWrites } from '../session/patient-writes.ts';
import type { Dispose, SessionEvent } from '../sessions.ts';
import { passOn, showThrough } from './pass-on.ts';
import { readRule } from './rules.ts';
import { viewAttended } from './view.ts';
import { createWakeTimer } from './wake-timer.ts';

/** The methods that only this file adds to the sessions. */
type Own = 'seen' | 'unseen' | 'snooze' | 'unsnooze';

/** Sessions without the facts about who has looked at them. */
export type UnattendedSessions = Omit<UnlabelledSessions, Own>;

export interface AttendOptions {
  sessions: UnattendedSessions;
  store: AttentionStore;
  writes: Pick<PatientWrites, 'write' | 'demand'>;
  clock: Clock;
  log: Logger;
  /** called when a session starts to wait for its user, or when a snoozed session wakes while it is waiting */
  onWaiting: (session: Session) => void;
}

export interface AttendedSessions {
  sessions: UnlabelledSessions;
  /**
   * Wakes the sessions that became due while no server was running. No session is woken before this call, because not
   * all sessions are listed until then.
   */
  start(): void;
  dispose: Dispose;
}

export function attend({ sessions: base, store, writes, clock, log, onWaiting }: AttendOptions): AttendedSessions {
  const kept = store.all();
  const ids = new Map<string, string>();
  /** the most recent state of each session */
  const states = new Map<string, Session['state']>();
  const pending = new Set<string>();
  let isStarted = false;
  const events = new Emitter<[SessionEvent]>((cause, event) =>
    log.error({ err: cause, event: event.kind }, 'a listener of session events failed'),
  );

  const of = (id: string): Attended => kept.get(id) ?? UNATTENDED;
  const slugOf = (id: string): string | null => [...ids].find(([, one]) => one === id)?.[0] ?? null;
  const shown = (session: Session): Session => {
    const id = ids.get(session.slug);
    return id === undefined ? session : { ...session, ...viewAttended(of(id), slugOf) };
  };
  const get = (slug: string): Session => shown(base.get(slug));
  const list = (): Session[] => base.list().map(shown);

  /** Saves an observed fact, either now or as soon as the disk has room. */
  function note(id: string, next: Attended): void {
    if (next === of(id)) return;
    kept.set(id, next);
    writes.write(() => {
      const latest = kept.get(id);
      if (latest !== undefined) store.save(id, latest);
    });
  }

  /** Saves a change that a person requested. @throws while the home is not writable, in which case nothing changes */
  function change(slug: string, edit: (attended: Attended) => Attended): Session {
    base.get(slug);
    const id = base.idOf(slug);
    const next = edit(of(id));
    if (next !== of(id)) {
      writes.demand(() => store.save(id, next));
      kept.set(id, next);
      timer.set();
      if (ids.has(slug)) events.tell({ kind: 'updated', session: get(slug) });
    }
    return get(slug);
  }

  function look(id: string, news: number): void {
    const before = of(id);
    note(id, lookAt(before, news));
    const slug = slugOf(id);
    if (of(id) !== before && slug !== null) events.tell({ kind: 'updated', session: get(slug) });
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
    const slug = slugOf(id);
    if (slug === null) return;
    const session = get(slug);
    events.tell({ kind: 'woken', session });
    if (session.state === 'waiting') onWaiting(session);
  }

  /** Wakes the sessions that are snoozed until this session ends. */
  function wakeWaiters(awaited: string): void {
    for (const [id, { snooze }] of [...kept]) if (snooze?.untilEnds.includes(awaited) === true) wake(id);
  }

  const rules = (): [string, SnoozeRule][] =>
    [...kept].flatMap(([id, { snooze }]) => (snooze === null ? [] : [[id, snooze]]));
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

  function takeState(id: string, event: { kind: 'added' | 'state'; session: Session }): void {
    const wasSnoozed = of(id).snooze !== null;
    const happened = observe(id, event.session);
    const session = shown(event.session);
    events.tell({ ...event, session });
    const isNew = states.get(id) !== 'waiting' || (wasSnoozed && session.snoozed === null);
    const isFirst = event.kind === 'added';
    states.set(id, session.state);
    if (!isFirst && isNew && session.state === 'waiting' && session.snoozed === null) onWaiting(session);
    if (endsWaiting(happened)) wakeWaiters(id);
  }

  function take(event: SessionEvent): void {
    switch (event.kind) {
      case 'added': {
        const id = base.idOf(event.session.slug);
        ids.set(event.session.slug, id);
        takeState(id, event);
        break;
      }
      case 'state': {
        const id = ids.get(event.session.slug);
        if (id === undefined) events.tell(event);
        else takeState(id, event);
        break;
      }
      case 'updated':
      case 'woken':
        events.tell({ ...event, session: shown(event.session) });
        break;
      case 'renamed':
        rename(event.from, event.session.slug);
        events.tell({ ...event, session: shown(event.session) });
        tellWaiters(ids.get(event.session.slug));
        break;
      case 'removed':
        events.tell(event);
        forget(event.slug);
        break;
      default:
        events.tell(event);
    }
  }

  function rename(from: string, to: string): void {
    const id = ids.get(from);
    ids.delete(from);
    if (id !== undefined) ids.set(to, id);
  }

  /**
   * Reports an update of each session that is snoozed until another session ends, because such a session shows the
   * other session's name.
   */
  function tellWaiters(awaited: string | undefined): void {
    for (const [slug, id] of [...ids]) {
      const isWaiter = awaited !== undefined && of(id).snooze?.untilEnds.includes(awaited) === true;
      if (isWaiter) events.tell({ kind: 'updated', session: get(slug) });
    }
  }

  function forget(slug: string): void {
    const id = ids.get(slug);
    if (id === undefined) return;
    ids.delete(slug);
    kept.delete(id);
    states.delete(id);
    timer.set();
    wakeWaiters(id);
  }

  /** Runs a person's action on a session, and records a look: whoever acts on a session has just seen its state. */
  async function acting<T>(slug: string | undefined, work: () => Promise<T>): Promise<T> {
    const id = slug === undefined ? undefined : ids.get(slug);
    const { news } = id === undefined ? UNATTENDED : of(id);
    const result = await work();
    if (id !== undefined) look(id, news);
    return result;
  }

  const stopListening = base.onEvent(take);
  for (const session of base.list()) take({ kind: 'added', session });

  const sessions: UnlabelledSessions = {
    ...passOn(base),
    ...showThrough(base, shown),
    idOf: (slug) => base.idOf(slug),
    forgetLoss: (slug) => base.forgetLoss(slug),
    restore: (request) => base.restore(request),
    list,
    get,
    kill: async (slug) => {
      const id = ids.get(slug);
      const { slug: name } = await base.kill(slug);
      if (id !== undefined) look(id, of(id).news);
      return get(name);
    },
    send: (slug, request) => {
      const send = (): Promise<Delivery> => base.send(slug, request);
      // A prompt sent by another session does not show that a person has looked.
      return 'from' in request ? send() : acting(slug, send);
    },
    answer: (slug, request) => acting(slug, () => base.answer(slug, request)),
    continueAfterLimit: (slug) => acting(slug, () => base.continueAfterLimit(slug)),
    interrupt: (slug) => acting(slug, () => base.interrupt(slug)),
    keys: (slug, keys) => acting(slug, () => base.keys(slug, keys)),
    invoke: (slug, request) => acting(slug, () => base.invoke(slug, request)),
    applyStash: (id) => {
      const reply = base.stash().find((one) => one.id === id);
      return acting(reply?.session_slug, () => base.applyStash(id));
    },
    broadcast: (request) => base.broadcast(request),
    onEvent: events.on,
    seen: (slug, { news }) => change(slug, (before) => lookAt(before, news ?? null)),
    unseen: (slug) => change(slug, markUnread),
    snooze: (slug, request) => {
      const named = (one: string) => ({ session: get(one), id: base.idOf(one) });
      const rule = readRule(request, { session: get(slug), now: clock.now(), of: named });
      return change(slug, (before) => ({ ...before, snooze: rule }));
    },
    unsnooze: (slug) => change(slug, (before) => (before.snooze === null ? before : { ...before, snooze: null })),
  };

  return {
    sessions,
    start: () => {
      isStarted = true;
      const listed = new Set(ids.values());
      const now = clock.now();
      for (const [id, rule] of rules()) {
        if (isDue(rule, now) || rule.untilEnds.some((one) => !listed.has(one))) pending.add(id);
      }
      for (const id of pending) wake(id);
      pending.clear();
      timer.set();
    },
    dispose: () => {
      stopListening();
      timer.dispose();
      events.clear();
    },
  };
}
