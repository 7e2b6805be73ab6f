import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decideDue, LOOK_BACK_MS } from '../../../src/core/schedules/due.ts';
import { readTimes, type ScheduleTimes } from '../../../src/core/schedules/times.ts';
import { Emitter } from '../../../src/emitter/emitter.ts';
import { type Database, openDatabase } from '../../../src/platform/sqlite/database.ts';
import { createScheduleStore } from '../../../src/platform/sqlite/schedule-store.ts';
import {
  CatalogueError,
  type Delivery,
  type NewSession,
  type Send,
  type Session,
  type TagEdit,
} from '../../../src/protocol/index.ts';
import type { ScheduledSessions } from '../../../src/server/schedules/scheduled-sessions.ts';
import { createScheduler, type Scheduler } from '../../../src/server/schedules/scheduler.ts';
import type { SessionEvent } from '../../../src/server/sessions.ts';
import { ManualClock } from '../../harness/manual-clock.ts';
import { someSession } from '../../harness/some-session.ts';
import { asking, DONE } from '../../harness/some-sessions.ts';

const URL = 'https://cbos.example';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const nothing = (): void => undefined;
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Sessions in memory. The sessions and their journal outlive the server. */
class Prompted implements ScheduledSessions {
  list = [{ id: 'id-CI', name: 'CI' }];
  views = new Map<string, Session>();
  journal = new Map<string, Delivery>();
  typed: string[] = [];
  created: NewSession[] = [];
  /** `park NIGHTLY-1`, `archive NIGHTLY-1`, … */
  done: string[] = [];
  status: Delivery['status'] = 'delivered';
  refusal: Error | null = null;
  launchRefusal: Error | null = null;
  budget: string | null = null;
  /** when the server dies: after or before it has saved the text, or after it has launched the session */
  dies: 'after' | 'before' | 'launched' | null = null;
  events = new Emitter<[SessionEvent]>();

  named = () => this.list;
  idOf = (slug: string) => this.list.find(({ name }) => name === slug)?.id ?? '';
  get = (slug: string): Session => this.views.get(slug) ?? someSession(slug);
  overBudget = () => this.budget;
  onEvent = (listener: (event: SessionEvent) => void) => this.events.on(listener);
  create = async (request: NewSession): Promise<Session> => {
    if (this.launchRefusal !== null) throw this.launchRefusal;
    const { slug } = request;
    this.created.push(request);
    this.list = [...this.list, { id: `id-${slug}`, name: slug }];
    if (this.dies === 'launched') return new Promise(() => undefined);
    return this.change(slug, STARTING);
  };
  change(slug: string, some: Partial<Session>): Session {
    const session = { ...this.get(slug), ...some };
    this.views.set(slug, session);
    this.events.tell({ kind: 'state', session });
    return session;
  }
  tag = (slug: string, { add = [] }: TagEdit) => this.do(`tag ${add}`, slug, {});
  restart = async (slug: string) => this.do('restart', slug, STARTING);
  park = async (slug: string) => this.do('park', slug, { parked_at: new Date(clock.now()).toISOString() });
  kill = async (slug: string) => this.do('kill', slug, GONE);
  archive = (slug: string) => this.do('archive', slug, { archived_at: new Date(clock.now()).toISOString() });
  do(what: string, slug: string, becomes: Partial<Session>): Session {
    this.done.push(`${what} ${slug}`);
    return this.change(slug, becomes);
  }
  cancelDelivery = async (_: string, id: string): Promise<Delivery> => {
    for (const [key, one] of this.journal) if (one.id === id) this.journal.set(key, { ...one, status: 'cancelled' });
    return this.delivery(_, id);
  };

