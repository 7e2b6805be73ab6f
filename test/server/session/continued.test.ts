import { expect, test } from 'vitest';
import { NOTHING_REPORTED } from '../../../src/platform/sqlite/reported.ts';
import { conversedIn, REPORT_MS } from '../../../src/server/session/continued.ts';

const NOW = Date.UTC(2026, 10, 29);
const record = (more: object = {}): Parameters<typeof conversedIn>[0] =>
  ({ endedAt: null, agent: { pid: 1, startTime: '1' }, reported: NOTHING_REPORTED, ...more }) as never;
const asked = (instead: string | null = null) => ({
  reported: { ...NOTHING_REPORTED, asked: instead === null ? ('resume' as const) : null, instead },
});

test.each<[string, object, number | null, ReturnType<typeof conversedIn>]>([
  ['nothing was asked for', {}, NOW, 'known'],
  ['the process has just started', asked(), NOW, 'awaited'],
  ['no report has come in time', asked(), NOW - REPORT_MS, 'unreported'],
  ['an earlier server started the process', asked(), null, 'unreported'],
  ['another conversation has begun', asked('other'), NOW, 'another'],
  ['there is no process', { ...asked(), agent: null }, null, 'known'],
])('whether the conversation is the right one, if %s', (_, more, startedAt, conversed) => {
  expect(conversedIn(record(more), startedAt, NOW)).toBe(conversed);
});
