import { expect, test } from 'vitest';
import { localDay } from '../../src/core/history/index.ts';
import { type CommandResult, runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';

const cli = serveCommands();
const budget = (...words: string[]): Promise<CommandResult> => runCommand(['budget', ...words], cli.where);

test('budgets are listed with the amount spent, and raised', async () => {
  const { sessions, budgets } = cli.server;
  sessions.add('CI', { cost_usd: null });
  budgets.spend(sessions.idOf('CI'), localDay(Date.now()), 12);
  const listed = await budget();
  expect(listed.stdout).toMatch(
    /BUDGET +FOR +SPENT +STATE +NOT COVERED\nfleet +all sessions +\$12.00 of \$10.00 today +reached/,
  );
  expect(listed.stdout).toContain('CI');
  const raised = await budget('raise', 'fleet', '--to', '15');
  expect(raised.stdout, raised.stderr).toMatch(/\$12.00 of \$15.00 today +raised/);
  expect(JSON.parse((await budget('ls', '--json')).stdout)).toMatchObject([{ name: 'fleet', limit: 10 }]);
  expect(JSON.parse((await budget('raise', 'fleet', '--json')).stdout)).toMatchObject({ subjects: [{ limit: 25 }] });
});

test('a raise that names nothing, or would raise nothing, is refused with the cure', async () => {
  expect(await budget('raise', 'NONE')).toMatchObject({ code: 1, stderr: expect.stringContaining('cbos budget') });
  expect(await budget('raise', 'fleet', '--to', '0')).toMatchObject({ code: 2 });
  expect(await budget('raise', 'fleet', '--to', '1')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('must be higher than the current one, 25'),
  });
});

test('a session whose texts a budget holds needs its person, in lists and in `show`', async () => {
  const over = { budget: 'fleet', scope: 'fleet', unit: 'usd', per: 'day', limit: 10, spent: 12, holds: 1 } as const;
  cli.server.sessions.add('HELD', { over_budget: over });
  expect((await runCommand(['ls'], cli.where)).stdout).toMatch(/HELD +over budget .*\$12.00 of \$10.00 today/);
  expect((await runCommand(['show', 'HELD'], cli.where)).stdout).toMatch(/budget +Budget fleet has been reached/);
});
