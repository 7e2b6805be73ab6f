import { v4 as uuid } from 'uuid';
import { isCommand } from '../../core/delivery/decide.ts';
import { decideDue, nextDue, runKey } from '../../core/schedules/due.ts';
import { readTimes, type ScheduleTimes } from '../../core/schedules/times.ts';
import type { RunRecord, ScheduleRecord, ScheduleStore } from '../../platform/sqlite/schedule-store.ts';
import {
  CatalogueError,
  type Delivery,
  type NewSchedule,
  type Schedule,
  type ScheduleRun,
  type Send,
} from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Dispose } from '../sessions.ts';

/** What schedules need of the sessions. */
export interface ScheduledSessions {
  /** every listed session */
  named(): readonly { id: string; name: string }[];
  /** @throws CatalogueError if the text must not be sent */
  send(slug: string, request: Send): Promise<Delivery>;
  /** @throws CatalogueError no_such_delivery */
  delivery(slug: string, id: string): Delivery;
}

/** Prompts at set times. What the faces ask of them, and change; only a person may change them: see `app.ts`. */
export interface Scheduler {
  list(): Schedule[];
  /** @throws CatalogueError no_such_session, schedule_taken, invalid_schedule, command_prefix */
  add(request: NewSchedule): Schedule;
  /** @throws CatalogueError no_such_schedule */
  remove(name: string): Schedule;
  /** @throws CatalogueError no_such_schedule */
  pause(name: string, isPaused: boolean): Schedule;
  /** @throws CatalogueError no_such_schedule */
  run(name: string): Promise<ScheduleRun>;
  /** @throws CatalogueError no_such_schedule */
  runs(name: string): ScheduleRun[];
  /** Goes on with what a killed server had begun, then waits for the next time. */
  start(): void;
  dispose: Dispose;
}

export interface SchedulerOptions {
  store: ScheduleStore;
  sessions: ScheduledSessions;
  clock: Clock;
  log: Logger;
  /** the time zone of a schedule that names none */
  timezone: string;
}

/** The longest wait in one piece: Node's timers take 24 days at most, and a machine that sleeps stops them. */
const MOST_MS = 6 * 3_600_000;

