import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type BudgetRule, readBudgets } from '../../../src/core/budgets/index.ts';
import { localDay } from '../../../src/core/history/index.ts';
import { type Database, openDatabase } from '../../../src/platform/sqlite/database.ts';
import { followBudgets } from '../../../src/server/budgets/follow-budgets.ts';
import type { ActorDeps } from '../../../src/server/session/actor-deps.ts';
import type { SessionEvent } from '../../../src/server/sessions.ts';
import { ManualClock } from '../../harness/manual-clock.ts';
import { type MemoryBudgets, memoryBudgets } from '../../harness/memory-budgets.ts';
import { MemorySessions } from '../../harness/memory-sessions.ts';
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts';

const HOUR = 3_600_000;
const before = process.env.TZ;
let folder: string;
let database: Database;
let clock: ManualClock;
let sessions: MemorySessions;
let running: MemoryBudgets[];
beforeEach(() => {
  process.env.TZ = 'Europe/Berlin';
  database = openDatabase(':memory:');
  clock = new ManualClock(new Date(2026, 9, 24, 22).getTime());
  folder = makeTemporaryFolder();
  running = [];
  sessions = new MemorySessions(folder);
  sessions.add('CI', { cost_usd: 0 });
  sessions.add('OTHER', { cost_usd: 0 });
});
afterEach(() => {
  for (const { budgets } of running) budgets.dispose();
  database.close();
  rmSync(folder, { recursive: true });
  if (before === undefined) delete process.env.TZ;
  else process.env.TZ = before;
});

const rules = (...budgets: object[]): BudgetRule[] => readBudgets(budgets, 'config.toml');
/** Starts a server over the same database. */
function start(...budgets: object[]): MemoryBudgets {
  const made = memoryBudgets(sessions, clock, rules(...budgets), database);
  running.push(made);
  return made;
}
const named = (slug: string): { id: string; slug: string } => ({ id: sessions.idOf(slug), slug });
const spend = ({ spend: add }: MemoryBudgets, slug: string, usd: number): void =>
  add(named(slug).id, localDay(clock.now()), usd);
const isOver = ({ budgets }: MemoryBudgets, slug: string): boolean => budgets.overBudget(named(slug)) !== null;

const EACH = { name: 'each', for: 'each', usd: 5 };
const FLEET = { name: 'fleet', for: 'fleet', usd: 5 };

