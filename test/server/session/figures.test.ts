import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StatusLineReport } from '../../../src/platform/claude/index.ts';
import { type Database, openDatabase } from '../../../src/platform/sqlite/database.ts';
import type { SessionRecord } from '../../../src/platform/sqlite/session-store.ts';
import { createTerminalCostStore, type TerminalCostStore } from '../../../src/platform/sqlite/terminal-cost-store.ts';
import { SessionFigures } from '../../../src/server/session/figures.ts';
import { ManualClock } from '../../harness/manual-clock.ts';

const NOON = new Date(2026, 10, 20, 12).getTime();
const DAY_MS = 86_400_000;

let database: Database;
let terminalCosts: TerminalCostStore;
let clock: ManualClock;
let record: SessionRecord;
let figures: SessionFigures;
beforeEach(() => {
  database = openDatabase(':memory:');
  // The row of the session itself is not needed here.
  database.exec('PRAGMA foreign_keys = OFF');
  terminalCosts = createTerminalCostStore(database);
  clock = new ManualClock(NOON);
  record = { id: 'id-1', type: 'screen', launchId: 'L1', claudeSessionId: 'C1' } as SessionRecord;
  figures = open();
});
afterEach(() => database.close());

function open(): SessionFigures {
  const kept = {
    get current() {
      return record;
    },
    write: (work: () => void) => work(),
  };
  return new SessionFigures({ clock, terminalCosts, kept });
}

const report = (costUsd: number | null, more: Partial<StatusLineReport> = {}): StatusLineReport => ({
  sessionId: 'C1',
  model: 'claude-opus-5-5',
  effort: 'high',
  context: { used_tokens: 90_000, size_tokens: 200_000, used_percentage: 45 },
  costUsd,
  linesAdded: 3,
  linesRemoved: 1,
  ...more,
});

const dollars = () =>
  terminalCosts.read(null, null).map(({ day, cost_usd }) => [day, Math.round(cost_usd * 100) / 100]);

test('the figures are those of the last report, and a report without news changes nothing', () => {
  expect(figures.see('L1', report(1))).toBe(true);
  expect(figures.see('L1', report(1))).toBe(false);
  expect(figures.shown(record)).toEqual({
    model: 'claude-opus-5-5',
    effort: 'high',
    context: { used_tokens: 90_000, size_tokens: 200_000, used_percentage: 45 },
    costUsd: 1,
    linesAdded: 3,
    linesRemoved: 1,
  });
  expect(figures.see('L1', report(null, { context: null }))).toBe(true);
  expect(figures.shown(record)).toMatchObject({ costUsd: null, context: null });
});

test.each([
  ['another launch', { launchId: 'L2' }],
  ['another conversation, as after /clear', { claudeSessionId: 'C2' }],
  ['no known conversation', { claudeSessionId: null }],
  ['another type', { type: 'json' as const }],
])('nothing is reported for %s', (_, change) => {
  figures.see('L1', report(1));
  record = { ...record, ...change };
  expect(Object.values(figures.shown(record)).every((value) => value === null)).toBe(true);
});

test("a report about another session's conversation is not shown, and costs nothing", () => {
  expect(figures.see('L1', report(0, { sessionId: 'C9' }))).toBe(false);
  expect(figures.see('L1', report(500, { sessionId: 'C9' }))).toBe(false);
  expect(dollars()).toEqual([]);
});

test('a day costs what the total grew on it', () => {
  figures.see('L1', report(0));
  figures.see('L1', report(0.5));
  figures.see('L1', report(1.25));
  clock.advance(DAY_MS);
  figures.see('L1', report(1.25));
  figures.see('L1', report(2));
  expect(dollars()).toEqual([
    ['2026-11-20', 1.25],
    ['2026-11-21', 0.75],
  ]);
});

test('nothing is counted twice: not by the next server, nor by a launch that resumes a total', () => {
  figures.see('L1', report(0));
  figures.see('L1', report(1));
  figures = open();
  figures.see('L1', report(1));
  figures.see('L1', report(1.5));
  record = { ...record, launchId: 'L2' };
  figures.see('L2', report(1.5));
  figures.see('L2', report(2));
  expect(dollars()).toEqual([['2026-11-20', 2]]);
});

test('a total that starts again is counted from zero', () => {
  figures.see('L1', report(0));
  figures.see('L1', report(1));
  figures.see('L1', report(0.25));
  figures.see('L1', report(0.5));
  expect(dollars()).toEqual([['2026-11-20', 1.5]]);
});

test('a launch with a new conversation is counted from zero, even if the first report comes late', () => {
  terminalCosts.beginAtZero({ id: 'id-1', launchId: 'L1' });
  figures.see('L1', report(2));
  expect(dollars()).toEqual([['2026-11-20', 2]]);
  // The next launch resumes the conversation, so its first report is no cost.
  record = { ...record, launchId: 'L2' };
  figures.see('L2', report(2));
  figures.see('L2', report(3));
  expect(dollars()).toEqual([['2026-11-20', 3]]);
});
