import { afterAll, expect, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { startPage } from '../harness/page.ts';
import { LOST } from '../harness/some-sessions.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
afterAll(() => world.dispose());

test('the page shows how many sessions are lost, what would come back, and each outcome; one click begins', async () => {
  await using one = await startPage(await openBrowser(world), {
    prepare: ({ sessions }) => {
      for (const slug of ['AUTH', 'DOCS']) sessions.add(slug, LOST);
      sessions.restores = (slug) => ({ outcome: slug === 'AUTH' ? 'restored' : 'not_tried' });
    },
  });
  const { page, server } = one;
  await page.getByRole('link', { name: '2 sessions are lost' }).click();
  const list = page.getByRole('list', { name: 'Lost sessions' });
  await list.getByText('AUTH would come back with its conversation (the machine was restarted)').waitFor();
  expect(server.sessions.get('AUTH').lost).toBe('reboot');
  await page.getByRole('button', { name: 'Bring 2 sessions back' }).click();
  await list.getByText('AUTH is running again, with its conversation').waitFor();
  await list.getByText('DOCS not tried').waitFor();
  await page.getByText('stopped after repeated failures: 1 not tried').waitFor();
  expect(await page.getByRole('button', { name: /^Bring/ }).count()).toBe(0);
  await one.visit('#/');
  await page.getByRole('link', { name: '1 session is lost' }).waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('g');
  await page.keyboard.press('x');
  await page.getByRole('button', { name: 'Bring it back' }).waitFor();
  expect(one.watched.faults).toEqual([]);
});