  send = async (session: string, { text, idempotency_key: key = '' }: Send): Promise<Delivery> => {
    const hangs = (): Promise<never> => new Promise(() => undefined);
    if (this.dies === 'before') return hangs();
    if (this.refusal !== null) throw this.refusal;
    const known = this.journal.get(key);
    if (known !== undefined) return known;
    if (this.views.get(session)?.status.primary === 'dead') throw new CatalogueError('not_accepting_text');
    const at = new Date(clock.now()).toISOString();
    const times = { created_at: at, updated_at: at };
    const delivery = { id: `d${this.journal.size}`, session, text, status: this.status, ...times, removed: 0 };
    this.journal.set(key, { ...delivery, phase: 'taken', note: null } as Delivery);
    this.typed.push(key);
    return this.dies === 'after' ? hangs() : (this.journal.get(key) as Delivery);
  };
  delivery = (_: string, id: string): Delivery => {
    const found = [...this.journal.values()].find((one) => one.id === id);
    if (found === undefined) throw new CatalogueError('no_such_delivery');
    return found;
  };
}

const { status } = someSession('X');
const STARTING: Partial<Session> = { status: { ...status, primary: null, detail: null }, cost_usd: null };
const GONE: Partial<Session> = { status: { ...status, primary: 'dead', detail: null } };
const ASKS = asking();
const SET_UP = asking({ kind: 'setup', text: 'Do you trust this folder?\n/src' });

let clock: ManualClock;
let database: Database;
let sessions: Prompted;
let scheduler: Scheduler;
beforeEach(() => {
  clock = new ManualClock(Date.UTC(2026, 0, 1, 12));
  database = openDatabase(':memory:');
  sessions = new Prompted();
  scheduler = serve();
});
afterEach(() => {
  scheduler.dispose();
  database.close();
});

function serve(): Scheduler {
  const store = createScheduleStore(database);
  const made = createScheduler({ store, sessions, clock, log: SILENT, timezone: 'Europe/Berlin', baseUrl: () => URL });
  made.start();
  return made;
}
const add = (cron: string, more: object = {}) =>
  scheduler.add({ name: 'NIGHTLY', cron, session: 'CI', prompt: 'run the tests', ...more });
const outcomes = (): string[] => scheduler.runs('NIGHTLY').map(({ outcome, reason }) => reason ?? outcome);

describe('a year', () => {
  test.each([
    ['30 2 * * *', 'skip'],
    ['15 */6 * * *', 'run'],
  ] as const)(
    'of %s in Berlin, missed: %s, with sleep and crashes: each time is run once, or recorded as skipped',
    async (cron, missed) => {
      add(cron, { missed });
      const from = clock.now();
      const end = from + 365 * DAY;
      let state = 7;
      const random = (below: number): number => {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
        return state % below;
      };
      while (clock.now() < end) {
        const what = random(20);
        if (what === 0) clock.step((1 + random(30)) * HOUR);
        else if (what === 1) {
          scheduler.dispose();
          clock.step(random(60) * HOUR);
          scheduler = serve();
        } else if (what === 2) {
          sessions.dies = random(2) === 0 ? 'after' : 'before';
          clock.advance(random(30) * HOUR);
          await turn();
          scheduler.dispose();
          sessions.dies = null;
          scheduler = serve();
        } else clock.advance((1 + random(12)) * HOUR);
        await turn();
      }
      const times = readTimes(cron, 'Europe/Berlin') as ScheduleTimes;
      const expected: string[] = [];
      for (let at = times.after(from); at !== null && at <= clock.now(); at = times.after(at))
        expected.push(new Date(at).toISOString());
      const runs = scheduler.runs('NIGHTLY');
      const kept = expected.slice(-runs.length);
      expect(runs.length).toBe(Math.min(expected.length, 1_000));
      expect(runs.map((run) => run.due_at)).toEqual(kept);
      expect(new Set(runs.map(({ outcome }) => outcome))).toEqual(new Set(['sent', 'skipped']));
      // Each text arrived once, and only for the times that were recorded as sent.
      expect(new Set(sessions.typed).size).toBe(sessions.typed.length);
      const sent = runs.filter(({ outcome }) => outcome === 'sent');
      expect(sent.map((run) => Date.parse(run.due_at))).toEqual(
        sessions.typed.map((key) => Number(key.split(':')[2])).slice(-sent.length),
      );
    },
  );
});

