import { describe, expect, test } from 'vitest';
import { due, type Rules, retryDelay } from '../../../src/core/sinks/due.ts';
import { type QuietHours, readQuiet } from '../../../src/core/sinks/quiet.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const RULES: Rules = { afterMs: 15_000, awayMs: 60_000, quiet: null };
const OPEN = { openedAt: NOW - HOUR, retryAt: null };

describe('a question is sent', () => {
  test.each([
    ['once it has been open long enough', { openedAt: NOW - 15_000 }, {}, { kind: 'send' }],
    ['but not before', { openedAt: NOW - 14_999 }, {}, { kind: 'wait', until: NOW + 1, because: 'new' }],
    [
      'not while somebody is at the desk',
      {},
      { lookedMsAgo: 59_000 },
      { kind: 'wait', until: NOW + 1_000, because: 'desk' },
    ],
    ['but only once they are away', {}, { lookedMsAgo: 60_000 }, { kind: 'send' }],
    [
      'not before the next attempt',
      { retryAt: NOW + 5_000 },
      {},
      { kind: 'wait', until: NOW + 5_000, because: 'retry' },
    ],
    [
      'when the clock was set back: after its time, no later',
      { openedAt: NOW + HOUR },
      {},
      { kind: 'wait', until: NOW + 15_000, because: 'new' },
    ],
    [
      'when the clock was set back: after the longest delay',
      { retryAt: NOW + HOUR },
      {},
      { kind: 'wait', until: NOW + 5 * MINUTE, because: 'retry' },
    ],
    [
      'by the rule with the longest delay',
      { openedAt: NOW, retryAt: NOW + 20_000 },
      { lookedMsAgo: 0 },
      { kind: 'wait', until: NOW + MINUTE, because: 'desk' },
    ],
  ])('%s', (_, message, moment, expected) => {
    expect(due({ ...OPEN, ...message }, RULES, { now: NOW, lookedMsAgo: null, ...moment })).toEqual(expected);
  });

  test('not during quiet hours, but when they end', () => {
    const quiet: QuietHours = { endAfter: () => NOW + HOUR };
    expect(due(OPEN, { ...RULES, quiet }, { now: NOW, lookedMsAgo: null })).toEqual({
      kind: 'wait',
      until: NOW + HOUR,
      because: 'quiet',
    });
  });
});

test('attempts become less frequent, and wait as long as the server requests', () => {
  expect([1, 2, 3, 8, 9, 50].map((attempts) => retryDelay(attempts, null))).toEqual([
    2_000, 4_000, 8_000, 256_000, 300_000, 300_000,
  ]);
  expect([retryDelay(1, 30_000), retryDelay(1, 1), retryDelay(1, 86_400_000)]).toEqual([30_000, 2_000, 900_000]);
});

describe('quiet hours', () => {
  const hours = (text: string, zone = 'Europe/Berlin'): QuietHours => {
    const read = readQuiet(text, zone);
    if (typeof read === 'string') throw new Error(read);
    return read;
  };
  const endAfter = (quiet: QuietHours, at: string): string | null => {
    const end = quiet.endAfter(Date.parse(at));
    return end === null ? null : new Date(end).toISOString();
  };

  test.each([
    ['over midnight', '22:00-07:00', '2026-11-20T22:30+01:00', '2026-11-21T06:00:00.000Z'],
    ['from their first minute', '22:00-07:00', '2026-11-20T22:00+01:00', '2026-11-21T06:00:00.000Z'],
    ['in the morning', '22:00-07:00', '2026-11-20T06:59+01:00', '2026-11-20T06:00:00.000Z'],
    ['within a day', '12:00-13:00', '2026-11-20T12:30+01:00', '2026-11-20T12:00:00.000Z'],
    ['an hour less when clocks are set forward', '22:00-07:00', '2026-03-29T01:30+01:00', '2026-03-29T05:00:00.000Z'],
    ['an hour more when clocks are set back', '22:00-07:00', '2026-10-25T02:30+02:00', '2026-10-25T06:00:00.000Z'],
    ['until as much later as a skipped time', '22:00-02:30', '2026-03-29T01:30+01:00', '2026-03-29T01:30:00.000Z'],
  ])('last %s', (_, text, at, end) => {
    expect(endAfter(hours(text), at)).toBe(end);
  });

  test.each([
    ['22:00-07:00', '2026-11-20T07:00+01:00'],
    ['22:00-07:00', '2026-11-20T21:59+01:00'],
    ['12:00-13:00', '2026-11-20T13:00+01:00'],
  ])('%s are over at %s', (text, at) => {
    expect(endAfter(hours(text), at)).toBeNull();
  });

  test('follow their time zone', () => {
    expect(endAfter(hours('22:00-07:00', 'Asia/Tokyo'), '2026-11-20T15:00Z')).toBe('2026-11-20T22:00:00.000Z');
  });

  test.each([
    ['25:00-07:00', 'Europe/Berlin', 'write 22:00-07:00'],
    ['22:00', 'Europe/Berlin', 'write 22:00-07:00'],
    ['07:00-07:00', 'Europe/Berlin', 'quiet hours cannot begin and end at the same time'],
    ['22:00-07:00', 'Moon/Base', 'there is no time zone named "Moon/Base"'],
  ])('%s in %s are refused', (text, zone, said) => {
    expect(readQuiet(text, zone)).toBe(said);
  });
});
