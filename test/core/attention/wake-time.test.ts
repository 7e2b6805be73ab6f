import { afterEach, describe, expect, test } from 'vitest';
import { snoozeText, wakeTime } from '../../../src/text/snooze-words.ts';

const zoneBefore = process.env.TZ;
afterEach(() => {
  if (zoneBefore === undefined) delete process.env.TZ;
  else process.env.TZ = zoneBefore;
});

function wakes(zone: string, text: string, now: string): string | null {
  process.env.TZ = zone;
  const at = wakeTime(text, Date.parse(now));
  return at === null ? null : new Date(at).toISOString().slice(0, 16);
}

describe('until when', () => {
  test.each([
    ['UTC', '17:00', '2026-11-20T15:00:00Z', '2026-11-20T17:00'],
    // It is already 17:00, so the next 17:00 is tomorrow.
    ['UTC', '17:00', '2026-11-20T17:00:00Z', '2026-11-21T17:00'],
    ['UTC', '9:30', '2026-11-20T08:00:00Z', '2026-11-20T09:30'],
    ['UTC', '2h', '2026-11-20T15:04:00Z', '2026-11-20T17:04'],
    ['UTC', '45m', '2026-11-20T15:04:00Z', '2026-11-20T15:49'],
    ['UTC', '3d', '2026-11-20T15:04:00Z', '2026-11-23T15:04'],
    ['UTC', 'Tomorrow', '2026-11-30T15:04:00Z', '2026-12-01T09:00'],
    ['UTC', '2026-12-24 18:30', '2026-11-20T15:04:00Z', '2026-12-24T18:30'],
    ['UTC', '2026-12-24', '2026-11-20T15:04:00Z', '2026-12-24T09:00'],
    ['UTC', '2026-12-24T18:30:00+02:00', '2026-11-20T15:04:00Z', '2026-12-24T16:30'],
    // In these zones it is already, or still, another day.
    ['Asia/Tokyo', '17:00', '2026-11-20T16:00:00Z', '2026-11-21T08:00'],
    ['Asia/Tokyo', 'tomorrow', '2026-11-20T16:00:00Z', '2026-11-22T00:00'],
    ['America/New_York', 'tomorrow', '2026-11-21T03:00:00Z', '2026-11-21T14:00'],
    // The night in which summer time ends has an hour more, and the night in which it begins has an hour less.
    ['Europe/Berlin', 'tomorrow', '2026-10-24T16:00:00Z', '2026-10-25T08:00'],
    ['Europe/Berlin', 'tomorrow', '2026-03-28T16:00:00Z', '2026-03-29T07:00'],
    ['Europe/Berlin', '8:00', '2026-10-24T16:00:00Z', '2026-10-25T07:00'],
    // 02:30 does not exist in that zone on that night.
    ['Europe/Berlin', '2:30', '2026-03-28T22:00:00Z', '2026-03-29T01:30'],
    // A span is not affected by a change of the clocks.
    ['Europe/Berlin', '12h', '2026-10-24T22:00:00Z', '2026-10-25T10:00'],
  ])('%s: %s, asked at %s', (zone, text, now, expected) => {
    expect(wakes(zone, text, now)).toBe(expected);
  });

  test.each([
    '',
    'soon',
    '25:00',
    '17:60',
    '17',
    '-2h',
    '2026-02-30',
    '2026-13-01',
    '2h30',
    '1e3h',
    '٣h',
    '2 h',
    '$(date)',
  ])('not a time: %j', (text) => expect(wakes('UTC', text, '2026-11-20T15:00:00Z')).toBeNull());
});

test.each([
  [{ until: '2026-11-20T17:00:00.000Z' }, 'snoozed until 17:00'],
  [{ until: '2026-11-21T09:00:00.000Z' }, 'snoozed until 2026-11-21 09:00'],
  [{ until_asks: true }, 'snoozed until it asks'],
  [{ until_asks: true, until_turn_ends: true }, 'snoozed until it asks or its turn ends'],
  [{ until: '2026-11-20T17:00:00.000Z', until_ends: ['BUILD'] }, 'snoozed until 17:00 or BUILD ends'],
  [{ until_ends: ['A', '\u001b[31mB'] }, 'snoozed until A ends or B ends'],
])('%j', (some, expected) => {
  process.env.TZ = 'UTC';
  const since = '2026-11-20T15:00:00.000Z';
  const snooze = { since, until: null, until_asks: false, until_turn_ends: false, until_ends: [], ...some };
  expect(snoozeText(snooze)).toBe(expected);
});
