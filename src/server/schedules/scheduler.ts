import { v4 as uuid } from 'uuid';
import { decideDue, isSameBoot, nextDue, runKey } from '../../core/schedules/due.ts';
import { Emitter } from '../../emitter/emitter.ts';
import type { RunRecord, ScheduleRecord, ScheduleStore } from '../../platform/sqlite/schedule-store.ts';
import {
  CatalogueError,
  type NewSchedule,
  type NewTrigger,
  type NextTimes,
  type Schedule,
  type ScheduleChange,
  type ScheduleRun,
  type TriggerAnswer,
} from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Dispose } from '../sessions.ts';
import { carryOut, tidy } from './carry-out.ts';
import { createRunPlanner } from './plan-run.ts';
import { nextTimes, requirePrompt, requireReceiver, requireTimes } from './read-schedule.ts';
import { refuseSetUp } from './refuse-set-up.ts';
import type { ScheduledSessions } from './scheduled-sessions.ts';
import { createTriggers, type TriggerRequest } from './triggers.ts';
import { createUndecidedTimes } from './undecided-times.ts';
import { iso, nameOf, viewRun } from './view-schedule.ts';

/**
 * Handles the faces' requests about schedules, which send prompts at set times. Only a person may change schedules; see
 * `app.ts`.
 */
export interface Scheduler {
  list(): Schedule[];
  /** @throws CatalogueError no_such_session, schedule_taken, invalid_schedule, command_prefix */
  add(request: NewSchedule): Schedule;
  /** Returns the next times that a cron pattern matches. @throws CatalogueError invalid_schedule */
  times(cron: string, timezone: string | undefined): NextTimes;
  /** @throws CatalogueError no_such_schedule, no_such_session, invalid_schedule, command_prefix */
  change(name: string, request: ScheduleChange): Schedule;
  /** @throws CatalogueError no_such_schedule */
  remove(name: string): Schedule;
  /** @throws CatalogueError no_such_schedule */
  pause(name: string, isPaused: boolean): Schedule;
  /** @throws CatalogueError no_such_schedule */
  run(name: string): Promise<ScheduleRun>;
  /** @throws CatalogueError no_such_schedule */
  runs(name: string): ScheduleRun[];
  /**
   * Creates the webhook that can start a schedule's runs or, if it exists, replaces its secret. @throws CatalogueError
   * no_such_schedule
   */
  createTrigger(name: string): NewTrigger;
  /** @throws CatalogueError no_such_schedule */
  removeTrigger(name: string): Schedule;
  /** Handles a webhook's request. @throws CatalogueError no_such_trigger, bad_signature, too_many_attempts */
  trigger(id: string, request: TriggerRequest): Promise<TriggerAnswer>;
  /** Calls the listener when a schedule or a run has changed. */
  onChange(listener: () => void): Dispose;
  /** Continues the runs that a killed server had begun, and then waits until the next run is due. */
  start(): void;
  dispose: Dispose;
}

export interface SchedulerOptions {
  store: ScheduleStore;
  sessions: ScheduledSessions;
  clock: Clock;
  log: Logger;
  /** the time zone of schedules that do not specify one */
  timezone: string;
  /** returns the address at which senders of webhooks reach the server */
  baseUrl(): string;
}

/** The longest delay of a single timer. Node limits a timer to 24 days, and timers pause while the machine sleeps. */
const MOST_MS = 6 * 3_600_000;

