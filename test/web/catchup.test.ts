import { afterAll, expect, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { startPage, untilTerminalShows } from '../harness/page.ts';
import { setHistory } from '../harness/past-changes.ts';
import { addOnlyRun } from '../harness/recorded-run.ts';
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
  const asked = section.getByRole('link', { name: 'asked for permission, for 2m 00s' });
  expect(await asked.getAttribute('href')).toBe('#/s/AUTH/replay?t=118');
  expect(await section.getByRole('link', { name: 'finished a turn' }).getAttribute('href')).toBe(
    '#/s/AUTH/replay?t=298',
  );
  expect(one.watched.faults).toEqual([]);
});

test('ten seconds of the recording play beside an event, one piece at a time', async () => {
  await using one = await startPage(await openBrowser(world, { webgl: true }), {
    readsTerminal: true,
    server: { awaySince: Date.parse('2026-11-20T15:00:00Z') },
    prepare: (server) => {
      addOnlyRun(server);
      setHistory(server.sessions, 'RUN', [
        ['15:04:08', 'error'],
        ['15:04:45', 'permission'],
      ]);
    },
  });
  const { page } = one;
  await one.visit('#/catchup');
  const asked = page.getByRole('button', { name: 'Watch 10 seconds: asked for permission' });
  await asked.click();
  // The piece ends 3 s after the question, long before the recording does.
  await untilTerminalShows(page, 'the question', (lines) => lines.join() === 'begin,shall I deploy?');
  const section = page.getByRole('region', { name: 'RUN', exact: true });
  await section.getByRole('button', { name: 'Play', exact: true }).click();
  await section.getByRole('button', { name: 'Pause' }).waitFor();
  await section.getByRole('button', { name: 'Play', exact: true }).waitFor();
  await untilTerminalShows(page, 'the question again', (lines) => lines.join() === 'begin,shall I deploy?');

  await section.getByRole('button', { name: 'Watch 10 seconds: ended a turn with an error' }).click();
  await untilTerminalShows(page, 'the beginning alone', (lines) => lines.join() === 'begin');
  expect(await asked.getAttribute('aria-expanded')).toBe('false');
  expect(await page.getByRole('region', { name: 'Recording of RUN' }).count()).toBe(1);
  await section.getByRole('button', { name: 'Watch 10 seconds: ended a turn with an error' }).click();
  await page.getByRole('region', { name: 'Recording of RUN' }).waitFor({ state: 'detached' });
  expect(one.watched.faults).toEqual([]);
});
