import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { type PageUnderTest, startPage } from '../harness/page.ts';
import { asking, DONE, WORKING } from '../harness/some-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser(world);
});
afterAll(() => world.dispose());

const heading = ({ page }: PageUnderTest, name: string) => page.getByRole('heading', { name, exact: true });
const focused = ({ page }: PageUnderTest): Promise<string> =>
  page.evaluate('document.activeElement.id || document.activeElement.textContent.trim()');

describe('the keys of the page', () => {
  test('w visits all sessions that need somebody in turn', async () => {
    await using one = await startPage(browser, {
      prepare: ({ sessions }) => {
        sessions.add('BUSY', WORKING);
        for (const slug of ['A', 'B', 'C']) sessions.add(slug, asking());
      },
    });
    await one.visit('#/s/BUSY');
    for (const slug of ['A', 'B', 'C', 'A']) {
      await one.page.keyboard.press('w');
      await heading(one, slug).waitFor();
    }
  });

  test('w counts again before the browser has reported the new address', async () => {
    await using one = await startPage(browser, {
      prepare: ({ sessions }) => {
        sessions.add('BUSY', WORKING);
        for (const slug of ['A', 'B', 'C']) sessions.add(slug, asking());
      },
    });
    await one.visit('#/s/BUSY');
    await heading(one, 'BUSY').waitFor();
    await one.page.evaluate(`
      for (let press = 0; press < 2; press += 1)
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'w', bubbles: true }));`);
    await heading(one, 'B').waitFor();
  });

  test('n opens the form of a new session with the cursor in the folder', async () => {
    await using one = await startPage(browser, { prepare: ({ sessions }) => void sessions.add('DONE', DONE) });
    await one.visit('#/s/DONE');
    await heading(one, 'DONE').waitFor();
    await one.page.keyboard.press('n');
    await heading(one, 'New session').waitFor();
    await one.page.keyboard.type('/srv');
    expect(await one.page.getByLabel('Folder').inputValue()).toBe('/srv');
    expect(await one.page.getByLabel('Filter sessions').inputValue()).toBe('');
  });

  test('an answer by key leaves the focus on its row', async () => {
    await using one = await startPage(browser, {
      prepare: ({ sessions }) => {
        sessions.add('ASKS', asking());
        sessions.add('OTHER', asking());
      },
    });
    const { page, server } = one;
    await one.visit('#/s/ASKS');
    await page.getByRole('region', { name: 'Permission' }).waitFor();
    await page.getByRole('link', { name: /^ASKS/ }).focus();
    const answered = server.sessions.answer.bind(server.sessions);
    server.sessions.answer = async (slug, request) => {
      await answered(slug, request);
      server.sessions.change(slug, WORKING);
    };
    await page.keyboard.press('y');
    await page.getByRole('region', { name: 'Permission' }).waitFor({ state: 'detached' });
    // The row of the session is in another group now.
    await page.getByRole('heading', { name: /^Working/ }).waitFor();
    expect(await focused(one)).toMatch(/^ASKS/);
  });
});

describe('an address', () => {
  test('of a session brings its row into view', async () => {
    const slugs = Array.from({ length: 60 }, (_, index) => `S-${index + 1}`);
    await using one = await startPage(browser, {
      prepare: ({ sessions }) => {
        for (const slug of slugs) sessions.addWithoutRecording(slug, DONE);
      },
    });
    const { page } = one;
    const row = page.getByRole('navigation', { name: 'Sessions' }).getByRole('link', { name: /^S-55/ });
    const inView = async () => {
      const box = await row.boundingBox();
      const list = await page.getByRole('navigation', { name: 'Sessions' }).boundingBox();
      return box !== null && list !== null && box.y >= list.y && box.y + box.height <= list.y + list.height;
    };
    await one.visit('#/s/S-55');
    await waitFor(inView, { describe: 'the row of an address that was opened later is in view' });
    await page.reload();
    await row.waitFor();
    await waitFor(inView, { describe: 'the row is in view after a reload' });
  });

  test('of another search starts that search, and the back button leads to the previous one', async () => {
    await using one = await startPage(browser);
    const field = one.page.getByLabel('Search all sessions');
    await one.visit('#/search?q=first');
    await waitFor(async () => (await field.inputValue()) === 'first', { describe: 'the first is in the field' });
    await one.visit('#/search?q=second');
    await waitFor(async () => (await field.inputValue()) === 'second', { describe: 'the second is in the field' });
    await one.page.goBack();
    await waitFor(async () => (await field.inputValue()) === 'first', { describe: 'the first is back' });
  });

  test("of a JSON session's replay leads to its conversation, and shows no other session's slider", async () => {
    await using one = await startPage(browser, {
      prepare: ({ sessions }) => {
        sessions.add('SCREEN', DONE);
        sessions.addWithoutRecording('JSON', { type: 'json', json_state: 'complete' });
      },
    });
    const { page, server } = one;
    server.sessions.happen('JSON', {
      type: 'assistant',
      message: { content: [{ type: 'text', text: 'what it said' }] },
    });
    await one.visit('#/s/SCREEN/replay');
    await page.getByLabel('Position').waitFor();
    await one.visit('#/s/JSON/replay');
    await page.getByText('what it said').waitFor();
    expect(await page.getByLabel('Position').count()).toBe(0);
  });
});

test('a draft is there after a reload, and gone once it is sent', async () => {
  await using one = await startPage(browser, { prepare: ({ sessions }) => void sessions.add('DONE', DONE) });
  const { page } = one;
  const reply = page.getByLabel('Reply to DONE');
  await one.visit('#/s/DONE');
  await reply.fill('half written');
  await page.reload();
  await reply.waitFor();
  expect(await reply.inputValue()).toBe('half written');
  await reply.press('Enter');
  await page.getByLabel('Sent').getByText('half written').waitFor();
  await page.reload();
  await reply.waitFor();
  expect(await reply.inputValue()).toBe('');
});

test('on a phone a message covers no field and no button', async () => {
  await using one = await startPage(browser, {
    context: { viewport: { width: 390, height: 844 } },
    prepare: ({ sessions }) => void sessions.add('DONE', DONE),
  });
  const { page } = one;
  const covered = `[...document.querySelectorAll('main :is(input, textarea, select, button, a)')].filter((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const at = document.elementFromPoint(left + width / 2, top + height / 2);
    return at !== null && at.closest('.toasts') !== null;
  }).map((element) => element.outerHTML.slice(0, 80))`;
  await one.visit('#/new');
  await page.getByLabel('Folder').fill('/no/such/folder');
  await page.getByLabel('Name', { exact: true }).fill('DONE');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.locator('.toast').waitFor();
  expect(await page.evaluate(covered)).toEqual([]);
});
