import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFirefox } from '../../scripts/setup/system-programs.mjs';
import { openFirefox } from '../harness/browser.ts';
import { startPage, untilTerminalShows, WITHOUT_WEBGL } from '../harness/page.ts';
import { asking, DONE } from '../harness/some-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const program = findFirefox(process.env);

describe.skipIf(program === null)('in Firefox, which `npm test` does not install', () => {
  const world = createWorld();
  let browser: Browser;
  beforeAll(async () => {
    browser = await openFirefox(world);
  });
  afterAll(() => world.dispose());

  test('one signs in, answers, writes, reads a conversation, sees a terminal, and finds commands', async () => {
    await using one = await startPage(browser, {
      context: { viewport: null },
      prepare: ({ sessions }) => {
        sessions.add('ASKS', asking()).write('the screen of ASKS\r\n');
        sessions.add('DONE', DONE);
        sessions.addWithoutRecording('JSON', { type: 'json', json_state: 'complete', ...DONE });
        sessions.happen(
          'JSON',
          { type: 'user', message: { role: 'user', content: 'hello' } },
          { type: 'assistant', message: { content: [{ type: 'text', text: '**Yes?**\n\n```ts\nconst a = 1;\n```' }] } },
        );
      },
    });
    const { page, server } = one;
    await page.addInitScript(WITHOUT_WEBGL);
    await page.reload();
    await one.visit('#/s/ASKS');
    await untilTerminalShows(page, 'its screen', (lines) => lines.join().includes('the screen of ASKS'));
    await page.getByRole('button', { name: 'Yes', exact: true }).click();
    await waitFor(() => server.sessions.answers.length === 1, { describe: 'it is answered' });

    await one.visit('#/s/DONE');
    await page.getByLabel('Reply to DONE').fill('hello');
    await page.keyboard.press('Enter');
    await page.getByLabel('Sent').getByText('hello').waitFor();

    await one.visit('#/s/JSON');
    await page.locator('.item strong', { hasText: 'Yes?' }).waitFor();
    await page.locator('pre.code span[style]').first().waitFor();

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('zzz');
    await page.getByText('No results').waitFor();
    await page.getByRole('combobox').fill('theme dark');
    await page.keyboard.press('Enter');
    await page.locator('html[data-theme=dark]').waitFor();

    // The connection is lost, and comes back by itself.
    await server.stop();
    await page.getByText(/Connection lost/).waitFor();
    await server.startAgain();
    await page.locator('.shell:not(.is-stale)').waitFor();
    expect(one.watched.faults).toEqual([]);
  });
});
