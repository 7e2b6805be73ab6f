import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { type PageUnderTest, startPage } from '../harness/page.ts';
import { asking } from '../harness/some-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const LINES = `${'echo "all is well"\n'.repeat(5_000)}touch evil`;
const ONE_LINE = `echo ${'x'.repeat(100_000)}; touch evil`;

const world = createWorld();
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser(world);
});
afterAll(() => world.dispose());

const permission = ({ page }: PageUnderTest) => page.getByRole('region', { name: 'Permission' });
const yes = (one: PageUnderTest) => permission(one).getByRole('button', { name: 'Yes', exact: true });

test.each([
  ['lines', LINES, '#/s/ASKS'],
  ['lines, among those that need somebody', LINES, '#/'],
  ['one line', ONE_LINE, '#/s/ASKS'],
])(
  'a command that is longer than its space can be allowed only after its end was shown: %s',
  async (_name, command, place) => {
    await using one = await startPage(browser, {
      prepare: ({ sessions }) => void sessions.add('ASKS', asking({ tool: { name: 'Bash', input: { command } } })),
    });
    const { page } = one;
    const { sessions } = one.server;
    await one.visit(place);
    await permission(one).getByText('Read the request to the end').waitFor();
    expect(await yes(one).getAttribute('aria-disabled')).toBe('true');
    await yes(one).click({ force: true });
    if (place !== '#/') for (const key of ['y', 'a', '1']) await page.keyboard.press(key);
    const isWrapped = `[...document.querySelectorAll('.question pre')].every(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)`;
    expect(await page.evaluate(isWrapped)).toBe(true);
    expect(sessions.answers).toEqual([]);
    const scroll = `for (const one of document.querySelectorAll('.question pre, .question-body')) one.scrollTo(0, one.scrollHeight)`;
    await page.evaluate(scroll);
    await permission(one).getByText('Read the request to the end').waitFor({ state: 'detached' });
    await permission(one).locator('.choice[aria-disabled="false"]').first().waitFor();
    await yes(one).click();
    await waitFor(() => sessions.answers.length > 0, { describe: 'the yes counts' });
    expect(sessions.answers).toEqual([{ choice: 1, question_id: 'q1' }]);
  },
);

test('a no counts before everything was read', async () => {
  await using one = await startPage(browser, {
    prepare: ({ sessions }) => void sessions.add('ASKS', asking({ tool: { name: 'Bash', input: { command: LINES } } })),
  });
  await one.visit('#/s/ASKS');
  await permission(one).getByText('Read the request to the end').waitFor();
  await permission(one).getByRole('button', { name: 'No', exact: true }).click();
  await waitFor(() => one.server.sessions.answers.length > 0, { describe: 'the no counts' });
  expect(one.server.sessions.answers).toEqual([{ choice: 3, question_id: 'q1' }]);
});

test('a cut is announced, and leads to the terminal', async () => {
  await using one = await startPage(browser, {
    prepare: ({ sessions }) => void sessions.add('ASKS', asking({ cut: true })),
  });
  await one.visit('#/s/ASKS');
  await permission(one)
    .getByText(/longer than .* here/)
    .waitFor();
  expect(await permission(one).getByRole('button', { name: /^Yes/ }).count()).toBe(0);
  for (const key of ['y', 'a', '1', 'x']) await one.page.keyboard.press(key);
  await waitFor(() => one.server.sessions.answers.length > 0, { describe: 'the no counts' });
  expect(one.server.sessions.answers).toEqual([{ choice: 'no', question_id: 'q1' }]);
});

test('the whole input of a tool is shown, even next to a command or an edit, and the reason for which it asks', async () => {
  const host = 'production.example';
  await using one = await startPage(browser, {
    prepare: ({ sessions }) => {
      const command = 'echo \u001b]0; rm -rf ~';
      sessions.add('RUNS', asking({ tool: { name: 'mcp__ssh__run', input: { command, host } }, reason: 'Ask Ada' }));
      const edit = { file_path: 'a.ts', old_string: 'a', new_string: 'b', replace_all: true };
      sessions.add('EDITS', asking({ id: 'q2', tool: { name: 'Edit', input: edit } }));
      const write = { file_path: 'a.ts', content: 'x', mode: 511 };
      sessions.add('WRITES', asking({ id: 'q3', tool: { name: 'Write', input: write } }));
    },
  });
  await one.visit('#/s/RUNS');
  await permission(one).getByText(host).waitFor();
  await permission(one).getByText('Reason: Ask Ada').waitFor();
  await permission(one).getByText('echo \\u001b]0; rm -rf ~').waitFor();
  await one.visit('#/s/EDITS');
  await permission(one).getByText('replace_all').waitFor();
  await one.visit('#/s/WRITES');
  await permission(one).getByText('511').waitFor();
});
