import { afterAll, expect, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { startPage } from '../harness/page.ts';
import { REFUSED } from '../harness/some-sessions.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
afterAll(() => world.dispose());

test('the list and the card of a session show why a hook refused its prompt', async () => {
  await using one = await startPage(await openBrowser(world), {
    prepare: ({ sessions }) => void sessions.add('REFUSED', REFUSED),
  });
  const { page } = one;
  await one.visit('#/');
  const words = 'One of your own hooks refused the prompt: No secrets, please.';
  await page.getByRole('article', { name: 'REFUSED' }).getByText(words, { exact: true }).waitFor();
  await page.getByRole('link', { name: new RegExp(`REFUSED.*${words}`) }).waitFor();
  expect(one.watched.faults).toEqual([]);
});
