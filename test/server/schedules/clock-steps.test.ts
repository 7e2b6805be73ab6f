import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decidedUntil } from '../../../src/core/schedules/due.ts';
import { readTimes, type ScheduleTimes } from '../../../src/core/schedules/times.ts';
import { type Database, openDatabase } from '../../../src/platform/sqlite/database.ts';
import { createScheduleStore } from '../../../src/platform/sqlite/schedule-store.ts';
import { createScheduler, type Scheduler, type SchedulerOptions } from '../../../src/server/schedules/scheduler.ts';
import { ManualClock } from '../../harness/manual-clock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOON = Date.UTC(2026, 0, 1, 12);
const nothing = (): void => undefined;
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let clock: ManualClock;
let database: Database;
let scheduler: Scheduler;
/** The keys of the prompts that were typed. They outlive the server. */
let typed: string[];
beforeEach(() => {
  clock = new ManualClock(NOON);
  database = openDatabase(':memory:');
  typed = [];
  scheduler = serve();
});
afterEach(() => {
  scheduler.dispose();
  database.close();
});

function serve(): Scheduler {
  // The few methods that a run in an existing session uses.
  const sessions = {
    named: () => [{ id: 'id-CI', name: 'CI' }],
    delivery: (_: string, id: string) => ({ id, status: 'delivered', updated_at: '' }),
    onEvent: () => nothing,
    send: async (_: string, { idempotency_key: key = '' }: { idempotency_key?: string }) => {
      if (!typed.includes(key)) typed.push(key);
      return { id: key };
    },
  } as unknown as SchedulerOptions['sessions'];
  const store = createScheduleStore(database);
  const made = createScheduler({ store, sessions, clock, log: SILENT, timezone: 'UTC', baseUrl: () => 'http://x' });
  made.start();
  return made;
}

const add = (cron: string, more: object = {}) =>
  scheduler.add({ name: 'NIGHTLY', cron, session: 'CI', prompt: 'run the tests', ...more });
/** The runs as `2026-01-01T13:00 sent`. */
const runs = (): string[] =>
  scheduler.runs('NIGHTLY').map((run) => `${run.due_at.slice(0, 16)} ${run.reason ?? run.outcome}`);
const label = (at: number): string => new Date(at).toISOString().slice(0, 16);

/** Lets time pass in steps that are short enough for each run to end before the next. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= MINUTE) {
    clock.advance(Math.min(left, MINUTE));
    await turn();
  }
}

/** The ways in which a clock is set: while a server runs, between two servers, and together with a reboot. */
const WAYS = {
  'while the server runs': (byMs: number) => clock.step(byMs),
  'while no server runs': (byMs: number) => {
    scheduler.dispose();
    clock.step(byMs);
    scheduler = serve();
  },
  'while the machine reboots': (byMs: number) => {
    scheduler.dispose();
    clock.step(byMs);
    clock.boot += ' again';
    scheduler = serve();
  },
  'before an update to this version': (byMs: number) => {
    scheduler.dispose();
    clock.step(byMs);
    database.exec("UPDATE schedules SET decided_boot = '', decided_offset_ms = 0");
    scheduler = serve();
  },
};

describe.each(Object.entries(WAYS))('a clock that is set back %s', (_, setClock) => {
  test.each([
    ['3 hours', 3 * HOUR],
    ['40 days', 40 * DAY],
    ['73 years', 73 * 365 * DAY],
    ['10 minutes', 10 * MINUTE],
  ])('by %s: a schedule that was added before is run from the right time on', async (_by, byMs) => {
    clock.step(byMs);
    const { next_at: late } = add('*/2 * * * *');
    expect(late).toBe(new Date(NOON + byMs + 2 * MINUTE).toISOString());
    setClock(-byMs);
    expect(scheduler.list()).toMatchObject([{ next_at: new Date(NOON + 2 * MINUTE).toISOString() }]);
    await pass(6 * MINUTE);
    expect(runs()).toEqual([2, 4, 6].map((minute) => `${label(NOON + minute * MINUTE)} sent`));
    expect(typed).toHaveLength(3);
  });

  test('a time that has been run, or recorded as skipped, does not come again, and those before it do', async () => {
    clock.step(3 * HOUR);
    add('0 * * * *');
    await pass(HOUR);
    clock.step(2 * HOUR);
    await turn();
    expect(runs()).toEqual(['2026-01-01T16:00 sent', '2026-01-01T17:00 missed', '2026-01-01T18:00 sent']);
    setClock(-6 * HOUR);
    expect(label(clock.now())).toBe('2026-01-01T12:00');
    await pass(8 * HOUR);
    expect(runs().slice(3)).toEqual(['13', '14', '15', '19', '20'].map((hour) => `2026-01-01T${hour}:00 sent`));
    expect(typed).toHaveLength(7);
  });
});

