import { afterEach, beforeEach, expect, test } from 'vitest';
import { localDay } from '../../src/core/history/index.ts';
import { type Database, openDatabase } from '../../src/platform/sqlite/database.ts';
import { createDayStore, type DayStore } from '../../src/platform/sqlite/day-store.ts';
import { COUNT_EVERY_MS, createTimeSpent, type TimeSpent } from '../../src/server/session/time-spent.ts';
import { ManualClock } from '../harness/manual-clock.ts';

const NOON = new Date(2026, 10, 20, 12).getTime();
const HOUR = 3_600_000;

let database: Database;
let days: DayStore;
let clock: ManualClock;
beforeEach(() => {
  database = openDatabase(':memory:');
  // The row of the session itself is not needed here.
  database.exec('PRAGMA foreign_keys = OFF');
  days = createDayStore(database);
  clock = new ManualClock(NOON);
});
afterEach(() => database.close());

const open = (): TimeSpent => createTimeSpent({ clock, days, write: (work) => work(), sessionId: 'id-1' });

/** Lets time pass as in a running server, which counts the time every minute. */
function pass(time: TimeSpent, ms: number): void {
  for (let left = ms; left > 0; left -= COUNT_EVERY_MS) {
    clock.advance(Math.min(left, COUNT_EVERY_MS));
    time.count();
  }
}

const read = () => days.read(null, null).map(({ day, worked_ms, waited_ms }) => ({ day, worked_ms, waited_ms }));

test('a day contains what the session did in it, and a turn across midnight is in both', () => {
  const time = open();
  time.change('worked');
  pass(time, 13 * HOUR + 5_000);
  time.change('waited');
  pass(time, 2 * HOUR);
  expect(read()).toEqual([
    { day: localDay(NOON), worked_ms: 12 * HOUR, waited_ms: 0 },
    { day: localDay(NOON + 24 * HOUR), worked_ms: 1 * HOUR + 5_000, waited_ms: 2 * HOUR },
  ]);
});

test('what a session did while no server ran is unknown, and what it did before the kill is counted', () => {
  const first = open();
  first.change('worked');
  pass(first, HOUR);
  clock.advance(30_000);
  // The server is killed half a minute after the last count and started again hours later. The session still works
  // then.
  clock.advance(5 * HOUR);
  const second = open();
  second.change('worked');
  pass(second, HOUR);
  expect(read()).toEqual([{ day: localDay(NOON), worked_ms: 2 * HOUR, waited_ms: 0 }]);
});

test('time during which the machine slept is unknown', () => {
  const time = open();
  time.change('worked');
  pass(time, HOUR);
  clock.advance(8 * HOUR);
  time.change('waited');
  pass(time, HOUR);
  expect(read()).toEqual([{ day: localDay(NOON), worked_ms: HOUR, waited_ms: HOUR }]);
});

test('a dead session spends no time', () => {
  const time = open();
  time.change('worked');
  pass(time, HOUR);
  time.change(null);
  pass(time, HOUR);
  expect(read()).toEqual([{ day: localDay(NOON), worked_ms: HOUR, waited_ms: 0 }]);
});

test('only days since a given one are read, and only of one session', () => {
  for (const day of ['2026-11-01', '2026-11-02', '2026-11-03']) {
    days.add('id-1', day, 'idle', 5);
    days.add('id-2', day, 'stuck', 7);
  }
  expect(days.read('id-2', '2026-11-02').map(({ day, stuck_ms }) => [day, stuck_ms])).toEqual([
    ['2026-11-02', 7],
    ['2026-11-03', 7],
  ]);
});
