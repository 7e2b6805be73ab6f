import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CatalogueError } from '../../src/protocol/index.ts';
import { openBrowser } from '../harness/browser.ts';
import { type PageUnderTest, startPage } from '../harness/page.ts';
import { asking, FAILED } from '../harness/some-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser(world);
});
afterAll(() => world.dispose());

const OTHER = { id: 'q3', tool: { name: 'Bash', input: { command: 'git push' } }, text: 'git push' };

/** Records the answers that reach the sessions. */
function noteAnswers({ server }: PageUnderTest): string[] {
  const given: string[] = [];
  const answer = server.sessions.answer.bind(server.sessions);
  server.sessions.answer = async (slug, request) => {
    given.push(`${slug} ${request.question_id} ${request.choice}`);
    return answer(slug, request);
  };
  return given;
}

/** Waits until the card accepts keys, when its first answer is no longer disabled. */
const settled = ({ page }: PageUnderTest, card: string): Promise<boolean> =>
  waitFor(
    async () =>
      (await page
        .getByRole('article', { name: card, exact: true })
        .locator('.choice')
        .first()
        .getAttribute('aria-disabled')
        .catch(() => null)) === 'false',
    { describe: `the card of ${card} takes keys` },
  );

test.each([
  ['a desktop', { width: 1200, height: 800 }],
  ['a phone', { width: 390, height: 780 }],
])('on %s: equal questions are one card, an answer can be taken back, and no early key counts', async (_, viewport) => {
  await using one = await startPage(browser, {
    context: { viewport },
    prepare: ({ sessions }) => {
      sessions.add('A', asking({ id: 'q1' }));
      sessions.add('B', asking({ id: 'q2' }));
      sessions.add('C', asking(OTHER));
    },
  });
  const { page } = one;
  const given = noteAnswers(one);
  await one.visit('#/inbox');
  await settled(one, 'A, B');
  await page.getByText('one answer goes to all 2').waitFor();
  expect(await page.getByLabel('Filter sessions').isVisible()).toBe(false);
  // The second press of a double press reaches the next card, and has no effect there.
  await page.keyboard.press('y');
  await page.keyboard.press('y');
  await page.keyboard.press('u');
  await page.getByText('Taken back: nothing was sent').waitFor();
  await settled(one, 'A, B');
  expect(given).toEqual([]);

  await page.keyboard.press('n');
  await settled(one, 'C');
  await waitFor(() => given.length >= 2, { describe: 'the answer has left', actual: () => given });
  expect(given.sort()).toEqual(['A q1 no', 'B q2 no']);
  await page.getByText(/A, B: no$/).waitFor();
  expect(one.watched.faults).toEqual([]);
});

test('a page that is closed while an answer can be taken back has sent nothing', async () => {
  await using one = await startPage(browser, { prepare: ({ sessions }) => void sessions.add('A', asking()) });
  const given = noteAnswers(one);
  await one.visit('#/inbox');
  await settled(one, 'A');
  await one.page.keyboard.press('y');
  await one.page.getByText(/^A: yes\. It is sent/).waitFor();
  await one.page.reload();
  await settled(one, 'A');
  expect(given).toEqual([]);
});

test('sessions whose usage limit has ended are one card, and a key continues each after it was visible', async () => {
  const overAt = '2026-01-01T00:00:00.000Z';
  await using one = await startPage(browser, {
    prepare: ({ sessions }) => {
      sessions.add('A', { ...FAILED, limit_over_at: overAt });
      sessions.add('B', { ...FAILED, limit_over_at: overAt });
      sessions.add('FAILED', FAILED);
    },
  });
  const continued: string[] = [];
  one.server.sessions.continueAfterLimit = async (slug) => {
    continued.push(slug);
    throw new CatalogueError('nothing_to_continue', 'nothing was stopped');
  };
  await one.visit('#/inbox');
  await settled(one, 'A, B');
  await one.page.getByText('Continue? The usage limit has ended', { exact: true }).waitFor();
  await one.page.keyboard.press('y');
  await one.page.keyboard.press('c');
  await one.page.getByText(/^A, B: continue\. It is sent/).waitFor();
  await one.page.keyboard.press('u');
  await one.page.getByText('Taken back: nothing was sent').waitFor();
  await settled(one, 'A, B');
  expect(continued).toEqual([]);
  await one.page.keyboard.press('c');
  await waitFor(() => continued.length >= 2, { describe: 'both continue', actual: () => continued });
  expect(continued.sort()).toEqual(['A', 'B']);
  await one.page.getByText(/^A: nothing was stopped/).waitFor();
});
