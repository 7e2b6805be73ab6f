import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { createRepository } from '../harness/git-repository.ts';
import { startPage } from '../harness/page.ts';
import { DONE, WORKING } from '../harness/some-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser(world);
});
afterAll(() => world.dispose());

test('lines are commented on, sent as the prompt that is shown, and answered next to it; a mark is removed by a change', async () => {
  const repository = createRepository(world);
  repository.write('a.txt', 'one\ntwo\nthree\nfour\n');
  repository.commit();
  repository.git('checkout', '--quiet', '-b', 'task');
  repository.write('a.txt', 'one\n2\nthree\nfour\n');
  await using one = await startPage(browser, {
    prepare: ({ sessions }) => void sessions.add('AUTH', { ...DONE, path: repository.dir }),
  });
  const { page, server } = one;
  const review = page.getByRole('region', { name: 'Review' });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const comment = async (text: string): Promise<void> => {
    await review.getByRole('textbox').fill(text);
    await button('Comment').click();
    await review.getByText(text).waitFor();
  };
  await one.visit('#/s/AUTH/changes');
  await button('Comment on line 2').click();
  await comment('Use a <b>word</b>.');
  await button('Comment on line 3').click();
  await button('Comment on line 4').click({ modifiers: ['Shift'] });
  await page.getByRole('textbox', { name: 'Comment on lines 3–4' }).waitFor();
  await comment('Split this.');
  await button('Comment on line 2 of the base').click();
  await comment('This was better.');
  await button('Delete the comment on a.txt, line 2 of the base (since removed)').click();
  await review.getByText('round 1: 2 comments to send').waitFor();
  await page.locator('.patch-row[data-commented=true]', { hasText: 'three' }).waitFor();
  await button('Reviewed').click();
  await page.locator('.changed-file', { hasText: '✓' }).waitFor();

  // A review is sent as it was read. If a line changes after that, the review is not sent.
  await button('Send…').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('> 2 Use a <b>word</b>.').waitFor();
  repository.write('a.txt', 'zero\none\n2\nthree\nfour\n');
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('have changed since you saw the prompt').waitFor();
  expect(server.sessions.deliveries('AUTH')).toEqual([]);
  await dialog.getByText('a.txt, lines 4–5').waitFor();
  await dialog.getByRole('button', { name: 'Send', exact: true }).click();
  await waitFor(() => server.sessions.deliveries('AUTH').length === 1, { describe: 'the prompt is sent' });
  const prompt = server.sessions.deliveries('AUTH')[0]?.text ?? '';
  expect(prompt).toContain('1. a.txt, line 3:\n> 2\nUse a <b>word</b>.\n\n2. a.txt, lines 4–5:');
  await review.getByText('No answer yet').waitFor({ state: 'attached' });
  await page.locator('.changed-file', { hasText: '✓' }).waitFor({ state: 'detached' });

  server.sessions.change('AUTH', WORKING);
  await page.getByText('A turn is running').waitFor();
  const said = { type: 'assistant', message: { content: [{ type: 'text', text: '1: it is a word now.' }] } };
  server.sessions.write('AUTH', { type: 'user', message: { content: prompt } }, said);
  server.sessions.change('AUTH', DONE);
  await review.getByText('1: it is a word now.').waitFor();
  expect(await page.locator('#app b').count()).toBe(0);
  expect(one.watched.faults.filter((fault) => !/409/.test(String(fault)))).toEqual([]);
});
