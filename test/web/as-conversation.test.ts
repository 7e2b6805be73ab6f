import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { startPage } from '../harness/page.ts';
import { asking, DONE } from '../harness/some-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser(world);
});
afterAll(() => world.dispose());

const said = (text: string) => ({ type: 'assistant', message: { content: [{ type: 'text', text }] } });

test('a session in a terminal is read as a conversation that grows, with its terminal one click away', async () => {
  await using one = await startPage(browser, {
    context: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    prepare: ({ sessions }) => {
      sessions.add('TERM', asking()).write('what its screen shows\r\n');
      sessions.write(
        'TERM',
        { type: 'user', message: { role: 'user', content: 'what is new?' } },
        said('**All** of it'),
      );
    },
  });
  const { page, server } = one;
  await one.visit('#/s/TERM');
  await page.locator('.xterm-screen').waitFor();
  await page.getByRole('button', { name: 'Conversation' }).tap();
  const conversation = page.getByRole('region', { name: 'Conversation of TERM' });
  await conversation.getByText('what is new?').waitFor();
  await conversation.locator('strong', { hasText: 'All' }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  server.sessions.write('TERM', said('And more'));
  await conversation.getByText('And more').waitFor();
  await page.getByText('On its screen now').tap();
  await page.getByText('what its screen shows').waitFor();
  // Another conversation begins, as after /clear.
  server.sessions.forget('TERM');
  server.sessions.change('TERM', { claude_session_id: '5f0c7a52-6d3f-4f3e-9d5a-3a5a0c6f1b2d' });
  server.sessions.write('TERM', said('A new begin'));
  await conversation.getByText('A new begin').waitFor();
  expect(await conversation.getByText('And more').count()).toBe(0);
  // The question of the session can be answered here as well.
  await page.getByRole('region', { name: 'Permission' }).getByRole('button', { name: 'Yes', exact: true }).tap();
  await waitFor(() => server.sessions.answers.length === 1, { describe: 'it is answered' });
  await page.getByRole('button', { name: 'Terminal' }).tap();
  await page.locator('.xterm-screen').waitFor();
  expect(one.watched.faults).toEqual([]);
});

test('a conversation that belongs to no session continues as one, under the name of its folder', async () => {
  const id = '5f0c7a52-6d3f-4f3e-9d5a-3a5a0c6f1b2d';
  await using one = await startPage(browser, {
    prepare: ({ sessions, world }) => {
      sessions.add('SHOP', DONE);
      const path = world.project('shop');
      const last_activity = new Date().toISOString();
      sessions.found = [
        { claude_session_id: id, path, title: 'Fix the basket', last_activity, pid: null },
        { claude_session_id: id.replace('5', '6'), path, title: 'Open elsewhere', last_activity, pid: 77 },
      ];
    },
  });
  const { page, server } = one;
  await one.visit('#/new');
  const row = (title: string) => page.getByRole('listitem').filter({ hasText: title });
  expect(await row('Open elsewhere').getByRole('button', { name: 'Continue' }).isDisabled()).toBe(true);
  await row('Fix the basket').getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'SHOP-2', exact: true }).waitFor();
  expect(server.sessions.get('SHOP-2').claude_session_id).toBe(id);
});
