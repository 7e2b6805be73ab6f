import { afterAll, expect, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { startPage } from '../harness/page.ts';
import { DONE, WORKING } from '../harness/some-sessions.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
afterAll(() => world.dispose());

test('the page lists the memory and processor time of sessions, the largest first, and parks one that is idle', async () => {
  await using one = await startPage(await openBrowser(world), {
    prepare: ({ sessions }) => {
      sessions.add('BUSY', WORKING);
      sessions.add('IDLE', { ...DONE, adopted: true });
      const { resources } = sessions;
      sessions.resources = async () =>
        (await resources()).map((used) => (used.session === 'IDLE' ? used : { ...used, memory_bytes: 300_000_000 }));
    },
  });
  const { page } = one;
  await page.keyboard.press('g');
  await page.keyboard.press('m');
  const rows = page.getByRole('row');
  await page.getByRole('row', { name: 'All 560 MB 8s' }).waitFor();
  expect(await rows.allTextContents()).toEqual([
    expect.stringContaining('Session'),
    'BUSY300 MB4s',
    'IDLE260 MB4sPark',
    'All560 MB8s',
  ]);
  await page.getByRole('button', { name: 'Park IDLE' }).click();
  await page.getByRole('row', { name: 'All 300 MB 4s' }).waitFor();
  expect(one.server.sessions.get('IDLE').parked_at).not.toBeNull();
  expect(one.watched.faults).toEqual([]);
});