describe('a budget', () => {
  test('stops its own session, or all', () => {
    const each = start(EACH);
    spend(each, 'CI', 5);
    expect([isOver(each, 'CI'), isOver(each, 'OTHER')]).toEqual([true, false]);
    expect(each.budgets.overBudget(named('CI'))).toEqual({
      ...{ budget: 'each', scope: 'each', unit: 'usd', per: 'day', limit: 5, spent: 5 },
    });
    const fleet = start(FLEET);
    expect([isOver(fleet, 'CI'), isOver(fleet, 'OTHER')]).toEqual([true, true]);
  });

  test('restarts with the local day, even one of 25 hours, and after a night asleep', () => {
    const server = start(EACH);
    spend(server, 'CI', 5);
    let changes = 0;
    server.budgets.onChange(() => {
      changes += 1;
    });
    clock.advance(1);
    changes = 0;
    clock.advance(2 * HOUR - 2);
    expect([isOver(server, 'CI'), changes]).toEqual([true, 0]);
    clock.advance(1);
    expect([isOver(server, 'CI'), changes]).toEqual([false, 1]);
    // This is the night in which summer time ends.
    spend(server, 'CI', 5);
    clock.advance(25 * HOUR - 1);
    expect(isOver(server, 'CI')).toBe(true);
    clock.advance(1);
    expect(isOver(server, 'CI')).toBe(false);
    spend(server, 'CI', 5);
    expect(isOver(server, 'CI')).toBe(true);
    clock.step(24 * HOUR);
    expect(isOver(server, 'CI')).toBe(false);
  });

  test('that is raised stays raised for its period, for the next server too, and is never lowered', () => {
    const server = start(EACH, { ...EACH, name: 'ever', usd: 7, per: 'total' });
    spend(server, 'CI', 6);
    const raised = server.desk.raise('each', { session: 'CI' });
    expect(raised.subjects).toContainEqual({ session: 'CI', limit: 10, spent: 6, reached: false, raised: true });
    expect(raised.subjects).toContainEqual({ session: 'OTHER', limit: 5, spent: 0, reached: false, raised: false });
    expect(() => server.desk.raise('each', { session: 'CI', to: 10 })).toThrow(
      'must be higher than the current one, 10',
    );
    const next = start(EACH);
    expect(isOver(next, 'CI')).toBe(false);
    spend(next, 'CI', 4);
    expect(next.budgets.overBudget(named('CI'))).toMatchObject({ limit: 10, spent: 10 });
    clock.advance(2 * HOUR);
    spend(next, 'CI', 5);
    expect(next.budgets.overBudget(named('CI'))).toMatchObject({ limit: 5, spent: 5 });
  });

  test('is raised by its name, for one session if it is per session', () => {
    const server = start(EACH, FLEET, { name: 'ci', for: 'session:CI', usd: 1 });
    expect(() => server.desk.raise('none', {})).toThrow('No budget is named "none"');
    expect(() => server.desk.raise('each', {})).toThrow('each session separately');
    expect(() => server.desk.raise('each', { session: 'NONE' })).toThrow('No session is named "NONE"');
    expect(() => server.desk.raise('ci', { session: 'OTHER' })).toThrow('does not apply to OTHER');
    expect(server.desk.raise('ci', {}).subjects).toMatchObject([{ session: 'CI', limit: 2 }]);
    expect(server.desk.raise('fleet', { to: 50 }).subjects).toMatchObject([{ session: null, limit: 50 }]);
  });

  test('names the sessions that it cannot cover, because nothing reports their spending', () => {
    sessions.add('SILENT', { cost_usd: null });
    sessions.add('EVENTS', { type: 'json', cost_usd: 0 });
    const server = start(FLEET, { name: 'tokens', for: 'each', tokens: 5 });
    expect(server.desk.list().map(({ uncovered }) => uncovered)).toEqual([['SILENT'], ['CI', 'OTHER', 'SILENT']]);
  });
});

test('faces are notified once when a session reaches a budget, a person when a text waits, and texts are sent after a raise', () => {
  const server = start(EACH);
  const events: string[] = [];
  const looks: string[] = [];
  let queued = 0;
  const deps = {
    budgets: server.budgets,
    deliveries: { withStatus: () => Array.from({ length: queued }) },
    emit: ({ kind }: SessionEvent) => void events.push(kind),
  } as unknown as ActorDeps;
  const actor = {
    ...{ deps, record: named('CI'), isListed: () => true, view: () => sessions.get('CI') },
    lookAgain: () => void looks.push('CI'),
  };
  const stop = followBudgets({ listed: { all: () => [{ actor: actor as never }] }, budgets: server.budgets });
  const settle = (): string[] => {
    clock.advance(1);
    return events.splice(0);
  };
  expect(settle()).toEqual([]);
  spend(server, 'CI', 4);
  expect(settle()).toEqual([]);
  spend(server, 'CI', 1);
  spend(server, 'CI', 1);
  expect(settle()).toEqual(['updated']);
  queued = 1;
  server.budgets.note();
  expect(settle()).toEqual(['woken']);
  queued = 2;
  server.budgets.note();
  expect(settle()).toEqual(['updated']);
  expect(looks).toEqual([]);
  server.desk.raise('each', { session: 'CI' });
  expect(settle()).toEqual(['updated']);
  expect(looks).toEqual(['CI']);
  stop();
});
