import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { startPage } from '../harness/page.ts';
import { DONE } from '../harness/some-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser(world);
});
afterAll(() => world.dispose());

const context = (used_percentage: number) => ({ used_tokens: 1, size_tokens: 200_000, used_percentage });

test('a row has a gauge of its context window, which follows changes, and warns if it is nearly full', async () => {
  await using one = await startPage(browser, {
    prepare: ({ sessions }) => {
      sessions.add('HALF', { ...DONE, context: context(42), cost_usd: 1.234 });
      sessions.add('NONE', DONE);
    },
  });
  const { page, server } = one;
  await one.visit('#/s/HALF');
  const gauge = (slug: string) => page.locator(`.session-row[data-slug="${slug}"] .context`);
  await gauge('HALF').getByText('42%').waitFor();
  expect(await gauge('HALF').getAttribute('data-nearly-full')).toBe('false');
  expect(
    await gauge('HALF')
      .locator('meter')
      .evaluate((meter) => (meter as unknown as { value: number }).value),
  ).toBe(42);
  expect(await gauge('NONE').isVisible()).toBe(false);
  await page.locator('.page-head').getByText('$1.23 · context 42%').waitFor();
  const base = { kind: 'started_from', ref: 'main', commit: null } as const;
  server.sessions.change('HALF', {
    changes: { files: 3, added: 120, removed: 4, base, counted_at: '2026-11-20T15:05:05.123Z' },
  });
  await page.locator('.session-row[data-slug="HALF"]').getByText('+120 −4').waitFor();
  await page.locator('.page-head').getByText('3 files, +120 −4').waitFor();

  server.sessions.change('HALF', { context: context(85) });
  server.sessions.change('NONE', { context: context(3) });
  await gauge('HALF').getByText('▲ 85%').waitFor();
  await waitFor(async () => (await gauge('HALF').getAttribute('data-nearly-full')) === 'true', {
    describe: 'the gauge warns',
  });
  await gauge('NONE').getByText('3%').waitFor();

  server.sessions.change('HALF', { context: null });
  await waitFor(async () => !(await gauge('HALF').isVisible()), {
    describe: 'an outdated figure is not shown',
  });
});