test('a time that passes between a decision and a clock set back is recorded as missed, and made up for if asked', async () => {
  clock.step(3 * HOUR + 30 * MINUTE);
  add('0 * * * *', { missed: 'run' });
  scheduler.dispose();
  await pass(5 * HOUR);
  clock.step(-3 * HOUR - 30 * MINUTE);
  scheduler = serve();
  await turn();
  // It was really 12:00 when the schedule was added, and no server ran from then until 17:00.
  expect(runs()).toEqual([
    ...['13', '14', '15', '16'].map((hour) => `2026-01-01T${hour}:00 missed`),
    '2026-01-01T17:00 sent',
  ]);
});

test('a changed pattern, too, is run from the right time on, and the last run is the one that was run last', async () => {
  add('0 * * * *');
  clock.step(3 * HOUR);
  await turn();
  scheduler.change('NIGHTLY', { cron: '30 * * * *' });
  clock.step(-3 * HOUR);
  await pass(HOUR);
  expect(runs().at(-1)).toBe('2026-01-01T12:30 sent');
  expect(scheduler.list()).toMatchObject([
    { last_run: { due_at: '2026-01-01T12:30:00.000Z' }, next_at: '2026-01-01T13:30:00.000Z' },
  ]);
});

test('the runs on record are those that were decided last, also if the clock was set back', async () => {
  clock.step(30 * DAY);
  add('* * * * *');
  clock.step(2 * DAY);
  await turn();
  clock.step(-32 * DAY);
  await pass(3 * MINUTE);
  expect(runs().slice(-3)).toEqual([1, 2, 3].map((minute) => `${label(NOON + minute * MINUTE)} sent`));
  expect(runs()).toHaveLength(1_000);
});

test('a clock that is set back and forth at random: each time since the schedule was added is on record, and none ran twice', async () => {
  clock.step(6 * HOUR);
  add('0 */2 * * *', { missed: 'run' });
  clock.step(-6 * HOUR);
  let state = 11;
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
  const ways = Object.values(WAYS).slice(0, 3);
  let latest = NOON;
  for (let round = 0; round < 200; round += 1) {
    // Each time that the clock has ever passed is decided. Steps back do not lead further back than the schedule.
    await pass(random(5) * 30 * MINUTE);
    latest = Math.max(latest, clock.now());
    const byMs = (random(600) - 250) * MINUTE + random(1_000);
    if (clock.now() + byMs > NOON) ways[random(ways.length)]?.(byMs);
    await turn();
    latest = Math.max(latest, clock.now());
  }
  const times = readTimes('0 */2 * * *', 'UTC') as ScheduleTimes;
  const expected: string[] = [];
  for (let at = times.after(NOON); at !== null && at <= latest; at = times.after(at))
    expected.push(new Date(at).toISOString());
  const recorded = scheduler.runs('NIGHTLY').map(({ due_at }) => due_at);
  expect(recorded.sort()).toEqual(expected);
  expect(expected.length).toBeGreaterThan(100);
  const sent = scheduler.runs('NIGHTLY').filter(({ outcome }) => outcome === 'sent');
  expect(typed).toEqual(sent.map(({ delivery_id }) => delivery_id));
});

test('a clock that was set forward has passed the times in between', () => {
  const last = { decidedUntil: NOON, decidedClock: { boot: 'a', offset_ms: 0 } };
  const setting = (offset_ms: number, boot = 'a') => ({ boot, offset_ms });
  expect(decidedUntil(last, { now: NOON + 4 * HOUR, setting: setting(3 * HOUR) })).toBe(NOON);
  expect(decidedUntil(last, { now: NOON + HOUR, setting: setting(-3 * HOUR) })).toBe(NOON - 3 * HOUR);
  expect(decidedUntil(last, { now: NOON + HOUR, setting: setting(-3 * HOUR, 'b') })).toBe(NOON);
  expect(decidedUntil(last, { now: NOON - HOUR, setting: setting(0, 'b') })).toBe(NOON - HOUR);
});