export function createScheduler({ store, sessions, clock, log, timezone, baseUrl }: SchedulerOptions): Scheduler {
  const { newRun, overlapOf, launchedBy } = createRunPlanner({ store, sessions });
  const changes = new Emitter((cause) => log.error({ err: cause }, 'a listener of schedules failed'));
  const undecided = createUndecidedTimes({ store, clock });
  let isStarted = false;
  let cancel: Dispose | null = null;
  let stopNoticing: Dispose | null = null;
  let stopSetUp: Dispose | null = null;

  function find(name: string): ScheduleRecord {
    const found = store.all().find((one) => one.name === name);
    if (found !== undefined) return found;
    throw new CatalogueError('no_such_schedule', `No schedule is named ${JSON.stringify(name.slice(0, 80))}`);
  }

  function view(schedule: ScheduleRecord): Schedule {
    const { name, cron, timezone: zone, sessionId, launch, prompt, missed, isPaused, createdAt } = schedule;
    const now = clock.now();
    const next = isPaused ? null : nextDue(undecided.inPresent(schedule, now), undecided.of(schedule), now);
    const last = store.lastRun(schedule.id);
    return {
      ...{ name, cron, timezone: zone, session: nameOf(sessions, sessionId), launch, prompt, missed, paused: isPaused },
      created_at: iso(createdAt),
      next_at: next === null ? null : iso(next),
      last_run: last === null ? null : viewRun(sessions, last),
      trigger: triggers.of(schedule.id),
    };
  }

  function set(): void {
    if (!isStarted) return;
    // The time must be read first: `now` may notice that the clock was set, and then calls this function again.
    const now = clock.now();
    cancel?.();
    cancel = null;
    const times = store.all().flatMap((one) => nextDue(undecided.inPresent(one, now), undecided.of(one), now) ?? []);
    if (times.length === 0) return;
    const next = times.reduce((soonest, time) => Math.min(soonest, time));
    cancel = clock.after(Math.min(Math.max(0, next - now), MOST_MS), runDue);
  }

  function changed(): void {
    set();
    changes.tell();
  }

  /**
   * Decides for every run that is due whether to carry it out or skip it. Only saved decisions are carried out, so a
   * crash cannot leave behind a run that is not recorded.
   */
  function runDue(): void {
    try {
      for (const schedule of store.all()) decide(schedule, clock.now());
    } catch (cause) {
      // The disk is full. Nothing was saved, so nothing was sent, and the next check decides about the same runs again.
      log.error({ err: cause }, 'the schedules could not be run');
      cancel = clock.after(RETRY_MS, runDue);
      return;
    }
    set();
  }

  function decide(schedule: ScheduleRecord, now: number): void {
    const present = undecided.inPresent(schedule, now);
    const due = decideDue(present, undecided.of(schedule), now);
    // What is known about the clock now is not known after a reboot, so the moment of the last decision is kept.
    const isMoved =
      present.decidedUntil < schedule.decidedUntil || !isSameBoot(schedule.decidedClock, present.decidedClock);
    if (due.length === 0 && isMoved) store.decide(schedule.id, present, []);
    if (due.length === 0) return;
    const overlap = overlapOf(schedule);
    const runs = due.map(({ dueAt, skipped }) => {
      const reason = skipped ?? overlap;
      return newRun(schedule, { dueAt, now, reason, triggeredBy: 'schedule' });
    });
    for (const run of store.decide(schedule.id, { ...present, decidedUntil: now }, runs))
      if (run.outcome === 'begun') void carryOutRun(schedule, run);
    changes.tell();
  }

  /**
   * Carries out a saved run. Its idempotency key ensures that the prompt arrives only once, even if it is sent again
   * after a crash.
   */
  async function carryOutRun(schedule: ScheduleRecord, run: RunRecord): Promise<RunRecord> {
    const { id, name, launch } = schedule;
    const request = { text: run.prompt ?? schedule.prompt, queue: true, idempotency_key: runKey(id, run.dueAt) };
    const ended = await carryOut({ sessions, log }, schedule, { run, request });
    const concluded = { ...run, ...ended, prompt: null };
    log.info({ schedule: name, due: iso(run.dueAt), outcome: concluded.outcome }, 'a schedule has run');
    try {
      store.conclude(concluded);
    } catch (cause) {
      // The next server will send the prompt again with the same key, and thereby learn the outcome.
      log.error({ schedule: name, err: cause }, 'the outcome of a run could not be recorded');
    }
    changes.tell();
    if (launch?.keep !== undefined && concluded.outcome === 'sent') {
      await tidy({ sessions, log }, { launched: launchedBy(id), keep: launch.keep });
    }
    return concluded;
  }

  const triggers = createTriggers({
    ...{ store, clock, log, baseUrl },
    plan: { overlapOf, newRun: (schedule, about) => newRun(schedule, { ...about, triggeredBy: 'webhook' }) },
    carryOut: (schedule, run) => void carryOutRun(schedule, run),
    changed: () => changes.tell(),
  });

  return {
    list: () => store.all().map(view),
    add: ({ name, cron, timezone: zone = timezone, prompt, missed = 'skip', ...to }) => {
      const now = clock.now();
      requireTimes(cron, zone, now);
      requirePrompt(prompt);
      const receiver = requireReceiver(sessions, to);
      if (store.all().some((one) => one.name === name))
        throw new CatalogueError('schedule_taken', `A schedule named ${name} already exists`);
      const state = { isPaused: false, decidedUntil: now, decidedClock: clock.setting(), createdAt: now };
      const asked = { name, cron: cron.trim(), timezone: zone, ...receiver, prompt, missed };
      const record = { id: uuid(), ...asked, ...state };
      store.add(record);
      changed();
      return view(record);
    },
    times: (cron, zone = timezone) => {
      const now = clock.now();
      return { timezone: zone, times: nextTimes(requireTimes(cron, zone, now), now).map(iso) };
    },
    change: (name, { cron, timezone: zone, prompt, missed, ...to }) => {
      const before = find(name);
      const now = clock.now();
      const wanted: ScheduleRecord = {
        ...before,
        ...(cron === undefined ? {} : { cron: cron.trim() }),
        ...(zone === undefined ? {} : { timezone: zone }),
        ...(to.session === undefined && to.launch === undefined ? {} : requireReceiver(sessions, to)),
        ...(prompt === undefined ? {} : { prompt }),
        ...(missed === undefined ? {} : { missed }),
        ...{ decidedUntil: now, decidedClock: clock.setting() },
      };
      requireTimes(wanted.cron, wanted.timezone, now);
      requirePrompt(wanted.prompt);
      // Runs that are already due must be decided according to the old version of the schedule.
      decide(before, now);
      store.change(wanted);
      undecided.forget(before.id);
      changed();
      return view(find(name));
    },
    remove: (name) => {
      const schedule = find(name);
      const removed = view(schedule);
      store.remove(schedule.id);
      undecided.forget(schedule.id);
      changed();
      return removed;
    },
    pause: (name, isPaused) => {
      const schedule = find(name);
      const now = clock.now();
      // Before the schedule is paused or resumed, the runs that are already due are decided. Those that came due during
      // a pause are recorded as paused.
      decide(schedule, now);
      store.pause(schedule.id, isPaused);
      changed();
      return view(find(name));
    },
    run: async (name) => {
      const schedule = find(name);
      const now = clock.now();
      const run = newRun(schedule, { dueAt: now, now, reason: null, triggeredBy: 'person' });
      const [added] = store.decide(schedule.id, schedule, [run]);
      if (added === undefined) throw new CatalogueError('already_running', `${name} is running now`);
      return viewRun(sessions, await carryOutRun(schedule, run));
    },
    runs: (name) => store.runs(find(name).id).map((run) => viewRun(sessions, run)),
    createTrigger: (name) => triggers.create(find(name).id),
    removeTrigger: (name) => {
      triggers.remove(find(name).id);
      return view(find(name));
    },
    trigger: triggers.take,
    onChange: changes.on,
    start: () => {
      isStarted = true;
      stopSetUp = refuseSetUp({ store, sessions, log, onRefused: () => changes.tell() });
      stopNoticing = clock.onStep(runDue);
      const all = store.all();
      for (const run of store.begun()) {
        const schedule = all.find(({ id }) => id === run.scheduleId);
        if (schedule !== undefined) void carryOutRun(schedule, run);
      }
      runDue();
    },
    dispose: () => {
      isStarted = false;
      stopNoticing?.();
      stopSetUp?.();
      cancel?.();
      cancel = null;
      changes.clear();
    },
  };
}

/** How long to wait before trying again if the home was not writable. */
const RETRY_MS = 60_000;
