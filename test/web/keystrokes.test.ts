import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { openBrowser } from '../harness/browser.ts';
import { startPage } from '../harness/page.ts';
import { someSession } from '../harness/some-session.ts';
import { asking, DONE, WORKING } from '../harness/some-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser(world, { webgl: true });
});
afterAll(() => world.dispose());

const since = (some: Partial<Session>, minute: number): Partial<Session> => ({
  ...some,
  status: {
    ...someSession('X').status,
    ...some.status,
    since: `2026-11-20T15:${String(minute).padStart(2, '0')}:00.000Z`,
  },
});

test('with 35 sessions: two keys to the question that has waited longest and its answer, at most three for everything else', async () => {
  await using one = await startPage(browser, {
    prepare: ({ sessions }) => {
      for (let number = 1; number <= 31; number++) {
        sessions.addWithoutRecording(`S-${number}`, since(number % 2 === 0 ? DONE : WORKING, number));
      }
      for (const [slug, minute] of [
        ['LATER', 8],
        ['LONG', 2],
        ['SOON', 20],
      ] as const) {
        sessions.addWithoutRecording(slug, since(asking({ id: slug }), minute));
      }
      sessions.addWithoutRecording('TEXT', { type: 'json', json_state: 'complete', ...DONE });
    },
  });
  const { page, server } = one;
  const { sessions } = server;
  let pressed = 0;
  // Only these keys are counted, not the letters of a name or a text.
  const press = async (key: string): Promise<void> => {
    pressed++;
    await page.keyboard.press(key);
  };
  const heading = (name: string) => page.getByRole('heading', { name, exact: true });
  const begin = async (hash: string, name: string): Promise<void> => {
    await one.visit(hash);
    await heading(name).waitFor();
    pressed = 0;
  };

  await begin('#/history', 'History');
  await press('w');
  await heading('LONG').waitFor();
  await press('y');
  await waitFor(() => sessions.answers.length > 0, { describe: 'it is answered' });
  expect(sessions.answers).toEqual([{ choice: 'yes', question_id: 'LONG' }]);
  expect(pressed).toBe(2);

  await begin('#/s/TEXT', 'TEXT');
  await press('e');
  await page.getByLabel('New name').waitFor();
  await page.keyboard.type('WORDS');
  await press('Enter');
  await heading('WORDS').waitFor();
  expect(pressed).toBe(2);

  pressed = 0;
  await press('X');
  await page.locator('dialog button[type=submit][aria-disabled=false]').waitFor();
  await press('Enter');
  await waitFor(() => sessions.get('WORDS').state === 'dead', { describe: 'it is stopped' });
  expect(pressed).toBe(2);

  pressed = 0;
  await page.getByRole('button', { name: 'Restart', exact: true }).waitFor();
  await press('r');
  await waitFor(() => sessions.get('WORDS').state === 'idle', { describe: 'it is restarted' });
  expect(pressed).toBe(1);

  sessions.change('S-7', { last_question: 'Which ledger?' });
  await begin('#/settings', 'Settings');
  await press('g');
  await press('s');
  await heading('Search').waitFor();
  await page.keyboard.type('ledger');
  await press('Enter');
  await page.waitForURL(/#\/s\/S-7/);
  expect(pressed).toBe(3);
  expect(one.watched.faults).toEqual([]);
});
