import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { openBrowser } from '../harness/browser.ts';
import type { FacesUnderTest } from '../harness/faces.ts';
import { type PageUnderTest, startPage } from '../harness/page.ts';
import { callRoute } from '../harness/rest.ts';
import { someSession } from '../harness/some-session.ts';
import { asking, DONE, WORKING } from '../harness/some-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser(world);
});
afterAll(() => world.dispose());

const STOPPED: Partial<Session> = {
  state: 'dead',
  status: { ...someSession('X').status, primary: 'dead', detail: null, health: 'DEAD' },
};

/** Creates a folder that a list recognizes as a repository. */
function repository(server: FacesUnderTest, name: string): string {
  const path = join(server.world.dir, name);
  mkdirSync(join(path, '.git'), { recursive: true });
  return path;
}

/** Returns the list from the top: `# heading count`, and the names of rows. */
const listOf = ({ page }: PageUnderTest): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('.sessions h2, .sessions .session-row')].map((one) =>
    one.matches('h2') ? '# ' + [...one.children].map((part) => part.textContent).join(' ') : one.dataset.slug)`);

async function untilListIs(one: PageUnderTest, expected: string[]): Promise<void> {
  let list: string[] = [];
  const isSo = async (): Promise<boolean> => {
    list = await listOf(one);
    return JSON.stringify(list) === JSON.stringify(expected);
  };
  await waitFor(isSo, { describe: `the list is ${expected.join(', ')}`, actual: () => list });
}

const tagsOf = async ({ server }: PageUnderTest, slug: string): Promise<string[]> =>
  ((await callRoute(server, 'getSession', { params: { slug } })).json() as Session).tags ?? [];

test('the list is divided by repository or tag, folds its groups, and never hides sessions that need somebody', async () => {
  await using one = await startPage(browser, {
    prepare: ({ sessions, ...server }) => {
      const [shop, site] = [repository(server as FacesUnderTest, 'shop'), repository(server as FacesUnderTest, 'site')];
      sessions.add('CART', { ...WORKING, path: shop });
      sessions.add('ASKS', { ...asking(), path: shop });
      sessions.add('HOME', { ...DONE, path: site });
      sessions.add('LOOSE', { ...DONE, path: server.world.dir });
    },
  });
  const { page } = one;
  await untilListIs(one, ['# Needs you 1', 'ASKS', '# Done 2', 'HOME', 'LOOSE', '# Working 1', 'CART']);
  await page.keyboard.press('b');
  await untilListIs(one, ['# shop 2', 'ASKS', 'CART', '# site 1', 'HOME', '# No repository 1', 'LOOSE']);
  await page.getByRole('button', { name: 'shop', exact: true }).click();
  await page.getByRole('button', { name: 'site', exact: true }).click();
  const folded = ['# shop 2', 'ASKS', '# site 1', '# No repository 1', 'LOOSE'];
  await untilListIs(one, folded);
  // Folded sessions are not available for an action either.
  await page.keyboard.press('v');
  await page.getByRole('button', { name: 'All shown' }).click();
  await page.getByText('2 chosen', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Done', exact: true }).click();
  // The open session stays visible.
  await one.visit('#/s/CART');
  await untilListIs(one, ['# shop 2', 'ASKS', 'CART', '# site 1', '# No repository 1', 'LOOSE']);
  await one.visit('#/');
  await page.reload();
  await untilListIs(one, folded);

  // A filter searches all groups, and its words can be chosen.
  await page.keyboard.press('f');
  const dialog = page.getByRole('dialog', { name: 'The list' });
  await dialog.getByRole('button', { name: '@shop' }).click();
  await untilListIs(one, ['# shop 2', 'ASKS', 'CART']);
  await dialog.getByRole('button', { name: 'grouped by what sessions need from you' }).click();
  await untilListIs(one, ['# Needs you 1', 'ASKS', '# Working 1', 'CART']);
  expect(await page.getByLabel('Filter sessions').inputValue()).toBe('@shop');
  // The current view is saved for every face, and one click restores it.
  await dialog.getByRole('button', { name: 'by repository' }).click();
  await dialog.getByLabel('Name of a new view').fill('shop-only');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('button', { name: 'shop-only @shop' }).waitFor();
  await dialog.getByRole('button', { name: '@shop 2', exact: true }).click();
  await dialog.getByRole('button', { name: 'not grouped' }).click();
  await page.keyboard.press('Escape');
  await untilListIs(one, ['CART', 'ASKS', 'HOME', 'LOOSE']);
  const views = (await callRoute(one.server, 'listViews')).json();
  expect(views).toEqual([{ name: 'shop-only', group: 'repo', filter: '@shop' }]);
  await page.keyboard.press('f');
  await dialog.getByRole('button', { name: 'shop-only @shop' }).click();
  await untilListIs(one, ['# shop 2', 'ASKS', 'CART']);
  expect(one.watched.faults).toEqual([]);
});

test('tags are given to several sessions at once, with a result for each', async () => {
  await using one = await startPage(browser, {
    prepare: ({ sessions }) => {
      for (const slug of ['AUTH', 'DOCS', 'SHOP']) sessions.add(slug, DONE);
    },
  });
  const { page } = one;
  await callRoute(one.server, 'tagSession', { params: { slug: 'AUTH' }, body: { add: ['old'] } });
  await page.keyboard.press('v');
  for (const slug of ['AUTH', 'DOCS']) await page.locator(`[data-slug=${slug}]`).click();
  await page.getByRole('button', { name: 'Tags…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Tags for 2 sessions' });
  await dialog.getByRole('button', { name: 'Remove old' }).click();
  const field = dialog.getByLabel('Tags to add or remove');
  await field.fill(`${await field.inputValue()} ni/ght`);
  await dialog.getByText("ni/ght isn't a valid tag").waitFor();
  expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await field.fill('-old night');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('AUTH #night').waitFor();
  await dialog.getByText('DOCS #night').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  expect([await tagsOf(one, 'AUTH'), await tagsOf(one, 'DOCS'), await tagsOf(one, 'SHOP')]).toEqual([
    ['night'],
    ['night'],
    [],
  ]);
  await page.getByLabel('Filter sessions').fill('#night');
  await untilListIs(one, ['# Done 2', 'AUTH', 'DOCS']);
  expect(one.watched.faults).toEqual([]);
});

test('an archived session is marked when it is open, is found again, and is listed again', async () => {
  await using one = await startPage(browser, {
    prepare: ({ sessions }) => {
      sessions.add('OLD', { ...STOPPED, type: 'json', last_question: 'fix the till' });
      sessions.add('NEW', DONE);
    },
  });
  const { page, server } = one;
  await one.visit('#/s/OLD');
  await page.getByRole('heading', { name: 'OLD', exact: true }).waitFor();
  await callRoute(server, 'archiveSession', { params: { slug: 'OLD' } });
  await page.getByText(/^Archived since/).waitFor();
  await untilListIs(one, ['# Done 1', 'NEW']);
  await page.getByRole('button', { name: 'List it again' }).click();
  await page.getByLabel('Reply').waitFor();
  await untilListIs(one, ['# Done 1', 'NEW', '# Stopped 1', 'OLD']);

  // It can also be archived from the page, which first explains what that means.
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Archive…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Archive OLD?' });
  await expectSettled(dialog.getByRole('button', { name: 'Archive' }));
  await dialog.getByRole('button', { name: 'Archive' }).click();
  await page.getByText(/^Archived since/).waitFor();

  await one.visit('#/search?q=till');
  await page.locator('a.hit', { hasText: 'OLD' }).click();
  await page.getByRole('heading', { name: 'OLD, replay' }).waitFor();
  await page.getByRole('link', { name: 'Live' }).click();
  await page.getByText(/^Archived since/).waitFor();

  await one.visit('#/archived');
  await page.getByText('1 archived.').waitFor();
  await page.getByLabel('Choose OLD').check();
  await page.getByRole('button', { name: 'List 1 again' }).click();
  await page.getByText('OLD listed again').waitFor();
  await untilListIs(one, ['# Done 1', 'NEW', '# Stopped 1', 'OLD']);
  // A deleted session is not shown as archived.
  await one.visit('#/s/NOBODY');
  await page.getByRole('heading', { name: 'No session is named NOBODY' }).waitFor();
  expect(one.watched.faults).toEqual([]);
});

async function expectSettled(button: { getAttribute(name: string): Promise<string | null> }): Promise<void> {
  await waitFor(async () => (await button.getAttribute('aria-disabled')) === 'false', {
    describe: 'the dialog was shown for a moment',
  });
}
