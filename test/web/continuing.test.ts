import { afterAll, expect, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { startPage } from '../harness/page.ts';
import { DONE } from '../harness/some-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
afterAll(() => world.dispose());

test('the page asks whether to continue after a usage limit, and one click or c does', async () => {
  const over = { ...DONE, limit_over_at: '2026-11-20T15:04:05.123Z' };
  await using one = await startPage(await openBrowser(world), {
    prepare: ({ sessions }) => {
      sessions.add('CLICKED', over);
      sessions.add('TYPED', over);
    },
  });
  const { page, server } = one;
  await one.visit('#/s/CLICKED');
  const notice = page.getByRole('status').filter({ hasText: 'Continue? The usage limit has ended' });
  await notice.getByRole('button', { name: 'Continue' }).click();
  await notice.waitFor({ state: 'detached' });
  expect(server.sessions.deliveries('CLICKED')).toHaveLength(1);
  await one.visit('#/s/TYPED');
  await notice.waitFor();
  // The keys are for the page as long as no field has the focus.
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('c');
  await waitFor(() => server.sessions.deliveries('TYPED').length === 1, { describe: 'the prompt' });
  expect(one.watched.faults).toEqual([]);
});
