import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { openBrowser } from '../harness/browser.ts';
import { type PageUnderTest, startPage } from '../harness/page.ts';
import { callRoute } from '../harness/rest.ts';
import { asking, DONE, WORKING } from '../harness/some-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser(world);
});
afterAll(() => world.dispose());

const read = async ({ server }: PageUnderTest, slug: string): Promise<Session> =>
  (await callRoute(server, 'getSession', { params: { slug } })).json() as Session;
const unreadRow = ({ page }: PageUnderTest, slug: string) => page.locator(`[data-slug=${slug}][data-unread]`);
const title = (one: PageUnderTest, expected: string): Promise<boolean> =>
  waitFor(async () => (await one.page.title()) === expected, { describe: `the title is ${expected}` });

test('a session is read once it was open for a while, and can be marked as unread', async () => {
  await using one = await startPage(browser);
  const { page, server } = one;
  for (const slug of ['AUTH', 'DOCS']) server.sessions.add(slug, DONE);
  await one.visit('#/s/DOCS');
  await page.getByRole('heading', { name: 'DOCS', exact: true }).waitFor();
  server.sessions.change('AUTH', WORKING);
  server.sessions.change('AUTH', DONE);
  await unreadRow(one, 'AUTH').waitFor();
  await one.visit('#/s/AUTH');
  await page.getByRole('heading', { name: 'AUTH', exact: true }).waitFor();
  await waitFor(async () => !(await read(one, 'AUTH')).unread, { describe: 'AUTH was looked at' });
  await unreadRow(one, 'AUTH').waitFor({ state: 'detached' });

  await page.keyboard.press('u');
  await unreadRow(one, 'AUTH').waitFor();
  expect(await read(one, 'AUTH')).toMatchObject({ unread: true, marked_unread: true });
  expect(one.watched.faults).toEqual([]);
});

test('a snoozed session is in no badge and in no list of open questions, until it asks something new', async () => {
  await using one = await startPage(browser);
  const { page, server } = one;
  server.sessions.add('AUTH', asking());
  await one.visit('#/s/AUTH');
  await page.getByRole('heading', { name: 'AUTH', exact: true }).waitFor();
  await title(one, '(1) AUTH · CBOS');
  await page.keyboard.press('Z');
  const dialog = page.getByRole('dialog', { name: 'Snooze AUTH' });
  await dialog.getByRole('button', { name: 'it asks' }).click();
  await dialog.waitFor({ state: 'detached' });
  await title(one, 'AUTH · CBOS');
  await page.getByRole('heading', { name: /^Snoozed/ }).waitFor();
  await one.visit('#/');
  await page.getByRole('heading', { name: 'Nothing needs you' }).waitFor();
  expect((await read(one, 'AUTH')).snoozed?.until_asks).toBe(true);

  server.sessions.change('AUTH', WORKING);
  server.sessions.change('AUTH', asking({ id: 'q2' }));
  await title(one, '(1) CBOS');
  expect(one.watched.faults).toEqual([]);
});

test('a time is typed, and the session is woken by hand', async () => {
  await using one = await startPage(browser);
  const { page, server } = one;
  server.sessions.add('AUTH', asking());
  await one.visit('#/s/AUTH');
  await page.getByRole('heading', { name: 'AUTH', exact: true }).waitFor();
  await page.keyboard.press('Z');
  const dialog = page.getByRole('dialog', { name: 'Snooze AUTH' });
  await dialog.getByLabel('Time').fill('soon');
  expect(await dialog.getByRole('button', { name: 'Snooze' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Time').fill('2h');
  await dialog.getByRole('button', { name: 'Snooze' }).click();
  await waitFor(async () => (await read(one, 'AUTH')).snoozed !== null, { describe: 'it is snoozed' });
  await dialog.waitFor({ state: 'detached' });
  await page.keyboard.press('Z');
  await dialog.getByRole('button', { name: 'Wake it' }).click();
  await waitFor(async () => (await read(one, 'AUTH')).snoozed === null, { describe: 'it is awake' });
  expect(one.watched.faults).toEqual([]);
});
