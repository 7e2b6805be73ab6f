import { afterAll, expect, test } from 'vitest';
import { localDay } from '../../src/core/history/index.ts';
import { openBrowser } from '../harness/browser.ts';
import { startPage } from '../harness/page.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
afterAll(() => world.dispose());

test('a session that a budget holds shows it, and the page raises the budget', async () => {
  await using one = await startPage(await openBrowser(world));
  const { page, server } = one;
  const over = { budget: 'fleet', scope: 'fleet', unit: 'usd', per: 'day', limit: 10, spent: 12, holds: 1 } as const;
  server.sessions.add('AUTH', { over_budget: over });
  server.budgets.spend(server.sessions.idOf('AUTH'), localDay(Date.now()), 12);
  await page
    .getByRole('link', { name: /AUTH.*over budget/ })
    .first()
    .waitFor();
  await one.visit('#/budgets');
  await page.getByText('$12.00 of $10.00 today', { exact: true }).waitFor();
  await page.getByText('Not covered, because nothing reports their spending: AUTH').waitFor();
  await page.getByRole('button', { name: 'Raise fleet…' }).click();
  await page.getByLabel('New limit for fleet').fill('15');
  expect(server.budgets.desk.list()[0]?.subjects[0]?.limit).toBe(10);
  await page.getByRole('button', { name: 'Raise', exact: true }).click();
  await page.getByText('$12.00 of $15.00 today').waitFor();
  expect(server.budgets.desk.list()[0]?.subjects[0]).toMatchObject({ limit: 15, reached: false });
  expect(one.watched.faults).toEqual([]);
});
