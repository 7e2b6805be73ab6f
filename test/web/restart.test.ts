import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ClaudeEvent } from '../../src/protocol/index.ts';
import { openBrowser, watchScripts } from '../harness/browser.ts';
import {
  FAILED_WORKERS_ARE_DONE,
  type PageUnderTest,
  startPage,
  terminalLines,
  untilTerminalShows,
} from '../harness/page.ts';
import { asking, DONE, WORKING } from '../harness/some-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser(world);
});
afterAll(() => world.dispose());

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`);
const stale = ({ page }: PageUnderTest) => page.getByText('Connection lost', { exact: false });

test('a terminal continues after a restart of the server: no byte is lost, none comes twice', async () => {
  await using one = await startPage(browser, {
    readsTerminal: true,
    prepare: ({ sessions }) => void sessions.add('TERM', WORKING),
  });
  const { page, server } = one;
  const write = (lines: string[]) => server.sessions.stream('TERM').write(lines.map((line) => `${line}\r\n`).join(''));
  const shows = (lines: string[]) =>
    untilTerminalShows(page, `${lines.length} lines`, (shown) => shown.join() === lines.join());
  await one.visit('#/s/TERM');
  write(numbered(1, 5));
  await shows(numbered(1, 5));
  await page.getByRole('button', { name: 'Take the keyboard' }).click();
  await server.stop();
  await stale(one).waitFor();
  await page.getByRole('button', { name: 'Take the keyboard' }).and(page.locator(':disabled')).waitFor();
  write(numbered(6, 9));
  expect(await terminalLines(page)).toEqual(numbered(1, 5));
  await server.startAgain();
  await stale(one).waitFor({ state: 'detached' });
  write(numbered(10, 12));
  await shows(numbered(1, 12));
  expect(one.watched.faults).toEqual([]);
});

test('a part that is first needed while the server is away loads when it is back', async () => {
  await using one = await startPage(browser, {
    readsTerminal: true,
    prepare: ({ sessions }) => {
      sessions.add('TERM', WORKING).write('hello there');
      sessions.add('ASKS', asking());
    },
  });
  const { page, server } = one;
  await watchScripts(one.watched);
  await server.stop();
  await stale(one).waitFor();
  await one.visit('#/s/TERM');
  await one.visit('#/s/ASKS');
  await one.visit('#/s/TERM');
  await server.startAgain();
  await untilTerminalShows(page, 'it is there', (lines) => lines.join() === 'hello there');
  expect(await page.evaluate("getComputedStyle(document.querySelector('.xterm-viewport')).position")).toBe('absolute');
  await one.visit('#/s/ASKS');
  await page.getByRole('region', { name: 'Permission' }).locator('pre.code span[class^="code-"]').first().waitFor();
  expect(one.watched.faults).toEqual([]);
});

test('code that is first shown while the server is away is coloured when it is back', async () => {
  await using one = await startPage(browser, { prepare: ({ sessions }) => void sessions.add('DONE', DONE) });
  const { page, server } = one;
  const python = { name: 'Write', input: { file_path: 'a.py', content: 'def a(): pass' } };
  const coloured = () =>
    page.getByRole('region', { name: 'Permission' }).locator('pre.code span[class^="code-"]').first();
  await page.addInitScript(FAILED_WORKERS_ARE_DONE);
  await page.reload();
  await one.visit('#/s/DONE');
  // This session is added only now, because the overview, on which the page was opened, would have shown it and loaded
  // the colours.
  server.sessions.add('WRITES', asking({ tool: python }));
  await page.locator('.session-row', { hasText: 'WRITES' }).waitFor();
  await server.stop();
  await stale(one).waitFor();
  await one.visit('#/s/WRITES');
  await waitFor(() => page.evaluate('failedWorkers > 0'), { describe: 'the colours do not come' });
  await server.startAgain();
  await coloured().waitFor();
  expect(one.watched.faults).toEqual([]);
});

test('a conversation continues after a restart of the server: nothing is missing, nothing comes twice', async () => {
  await using one = await startPage(browser, {
    prepare: ({ sessions }) => void sessions.addWithoutRecording('JSON', { type: 'json', json_state: 'complete' }),
  });
  const { page, server } = one;
  const said = (text: string): ClaudeEvent => ({ type: 'assistant', message: { content: [{ type: 'text', text }] } });
  const texts = () => page.locator('.item').allTextContents();
  server.sessions.happen('JSON', said('one'), said('two'));
  await one.visit('#/s/JSON');
  await page.getByText('two').waitFor();
  await server.stop();
  await stale(one).waitFor();
  server.sessions.happen('JSON', said('three'));
  await server.startAgain();
  await page.getByText('three').waitFor();
  server.sessions.happen('JSON', said('four'));
  await page.getByText('four').waitFor();
  expect(await texts()).toEqual(['one', 'two', 'three', 'four']);
  expect(one.watched.faults).toEqual([]);
});

test('old data is shown as old, and no answer is given to it; then it is current again', async () => {
  await using one = await startPage(browser, {
    prepare: ({ sessions }) => {
      sessions.add('ASKS', asking());
      sessions.add('BUSY', WORKING);
    },
  });
  const { page, server } = one;
  await one.visit('#/s/ASKS');
  await page.getByRole('region', { name: 'Permission' }).waitFor();
  expect(await page.title()).toContain('(1)');
  await server.stop();
  await stale(one).waitFor();
  await page.getByText('was: asks permission').waitFor();
  // Without the server, the page does not know whether a session still needs somebody.
  expect(await page.title()).not.toContain('(');
  expect(await page.getByRole('button', { name: 'Yes', exact: true }).isDisabled()).toBe(true);
  await page.keyboard.press('y');
  server.sessions.change('ASKS', DONE);
  server.sessions.change('BUSY', asking({ id: 'q2' }));
  await server.startAgain();
  await stale(one).waitFor({ state: 'detached' });
  await page.getByText('done', { exact: true }).first().waitFor();
  expect(await page.getByRole('region', { name: 'Permission' }).count()).toBe(0);
  expect(await page.getByText('was:').count()).toBe(0);
  await waitFor(async () => (await page.title()).includes('(1)'), { describe: 'the title counts again' });
  expect(server.sessions.answers).toEqual([]);
  expect(one.watched.faults).toEqual([]);
});
