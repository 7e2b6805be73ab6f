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
  test('is cut at the midnights of the machine, not of UTC', () => {
    expect(partsByDay(Date.parse('2026-11-20T22:30:00Z'), Date.parse('2026-11-22T00:00:00Z'))).toEqual([
      { day: '2026-11-20', ms: 0.5 * HOUR },
      { day: '2026-11-21', ms: 24 * HOUR },
      { day: '2026-11-22', ms: 1 * HOUR },
    ]);
  });

  test('has days of 23 and 25 hours where the clock is changed', () => {
    const whole = (day: string, next: string): number[] =>
      partsByDay(new Date(`${day}T00:00:00`).getTime(), new Date(`${next}T00:00:00`).getTime()).map(
        ({ ms }) => ms / HOUR,
      );
    expect(whole('2026-03-29', '2026-03-30')).toEqual([23]);
    expect(whole('2026-10-25', '2026-10-26')).toEqual([25]);
  });

  test('that is empty, or runs backwards, has none', () => {
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
