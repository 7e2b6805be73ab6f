import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { type PageUnderTest, startPage } from '../harness/page.ts';
import { askingAll, someCommand } from '../harness/some-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser(world);
});
afterAll(() => world.dispose());

const OLD = someCommand('q-old', 'npm test');
const NEW = someCommand('q-new', 'npm run lint');
const start = (): Promise<PageUnderTest> =>
  startPage(browser, {
    prepare: ({ sessions, world: { projectDir } }) =>
      void sessions.add('ASKS', { ...askingAll(OLD, NEW), path: projectDir }),
  });
const panel = ({ page }: PageUnderTest, command: string) =>
  page.getByRole('region', { name: 'Permission' }).filter({ hasText: command });

test('each open question has an "Always…" of its own, which is about its own call', async () => {
  await using one = await start();
  const { page, server } = one;
  await one.visit('#/s/ASKS');
  const newer = panel(one, 'npm run lint');
  await newer.locator('.choice[aria-disabled="false"]').first().waitFor();
  await newer.getByRole('button', { name: 'Always…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Always allow this in ASKS' });
  const session = dialog.getByRole('region', { name: 'For this session' });
  await session.getByText('npm run lint').waitFor();
  expect(await dialog.getByRole('region', { name: 'As a CBOS rule' }).locator('pre').textContent()).toContain(
    'command = [ "npm run lint" ]',
  );
  await session.getByRole('button').click();
  await waitFor(() => server.sessions.answers.length > 0, { describe: 'the yes' });
  expect(server.sessions.answers).toEqual([{ choice: 'always', for: 'session', question_id: 'q-new' }]);
  expect(one.watched.faults).toEqual([]);
});

test('a key or a click that was meant for a question that is gone does not answer the next one', async () => {
  await using one = await start();
  const { page, server } = one;
  await one.visit('#/s/ASKS');
  const settled = panel(one, 'npm run lint').locator('.choice[aria-disabled="false"]').first();
  await settled.waitFor();
  // The page itself presses the key and clicks, at the moment in which the older question is gone.
  const pressed = page.evaluate(`new Promise((resolve) => {
    const look = () => {
      const [first, ...others] = document.querySelectorAll('.question');
      if (others.length > 0 || !first?.textContent.includes('npm run lint')) return requestAnimationFrame(look);
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'y', bubbles: true }));
      first.querySelector('.choice').click();
      resolve();
    };
    look();
  })`);
  server.sessions.change('ASKS', askingAll(NEW));
  await pressed;
  await settled.waitFor();
  await page.keyboard.press('x');
  await waitFor(() => server.sessions.answers.length > 0, { describe: 'the key counts' });
  expect(server.sessions.answers).toEqual([{ choice: 'no', question_id: 'q-new' }]);
  expect(one.watched.faults).toEqual([]);
});

test.each([
  ['the page of the session', '#/s/ASKS'],
  ['the first page', '#/'],
])('a key or a click that was meant for another question does not answer one that comes back: %s', async (_, place) => {
  await using one = await startPage(browser, {
    prepare: ({ sessions, world: { projectDir } }) =>
      void sessions.add('ASKS', { ...askingAll(OLD), path: projectDir }),
  });
  const { page, server } = one;
  await one.visit(place);
  const settled = (command: string) => panel(one, command).locator('.choice[aria-disabled="false"]').first();
  await settled('npm test').waitFor();
  server.sessions.change('ASKS', askingAll(NEW));
  await settled('npm run lint').waitFor();
  const pressed = page.evaluate(`new Promise((resolve) => {
    const look = () => {
      const first = document.querySelector('.question');
      if (!first?.textContent.includes('npm test')) return requestAnimationFrame(look);
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'y', bubbles: true }));
      first.querySelector('.choice').click();
      resolve();
    };
    look();
  })`);
  server.sessions.change('ASKS', askingAll(OLD));
  await pressed;
  await settled('npm test').waitFor();
  await panel(one, 'npm test').getByRole('button', { name: 'No', exact: true }).click();
  await waitFor(() => server.sessions.answers.length > 0, { describe: 'the click counts' });
  expect(server.sessions.answers).toEqual([{ choice: 3, question_id: 'q-old' }]);
  expect(one.watched.faults).toEqual([]);
});
