import { afterAll, expect, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { startPage } from '../harness/page.ts';
import { setHistory } from '../harness/past-changes.ts';
import { DONE } from '../harness/some-sessions.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
afterAll(() => world.dispose());

test('the page shows what happened while the person was away, and each line leads into the recording', async () => {
  await using one = await startPage(await openBrowser(world), {
    server: { awaySince: Date.parse('2026-11-20T15:00:00Z') },
    prepare: ({ sessions }) => {
      sessions.add('AUTH', DONE);
      const text = '<b>All</b> pass\u202e.';
      sessions.write('AUTH', { type: 'assistant', message: { content: [{ type: 'text', text }] } });
      setHistory(sessions, 'AUTH', [
        ['15:06:05', 'permission'],
        ['15:08:05', 'thinking'],
        ['15:09:05', 'waiting_input'],
      ]);
    },
  });
  const { page } = one;
  await page.keyboard.press('g');
  await page.keyboard.press('w');
  const section = page.getByRole('region', { name: 'AUTH' });
  await section.getByText('<b>All</b> pass\\u202e.').waitFor();
  await page.getByText('when you were last here: one session').waitFor();
  const asked = section.getByRole('link', { name: 'asked for a permission, for 2m 00s' });
  expect(await asked.getAttribute('href')).toBe('#/s/AUTH/replay?t=118');
  expect(await section.getByRole('link', { name: 'finished a turn' }).getAttribute('href')).toBe(
    '#/s/AUTH/replay?t=298',
  );
  expect(one.watched.faults).toEqual([]);
});
