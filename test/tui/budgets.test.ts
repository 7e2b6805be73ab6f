import { afterAll, beforeAll, expect, test } from 'vitest';
import { localDay } from '../../src/core/history/index.ts';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { DONE, WORKING } from '../harness/some-sessions.ts';
import { openTerminal } from '../harness/tmux.ts';

let server: FacesUnderTest;
beforeAll(async () => {
  server = await startFaces();
});
afterAll(() => server[Symbol.asyncDispose]());

test('a session that a budget holds needs its person, who sees the budgets and raises one after a confirmation', async () => {
  const { sessions, budgets } = server;
  const over = { budget: 'fleet', scope: 'fleet', unit: 'usd', per: 'day', limit: 10, spent: 12, holds: 1 } as const;
  sessions.add('AUTH', { ...DONE, over_budget: over });
  budgets.spend(sessions.idOf('AUTH'), localDay(Date.now()), 12);
  const terminal = await openTerminal(server.world, { cols: 110, rows: 30 });
  await terminal.until(/over budget[\s\S]*q quit/, 'that it needs its person');
  await terminal.keys('/');
  await terminal.type('budget');
  await terminal.keys('Enter');
  await terminal.until(/fleet: \$10\.00 a day for all sessions\s+\$12\.00 of \$10\.00 today, reached/, 'the budgets');
  await terminal.keys('Escape');
  await terminal.until(/q quit/, 'the list');
  await terminal.keys('/');
  await terminal.type('budget fleet 15');
  await terminal.keys('Enter');
  await terminal.until(/Raise budget fleet to \$15\.00 for today\? \(y\/n\)/, 'the question');
  expect(budgets.desk.list()[0]?.subjects[0]?.limit).toBe(10);
  await terminal.keys('y');
  await terminal.until(/budget fleet is raised to \$15\.00/, 'that it is raised');
  expect(budgets.desk.list()[0]?.subjects[0]?.limit).toBe(15);
});

test('the resources of sessions are listed, the largest first, with their sum', async () => {
  const { sessions } = server;
  sessions.add('BUSY', WORKING);
  const { resources } = sessions;
  sessions.resources = async () =>
    (await resources()).map((used) => (used.session === 'BUSY' ? { ...used, memory_bytes: 300_000_000 } : used));
  const terminal = await openTerminal(server.world, { cols: 110, rows: 30 });
  await terminal.until(/q quit/, 'the list');
  await terminal.keys('/');
  await terminal.type('resources');
  await terminal.keys('Enter');
  await terminal.until(
    /BUSY +300 MB {2}4s of processor time\s+AUTH +260 MB {2}4s of processor time\s+all +560 MB {2}8s/,
    'the resources',
  );
});