export function createScheduler({ store, sessions, clock, log, timezone }: SchedulerOptions): Scheduler {
  const read = new Map<string, ScheduleTimes>();
  let isStarted = false;
  let cancel: Dispose | null = null;
  let stopNoticing: Dispose | null = null;

  function timesOf({ id, cron, timezone: zone }: ScheduleRecord): ScheduleTimes {
    const known = read.get(id) ?? readTimes(cron, zone);
    // A time zone that an update of the system has removed.
    const times = typeof known === 'string' ? { after: () => null } : known;
    read.set(id, times);
    return times;
  }

  function find(name: string): ScheduleRecord {
    const found = store.all().find((one) => one.name === name);
    if (found !== undefined) return found;
    throw new CatalogueError('no_such_schedule', `There is no schedule ${JSON.stringify(name.slice(0, 80))}`);
  }

  const nameOf = (sessionId: string): string | null =>
    sessions.named().find(({ id }) => id === sessionId)?.name ?? null;

  function view(schedule: ScheduleRecord): Schedule {
    const { name, cron, timezone: zone, prompt, missed, isPaused, createdAt } = schedule;
    const next = isPaused ? null : nextDue(schedule, timesOf(schedule), clock.now());
    const last = store.lastRun(schedule.id);
    return {
      ...{ name, cron, timezone: zone, session: nameOf(schedule.sessionId), prompt, missed, paused: isPaused },
      created_at: iso(createdAt),
      next_at: next === null ? null : iso(next),
      last_run: last === null ? null : viewRun(last),
    };
  }

  function set(): void {
    if (!isStarted) return;
    // Read first: `now` may report that the clock was set, which comes back here.
    const now = clock.now();
    cancel?.();
    cancel = null;
    const times = store.all().flatMap((one) => nextDue(one, timesOf(one), now) ?? []);
    if (times.length === 0) return;
    const next = times.reduce((soonest, time) => Math.min(soonest, time));
    cancel = clock.after(Math.min(Math.max(0, next - now), MOST_MS), runDue);
  }

  /** Decides about every time that has come. What is written down is what is run: a crash leaves no other trace. */
  function runDue(): void {
    try {
      for (const schedule of store.all()) decide(schedule, clock.now());
    } catch (cause) {
      // A full disk: nothing was written down, so nothing was sent, and the next look decides about the same times.
      log.error({ err: cause }, 'the schedules could not be run');
      cancel = clock.after(RETRY_MS, runDue);
      return;
    }
    set();
  }

  function decide(schedule: ScheduleRecord, now: number): void {
    const due = decideDue(schedule, timesOf(schedule), now);
    if (due.length === 0) return;
    const overlaps = isWaiting(schedule);
    const runs = due.map(({ dueAt, skipped }): RunRecord => {
      const reason = skipped ?? (overlaps ? 'overlapping' : null);
      const outcome = reason === null ? 'begun' : 'skipped';
      const rest = { isByHand: false, deliveryId: null, error: null };
      return { scheduleId: schedule.id, dueAt, at: now, outcome, reason, ...rest };
    });
    for (const run of store.decide(schedule.id, now, runs)) if (run.outcome === 'begun') void carryOut(schedule, run);
  }

  /** Whether the prompt of the last run still waits to be typed. */
  function isWaiting({ id, sessionId }: ScheduleRecord): boolean {
    const last = store.lastSent(id);
    const slug = nameOf(sessionId);
    if (last === null || slug === null) return false;
    if (last.deliveryId === null) return true;
    try {
      return sessions.delivery(slug, last.deliveryId).status === 'queued';
    } catch {
      return false;
    }
  }

  /** Sends the prompt of a run that is written down. Its key lets it be sent again after a crash, and arrive once. */
  async function carryOut(schedule: ScheduleRecord, run: RunRecord): Promise<RunRecord> {
    const { name, sessionId, prompt } = schedule;
    const slug = nameOf(sessionId);
    const ended = await send(slug, { text: prompt, queue: true, idempotency_key: runKey(schedule.id, run.dueAt) });
    const concluded = { ...run, ...ended };
    log.info({ schedule: name, slug, due: iso(run.dueAt), outcome: concluded.outcome }, 'a schedule has run');
    try {
      store.conclude(concluded);
    } catch (cause) {
      // The next server sends it again with the same key, and learns what became of it.
      log.error({ schedule: name, err: cause }, 'what became of a run could not be written down');
    }
    return concluded;
  }

  async function send(
    slug: string | null,
    request: Send,
  ): Promise<Pick<RunRecord, 'outcome' | 'reason' | 'deliveryId' | 'error'>> {
    const none = { deliveryId: null, reason: null };
    if (slug === null) return { ...none, outcome: 'failed', error: 'its session was deleted' };
    try {
      const { id } = await sessions.send(slug, request);
      return { outcome: 'sent', reason: null, deliveryId: id, error: null };
    } catch (cause) {
      if (!(cause instanceof CatalogueError)) log.error({ slug, err: cause }, 'the prompt of a schedule was not sent');
      const error = cause instanceof Error ? cause.message : String(cause);
      const isRefused = cause instanceof CatalogueError && cause.code === 'not_accepting_text';
      return isRefused
        ? { ...none, outcome: 'skipped', reason: 'refused', error }
        : { ...none, outcome: 'failed', error };
    }
  }

  return {
    list: () => store.all().map(view),
    add: ({ name, cron, timezone: zone = timezone, session, prompt, missed = 'skip' }) => {
      const times = readTimes(cron, zone);
      if (typeof times === 'string') throw new CatalogueError('invalid_schedule', `${cron}: ${times}`);
      const now = clock.now();
      if (times.after(now) === null) throw new CatalogueError('invalid_schedule', `${cron}: no time ever matches`);
      if (isCommand(prompt))
        throw new CatalogueError('command_prefix', undefined, { hint: 'A schedule sends no command' });
      const found = sessions.named().find((one) => one.name === session);
      if (found === undefined)
        throw new CatalogueError('no_such_session', `There is no session ${JSON.stringify(session)}`);
      if (store.all().some((one) => one.name === name))
        throw new CatalogueError('schedule_taken', `There is a schedule ${name} already`);
      const state = { isPaused: false, decidedUntil: now, createdAt: now };
      const record = {
        id: uuid(),
        name,
        cron: cron.trim(),
        timezone: zone,
        sessionId: found.id,
        prompt,
        missed,
        ...state,
      };
      store.add(record);
      set();
      return view(record);
    },
    remove: (name) => {
      const schedule = find(name);
      const removed = view(schedule);
      store.remove(schedule.id);
      read.delete(schedule.id);
      set();
      return removed;
    },
    pause: (name, isPaused) => {
      const schedule = find(name);
      const now = clock.now();
      // Times that came while it was paused are recorded as such before it goes on.
      decide(schedule, now);
      store.pause(schedule.id, isPaused);
      set();
      return view(find(name));
    },
    run: async (name) => {
      const schedule = find(name);
      const now = clock.now();
      const begun = { outcome: 'begun', reason: null, deliveryId: null, error: null } as const;
      const run: RunRecord = { scheduleId: schedule.id, dueAt: now, at: now, isByHand: true, ...begun };
      const [added] = store.decide(schedule.id, schedule.decidedUntil, [run]);
      if (added === undefined) throw new CatalogueError('already_running', `${name} runs at this moment`);
      return viewRun(await carryOut(schedule, run));
    },
    runs: (name) => store.runs(find(name).id).map(viewRun),
    start: () => {
      isStarted = true;
      stopNoticing = clock.onStep(runDue);
      const all = store.all();
      for (const run of store.begun()) {
        const schedule = all.find(({ id }) => id === run.scheduleId);
        if (schedule !== undefined) void carryOut(schedule, run);
      }
      runDue();
    },
    dispose: () => {
      isStarted = false;
      stopNoticing?.();
      cancel?.();
      cancel = null;
    },
  };
}

/** How soon to look again where the home could not be written. */
const RETRY_MS = 60_000;

const iso = (at: number): string => new Date(at).toISOString();

function viewRun({ dueAt, at, outcome, reason, isByHand, deliveryId, error }: RunRecord): ScheduleRun {
  return { due_at: iso(dueAt), at: iso(at), outcome, reason, by_hand: isByHand, delivery_id: deliveryId, error };
}
