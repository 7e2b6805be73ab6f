import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { type PageUnderTest, startPage } from '../harness/page.ts';
import { asking, WORKING } from '../harness/some-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser(world);
});
afterAll(() => world.dispose());

const said = (text: string) => ({ type: 'assistant', message: { content: [{ type: 'text', text }] } });
const lines = (from: number): string => Array.from({ length: 60 }, (_, index) => `line ${from + index}`).join('\n\n');
const toEnd = ({ page }: PageUnderTest) =>
  page.locator('.conversation').evaluate((all) => all.scrollHeight - all.scrollTop - all.clientHeight);

test('a conversation stays at its end whatever arrives, unless somebody reads above', async () => {
  await using one = await startPage(browser, {
    prepare: ({ sessions }) => void sessions.addWithoutRecording('JSON', { type: 'json', json_state: 'running' }),
  });
  const { page, server } = one;
  server.sessions.happen('JSON', said(lines(1)));
  await one.visit('#/s/JSON');
  await page.getByText('line 60', { exact: true }).waitFor();
  const atEnd = () => waitFor(async () => (await toEnd(one)) < 2, { describe: 'it is at its end' });
  await atEnd();
  // A question takes half of the room, and code is coloured. The end must stay in view.
  server.sessions.happen('JSON', said('```ts\nconst a = 1;\n```'));
  server.sessions.change('JSON', asking());
  await one.page.getByRole('region', { name: 'Permission' }).waitFor();
  await atEnd();
  await page.locator('.conversation').hover();
  await page.mouse.wheel(0, -1_000);
  await waitFor(async () => (await toEnd(one)) > 500, { describe: 'it was scrolled' });
  server.sessions.happen('JSON', said('more'));
  await page.getByText('more', { exact: true }).waitFor();
  expect(await toEnd(one)).toBeGreaterThan(500);
});

test('a conversation is opened at the place that a search found', async () => {
  await using one = await startPage(browser, {
    prepare: ({ sessions }) =>
      void sessions.addWithoutRecording('JSON', { type: 'json', json_state: 'complete', last_question: 'needle' }),
  });
  const { page, server } = one;
  server.sessions.happen('JSON', said(lines(1)));
  const search = server.sessions.search.bind(server.sessions);
  server.sessions.search = async (query) => {
    const { hits, ...rest } = await search(query);
    return { ...rest, hits: hits.map((hit) => ({ ...hit, recording: null, offset: null, seq: 2 })) };
  };
  await one.visit('#/search');
  await page.getByLabel('Search all sessions').fill('needle');
  await page.locator('a.hit').click();
  await page.getByText('line 60', { exact: true }).waitFor({ state: 'attached' });
  await waitFor(async () => (await toEnd(one)) < 5, { describe: 'the view is at the end' });
  // The found message comes last at first, so the view is at the end, which must not count as following the end.
  server.sessions.happen('JSON', said('the needle'));
  const found = page.locator('.item.found', { hasText: 'the needle' });
  const inView = async () => {
    const box = await found.boundingBox();
    return box !== null && box.y > 60 && box.y < 700;
  };
  await waitFor(inView, { describe: 'the hit is in view' });
  // New output must not scroll the view away from the found place. The event of the scrolling comes before it.
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  server.sessions.happen('JSON', said(lines(100)));
  await page.getByText('line 159', { exact: true }).waitFor({ state: 'attached' });
  await waitFor(inView, { describe: 'the hit is still in view' });
  expect(await toEnd(one)).toBeGreaterThan(500);
});

test('a conversation shows that a call waits for its permission, not that it runs', async () => {
  await using one = await startPage(browser, {
    prepare: ({ sessions }) => void sessions.addWithoutRecording('JSON', { type: 'json', json_state: 'running' }),
  });
  const { page, server } = one;
  const call = (id: string, command: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command } });
  const content = [call('a', 'npm test'), call('b', 'sleep 9')];
  server.sessions.happen('JSON', { type: 'assistant', message: { content } });
  server.sessions.change('JSON', asking({ tool: { name: 'Bash', input: { command: 'npm test' } } }));
  await one.visit('#/s/JSON');
  await page.locator('details.tool', { hasText: 'npm test' }).getByText('needs you').waitFor();
  await page.locator('details.tool', { hasText: 'sleep 9' }).getByText('running').waitFor();
  server.sessions.change('JSON', WORKING);
  await page.locator('details.tool', { hasText: 'npm test' }).getByText('running').waitFor();
});
