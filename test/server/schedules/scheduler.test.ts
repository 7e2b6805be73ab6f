import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decideDue, LOOK_BACK_MS } from '../../../src/core/schedules/due.ts';
import { readTimes, type ScheduleTimes } from '../../../src/core/schedules/times.ts';
import { type Database, openDatabase } from '../../../src/platform/sqlite/database.ts';
import { createScheduleStore } from '../../../src/platform/sqlite/schedule-store.ts';
import { CatalogueError, type Delivery, type Send } from '../../../src/protocol/index.ts';
import { createScheduler, type ScheduledSessions, type Scheduler } from '../../../src/server/schedules/scheduler.ts';
import { ManualClock } from '../../harness/manual-clock.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const nothing = (): void => undefined;
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Sessions in memory; their journal outlives the server. */
class Prompted implements ScheduledSessions {
  list = [{ id: 'id-CI', name: 'CI' }];
  journal = new Map<string, Delivery>();
  typed: string[] = [];
  status: Delivery['status'] = 'delivered';
  refusal: Error | null = null;
  /** whether the server dies once the text is written down, or before */
  dies: 'after' | 'before' | null = null;

  named = () => this.list;
  send = async (session: string, { text, idempotency_key: key = '' }: Send): Promise<Delivery> => {
    const hangs = (): Promise<never> => new Promise(() => undefined);
    if (this.dies === 'before') return hangs();
    if (this.refusal !== null) throw this.refusal;
    const known = this.journal.get(key);
    if (known !== undefined) return known;
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
  const made = createScheduler({ store, sessions, clock, log: SILENT, timezone: 'Europe/Berlin' });
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
      // Each text arrived once, and for exactly the times that say so.
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
  test('a time that the clock skips comes as much later, that day only', () => {
    expect(at('30 2 * * *', '2026-03-28T12:00:00Z')).toBe('2026-03-29T01:30:00.000Z');
    expect(at('30 2 * * *', '2026-03-29T01:30:00Z')).toBe('2026-03-30T00:30:00.000Z');
  });
  test('a time that the clock shows twice comes once', () => {
    expect(at('30 2 * * *', '2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30:00.000Z');
    expect(at('30 2 * * *', '2026-10-25T00:30:00Z')).toBe('2026-10-26T01:30:00.000Z');
  });
  test('seven in the morning is seven, in summer and winter', () => {
    expect(at('0 7 * * 1-5', '2026-07-01T12:00:00Z')).toBe('2026-07-02T05:00:00.000Z');
    expect(at('0 7 * * 1-5', '2026-11-20T12:00:00Z')).toBe('2026-11-23T06:00:00.000Z');
  });
});

test('a time is late by a minute at most, else it is missed', () => {
  const times = readTimes('0 * * * *', 'UTC') as ScheduleTimes;
  const timed = { missed: 'skip', isPaused: false, decidedUntil: 0 } as const;
  expect(decideDue(timed, times, HOUR + 60_000)).toEqual([{ dueAt: HOUR, skipped: null }]);
  expect(decideDue(timed, times, HOUR + 60_001)).toEqual([{ dueAt: HOUR, skipped: 'missed' }]);
  const three = decideDue({ ...timed, missed: 'run' }, times, 3 * HOUR + 60_001);
  expect(three.map(({ skipped }) => skipped)).toEqual(['missed', 'missed', null]);
  expect(decideDue(timed, times, 100 * DAY)).toHaveLength(LOOK_BACK_MS / HOUR);
});

test('while the prompt before still waits, a run is skipped', async () => {
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

test('a pause is recorded, and what was paused is not made up for', async () => {
  add('0 * * * *', { missed: 'run' });
  expect(scheduler.pause('NIGHTLY', true)).toMatchObject({ paused: true, next_at: null });
  clock.advance(3 * HOUR);
  expect(scheduler.pause('NIGHTLY', false).next_at).toBe(new Date(clock.now() + HOUR).toISOString());
  clock.advance(HOUR);
  await turn();
  expect(outcomes()).toEqual(['paused', 'paused', 'paused', 'sent']);
});

test('by hand it runs at once, beside its times; a dialog refuses it, and a deleted session fails', async () => {
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
  await turn();
  clock.advance(3 * HOUR);
  await turn();
  expect(outcomes()).toEqual(['sent', 'sent']);
  expect(sessions.typed).toHaveLength(2);
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
