import { afterEach, expect, test } from 'vitest';
import { noonOf } from '../../src/cli/commands/history.ts';

const before = process.env.TZ;
afterEach(() => {
  if (before === undefined) delete process.env.TZ;
  else process.env.TZ = before;
});

test.each([
  // Half past midnight after a day of 23 hours, and half an hour before the end of a day of 25 hours.
  ['Europe/Berlin', '2026-03-29T22:30:00Z', 29],
  ['Europe/Berlin', '2026-10-25T22:30:00Z', 24],
  ['America/New_York', '2026-03-09T04:30:00Z', 8],
  ['America/New_York', '2026-11-02T04:30:00Z', 31],
  ['Australia/Lord_Howe', '2026-10-04T13:15:00Z', 4],
  ['Australia/Lord_Howe', '2026-04-05T13:15:00Z', 4],
])('cbos history --days 2 in %s begins with yesterday, even at %s', (zone, now, yesterday) => {
  process.env.TZ = zone;
  expect(noonOf(Date.parse(now), 1).getDate()).toBe(yesterday);
});
