import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { partsByDay, spentAs } from '../../../src/core/history/index.ts';

const HOUR = 3_600_000;
const before = process.env.TZ;
beforeEach(() => {
  process.env.TZ = 'Europe/Berlin';
});
afterEach(() => {
  if (before === undefined) delete process.env.TZ;
  else process.env.TZ = before;
});

describe('a span of time by days', () => {
  test('is split at midnight of the machine, not of UTC', () => {
    expect(partsByDay(Date.parse('2026-11-20T22:30:00Z'), Date.parse('2026-11-22T00:00:00Z'))).toEqual([
      { day: '2026-11-20', ms: 0.5 * HOUR },
      { day: '2026-11-21', ms: 24 * HOUR },
      { day: '2026-11-22', ms: 1 * HOUR },
    ]);
  });

  test('has days of 23 and 25 hours when the clock changes', () => {
    const whole = (day: string, next: string): number[] =>
      partsByDay(new Date(`${day}T00:00:00`).getTime(), new Date(`${next}T00:00:00`).getTime()).map(
        ({ ms }) => ms / HOUR,
      );
    expect(whole('2026-03-29', '2026-03-30')).toEqual([23]);
    expect(whole('2026-10-25', '2026-10-26')).toEqual([25]);
  });

  test.each([
    ['Europe/Berlin', '2026-03-29', 23],
    ['Europe/Berlin', '2026-10-25', 25],
    ['America/New_York', '2026-03-08', 23],
    ['America/New_York', '2026-11-01', 25],
    // This shift is half an hour, in the southern hemisphere.
    ['Australia/Lord_Howe', '2026-10-04', 23.5],
    ['Australia/Lord_Howe', '2026-04-05', 24.5],
    // This shift is at midnight: one day begins at one o'clock, and another has its last hour twice.
    ['Africa/Cairo', '2026-04-24', 23],
    ['Africa/Cairo', '2026-10-29', 25],
  ])('in %s, the %s has %d hours, counted in pieces or at once', (zone, day, hours) => {
    process.env.TZ = zone;
    const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
    const from = new Date(year, month - 1, date - 1).getTime();
    const to = new Date(year, month - 1, date + 2).getTime();
    const sums = new Map<string, number>();
    for (let at = from; at < to; at += 61_000) {
      for (const part of partsByDay(at, Math.min(to, at + 61_000))) {
        sums.set(part.day, (sums.get(part.day) ?? 0) + part.ms);
      }
    }
    expect([...sums.values()].map((ms) => ms / HOUR)).toEqual([24, hours, 24]);
    expect(partsByDay(from, to).map((part) => [part.day, part.ms])).toEqual([...sums]);
  });

  test('that is empty, or runs backwards, has no days', () => {
    expect(partsByDay(5, 5)).toEqual([]);
    expect(partsByDay(10, 5)).toEqual([]);
  });
});

test.each([
  ['active', 'working', 'ALIVE', 'worked'],
  ['active', 'thinking', 'RECOVERED', 'worked'],
  ['stuck', 'working', 'STUCK', 'stuck'],
  ['waiting', 'waiting', 'ALIVE', 'waited'],
  ['idle', 'waiting', 'ALIVE', 'waited'],
  ['idle', 'idle', 'ALIVE', 'idle'],
  ['idle', 'error', 'ALIVE', 'error'],
  ['dead', 'dead', 'DEAD', null],
  [null, 'unknown', 'ALIVE', null],
] as const)('%s with the state %s (%s) is time %s: %s', (primary, state, health, expected) => {
  expect(spentAs({ primary, state, health })).toBe(expected);
});