describe('daylight saving in Berlin', () => {
  const at = (cron: string, moment: string): string | null => {
    const next = (readTimes(cron, 'Europe/Berlin') as ScheduleTimes).after(Date.parse(moment));
    return next === null ? null : new Date(next).toISOString();
  };
  test('a time that the clock skips is later by that amount, only on that day', () => {
    expect(at('30 2 * * *', '2026-03-28T12:00:00Z')).toBe('2026-03-29T01:30:00.000Z');
    expect(at('30 2 * * *', '2026-03-29T01:30:00Z')).toBe('2026-03-30T00:30:00.000Z');
  });
  test('a time that the clock shows twice is run once', () => {
    expect(at('30 2 * * *', '2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30:00.000Z');
    expect(at('30 2 * * *', '2026-10-25T00:30:00Z')).toBe('2026-10-26T01:30:00.000Z');
  });
  test('seven in the morning is seven, in summer and winter', () => {
    expect(at('0 7 * * 1-5', '2026-07-01T12:00:00Z')).toBe('2026-07-02T05:00:00.000Z');
    expect(at('0 7 * * 1-5', '2026-11-20T12:00:00Z')).toBe('2026-11-23T06:00:00.000Z');
  });
});

test('a run is at most a minute late, otherwise it is missed', () => {
  const times = readTimes('0 * * * *', 'UTC') as ScheduleTimes;
  const timed = { missed: 'skip', isPaused: false, decidedUntil: 0 } as const;
  expect(decideDue(timed, times, HOUR + 60_000)).toEqual([{ dueAt: HOUR, skipped: null }]);
  expect(decideDue(timed, times, HOUR + 60_001)).toEqual([{ dueAt: HOUR, skipped: 'missed' }]);
  const three = decideDue({ ...timed, missed: 'run' }, times, 3 * HOUR + 60_001);
  expect(three.map(({ skipped }) => skipped)).toEqual(['missed', 'missed', null]);
  expect(decideDue(timed, times, 100 * DAY)).toHaveLength(LOOK_BACK_MS / HOUR);
});

test('while the previous prompt still waits, a run is skipped', async () => {
  add('0 * * * *');
  sessions.status = 'queued';
  clock.advance(2 * HOUR);
  await turn();
  for (const [key, one] of sessions.journal) sessions.journal.set(key, { ...one, status: 'delivered' });
  sessions.status = 'delivered';
  clock.advance(HOUR);
  await turn();
  expect(outcomes()).toEqual(['sent', 'overlapping', 'sent']);
});

test('a pause is recorded, and the runs during the pause are not made up for', async () => {
  add('0 * * * *', { missed: 'run' });
  expect(scheduler.pause('NIGHTLY', true)).toMatchObject({ paused: true, next_at: null });
  clock.advance(3 * HOUR);
  expect(scheduler.pause('NIGHTLY', false).next_at).toBe(new Date(clock.now() + HOUR).toISOString());
  clock.advance(HOUR);
  await turn();
  expect(outcomes()).toEqual(['paused', 'paused', 'paused', 'sent']);
});

test('a run by hand happens at once, in addition to its times; a dialog refuses it, and for a deleted session it fails', async () => {
  add('0 * * * *');
  expect(await scheduler.run('NIGHTLY')).toMatchObject({ outcome: 'sent', by_hand: true, delivery_id: 'd0' });
  sessions.refusal = new CatalogueError('not_accepting_text');
  clock.advance(HOUR);
  await turn();
  sessions.list = [];
  clock.advance(HOUR);
  await turn();
  expect(outcomes()).toEqual(['sent', 'refused', 'failed']);
  expect(scheduler.list()).toMatchObject([{ session: null, last_run: { error: 'its session was deleted' } }]);
});

test('a clock that is set back runs nothing twice', async () => {
  add('0 * * * *');
  clock.advance(HOUR);
  await turn();
  clock.step(-2 * HOUR);
  for (let hour = 0; hour < 3; hour += 1) {
    clock.advance(HOUR);
    await turn();
  }
  const times = scheduler.runs('NIGHTLY').map(({ due_at }) => due_at.slice(11, 16));
  expect(times).toEqual(['13:00', '12:00', '14:00']);
  expect(outcomes()).toEqual(['sent', 'sent', 'sent']);
  expect(sessions.typed).toHaveLength(3);
});

test.each([
  ['* * * *', 'invalid_schedule'],
  ['*/5 * * * * *', 'invalid_schedule'],
  ['61 * * * *', 'invalid_schedule'],
  ['at seven', 'invalid_schedule'],
  ['0 0 31 2 *', 'invalid_schedule'],
])('the pattern %s is refused', (cron, code) => {
  expect(() => add(cron)).toThrow(expect.objectContaining({ code }));
  expect(scheduler.list()).toEqual([]);
});

test.each([
  ['61 7 * * *', 'the minute "61" is out of range, which is 0-59'],
  ['0 25 * * *', 'the hour "25" is out of range, which is 0-23'],
  ['0 7 32 * *', 'the day of the month "32" is out of range, which is 1-31'],
  ['0 7 * 1,13 *', 'the month "1,13" is out of range, which is 1-12'],
  ['0 7 * * 8', 'the day of the week "8" is out of range, which is 0-7'],
])('the pattern %s is refused, and the error names the field', (cron, said) => {
  expect(() => add(cron)).toThrow(`${cron}: ${said}`);
});

test('an unknown zone or session, a command and a name that is taken are refused', () => {
  expect(() => add('0 * * * *', { timezone: 'Mars/Base' })).toThrow(
    expect.objectContaining({ code: 'invalid_schedule' }),
  );
  expect(() => add('0 * * * *', { session: 'NONE' })).toThrow(expect.objectContaining({ code: 'no_such_session' }));
  expect(() => add('0 * * * *', { prompt: '/clear' })).toThrow(expect.objectContaining({ code: 'command_prefix' }));
  add('0 * * * *');
  expect(() => add('0 * * * *')).toThrow(expect.objectContaining({ code: 'schedule_taken' }));
  expect(() => scheduler.remove('OTHER')).toThrow(expect.objectContaining({ code: 'no_such_schedule' }));
});

test('a change applies from now on: past times follow the old pattern, and a run that a killed server had begun sends the old text once', async () => {
  add('0 * * * *', { missed: 'run' });
  sessions.dies = 'before';
  clock.advance(HOUR);
  await turn();
  const told: number[] = [];
  scheduler.onChange(() => told.push(told.length));
  expect(scheduler.change('NIGHTLY', { cron: '30 * * * *', prompt: 'run all tests' })).toMatchObject({
    ...{ cron: '30 * * * *', timezone: 'Europe/Berlin', session: 'CI', prompt: 'run all tests', missed: 'run' },
    next_at: new Date(clock.now() + HOUR / 2).toISOString(),
  });
  expect(told).not.toEqual([]);
  scheduler.dispose();
  sessions.dies = null;
  scheduler = serve();
  await turn();
  expect([...sessions.journal.values()].map(({ text }) => text)).toEqual(['run the tests']);
  clock.advance(HOUR / 2);
  await turn();
  expect([...sessions.journal.values()].map(({ text }) => text)).toEqual(['run the tests', 'run all tests']);
  expect(outcomes()).toEqual(['sent', 'sent']);
});

test('an invalid change changes nothing', () => {
  const before = add('0 * * * *');
  const refused = (request: object, code: string): void =>
    expect(() => scheduler.change('NIGHTLY', request)).toThrow(expect.objectContaining({ code }));
  refused({ cron: '61 * * * *', prompt: 'x' }, 'invalid_schedule');
  refused({ timezone: 'Mars/Base' }, 'invalid_schedule');
  refused({ session: 'NONE', missed: 'run' }, 'no_such_session');
  refused({ prompt: '!ls' }, 'command_prefix');
  expect(scheduler.list()).toEqual([before]);
  expect(() => scheduler.change('OTHER', {})).toThrow(expect.objectContaining({ code: 'no_such_schedule' }));
});

test('the next five times of a pattern are shown before anything is saved, even when daylight saving begins', () => {
  clock.step(Date.parse('2026-10-23T12:00:00Z') - clock.now());
  expect(scheduler.times('30 2 * * *', undefined)).toEqual({
    timezone: 'Europe/Berlin',
    times: ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30', '2026-10-27T01:30', '2026-10-28T01:30'].map(
      (at) => `${at}:00.000Z`,
    ),
  });
  expect(() => scheduler.times('at seven', undefined)).toThrow(expect.objectContaining({ code: 'invalid_schedule' }));
  expect(scheduler.list()).toEqual([]);
});

test('a run names the session that got its prompt, how far the prompt has got and when it was taken', async () => {
  add('0 * * * *');
  sessions.status = 'queued';
  clock.advance(HOUR);
  await turn();
  const [run] = scheduler.runs('NIGHTLY');
  expect(run).toMatchObject({ session: 'CI', delivery_id: 'd0', delivery_status: 'queued', taken_at: null });
  const taken = new Date(clock.now() + 5_000).toISOString();
  for (const [key, one] of sessions.journal)
    sessions.journal.set(key, { ...one, status: 'delivered', updated_at: taken });
  sessions.list = [{ id: 'id-CI', name: 'RENAMED' }];
  expect(scheduler.runs('NIGHTLY')).toMatchObject([
    { session: 'RENAMED', delivery_status: 'delivered', taken_at: taken },
  ]);
  sessions.list = [];
  expect(scheduler.runs('NIGHTLY')).toMatchObject([{ session: null, delivery_id: 'd0', delivery_status: null }]);
});

describe('a new session for each run', () => {
  const launch = (more: object = {}, schedule: object = {}) =>
    scheduler.add({
      ...{ name: 'NIGHTLY', cron: '0 * * * *', prompt: 'run the tests' },
      launch: { name: 'NIGHTLY', path: '/', model: 'opus', tags: ['night'], worktree: {}, ...more },
      ...schedule,
    });
  const hour = async (): Promise<void> => {
    clock.advance(HOUR);
    for (let turns = 0; turns < 8; turns += 1) await turn();
  };
  const names = (): string[] => sessions.created.map(({ slug }) => slug);

  test('is launched as the schedule describes, gets the prompt, and the next one has the next number', async () => {
    expect(launch()).toMatchObject({ session: null, launch: { name: 'NIGHTLY', path: '/', tags: ['night'] } });
    await hour();
    expect(sessions.created).toEqual([{ slug: 'NIGHTLY-1', path: '/', model: 'opus', tags: ['night'], worktree: {} }]);
    sessions.change('NIGHTLY-1', { ...DONE, cost_usd: 0.42 });
    await hour();
    expect(names()).toEqual(['NIGHTLY-1', 'NIGHTLY-2']);
    expect(scheduler.runs('NIGHTLY')).toMatchObject([
      { outcome: 'sent', session: 'NIGHTLY-1', delivery_id: 'd0', cost_usd: 0.42 },
      { outcome: 'sent', session: 'NIGHTLY-2', delivery_id: 'd1', cost_usd: null },
    ]);
  });

  test('is not launched while the previous one works or asks, unless the schedule allows it', async () => {
    launch();
    await hour();
    sessions.change('NIGHTLY-1', ASKS);
    await hour();
    sessions.change('NIGHTLY-1', DONE);
    await hour();
    expect(outcomes()).toEqual(['sent', 'working', 'sent']);
    scheduler.change('NIGHTLY', { launch: { name: 'NIGHTLY', path: '/', overlap: 'launch' } });
    await hour();
    expect(names()).toEqual(['NIGHTLY-1', 'NIGHTLY-2', 'NIGHTLY-3']);
  });

  test.each(['launched', 'before', 'after'] as const)(
    'is launched once, and prompted once, if the server dies (%s)',
    async (dies) => {
      launch();
      sessions.dies = dies;
      await hour();
      scheduler.dispose();
      sessions.dies = null;
      scheduler = serve();
      for (let turns = 0; turns < 8; turns += 1) await turn();
      expect(names()).toEqual(['NIGHTLY-1']);
      expect(sessions.typed).toHaveLength(1);
      expect(scheduler.runs('NIGHTLY')).toMatchObject([{ outcome: 'sent', session: 'NIGHTLY-1' }]);
    },
  );

  test('that ended together with the server is started again only if it never got the prompt', async () => {
    launch();
    sessions.dies = 'launched';
    await hour();
    scheduler.dispose();
    sessions.change('NIGHTLY-1', GONE);
    sessions.dies = null;
    scheduler = serve();
    for (let turns = 0; turns < 8; turns += 1) await turn();
    expect(sessions.done).toEqual(['tag night NIGHTLY-1', 'restart NIGHTLY-1']);
    expect(sessions.typed).toHaveLength(1);
    sessions.change('NIGHTLY-1', DONE);
    sessions.dies = 'after';
    await hour();
    scheduler.dispose();
    sessions.change('NIGHTLY-2', GONE);
    sessions.dies = null;
    scheduler = serve();
    for (let turns = 0; turns < 8; turns += 1) await turn();
    expect(sessions.done.slice(2)).toEqual(['tag night NIGHTLY-2']);
    expect(names()).toEqual(['NIGHTLY-1', 'NIGHTLY-2']);
  });

  test('that cannot be launched is an outcome: the folder is gone, a budget is reached', async () => {
    launch();
    sessions.launchRefusal = new CatalogueError('no_such_path', 'The directory "/x" does not exist');
    await hour();
    sessions.launchRefusal = null;
    sessions.budget = 'night';
    await hour();
    sessions.budget = null;
    await hour();
    expect(scheduler.runs('NIGHTLY')).toMatchObject([
      { outcome: 'failed', error: 'The directory "/x" does not exist', session: null },
      { outcome: 'skipped', reason: 'over_budget' },
      { outcome: 'sent' },
    ]);
    expect(names()).toHaveLength(1);
  });

  test('that asks whether the folder is trusted does not get its prompt later, and no other session is launched', async () => {
    launch();
    sessions.status = 'queued';
    await hour();
    sessions.change('NIGHTLY-1', SET_UP);
    for (let turns = 0; turns < 4; turns += 1) await turn();
    expect(scheduler.runs('NIGHTLY')).toMatchObject([
      { outcome: 'skipped', reason: 'refused', session: 'NIGHTLY-1', delivery_status: 'cancelled' },
    ]);
    await hour();
    expect(outcomes()).toEqual(['refused', 'working']);
    expect(names()).toEqual(['NIGHTLY-1']);
  });

  test('beyond the number that is kept is parked and archived if it is done, and otherwise left', async () => {
    launch({ keep: 2, overlap: 'launch' });
    await hour();
    sessions.change('NIGHTLY-1', DONE);
    await hour();
    sessions.change('NIGHTLY-2', ASKS);
    await hour();
    expect(sessions.done).toEqual(['park NIGHTLY-1', 'archive NIGHTLY-1']);
    sessions.change('NIGHTLY-3', DONE);
    await hour();
    expect(sessions.done).toHaveLength(2);
    sessions.change('NIGHTLY-2', GONE);
    await hour();
    expect(sessions.done.slice(2)).toEqual(['archive NIGHTLY-2', 'park NIGHTLY-3', 'archive NIGHTLY-3']);
  });

  test('needs a folder that exists, and a name that is not in use', async () => {
    expect(() => launch({ path: '/none' })).toThrow(expect.objectContaining({ code: 'no_such_path' }));
    expect(() => launch({ path: 'relative' })).toThrow(expect.objectContaining({ code: 'no_such_path' }));
    sessions.list = [...sessions.list, { id: 'x', name: 'NIGHTLY-1' }];
    launch();
    await hour();
    expect(names()).toEqual(['NIGHTLY-2']);
  });
});
