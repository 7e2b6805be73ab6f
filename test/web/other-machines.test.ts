import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import {
  found,
  hasNatsServer,
  invite,
  joinFleet,
  type MachineUnderTest,
  removeSessions,
  startMachine,
  stopMachines,
} from '../harness/fleet.ts';
import { openPageOf, type PageUnderTest, WEB_DIR } from '../harness/page.ts';
import { asking, DONE } from '../harness/some-sessions.ts';
import { openTerminal, type Terminal } from '../harness/tmux.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

/** The page and the terminal UI of one machine, with two others in its fleet. */
const world = createWorld();
let browser: Browser;
let desk: MachineUnderTest;
let laptop: MachineUnderTest;
let shy: MachineUnderTest;
let one: PageUnderTest;
let terminal: Terminal;

describe.skipIf(!hasNatsServer)('the sessions of other machines', () => {
  beforeAll(async () => {
    [browser, desk, laptop, shy] = await Promise.all([
      openBrowser(world),
      startMachine('desk', { webDir: WEB_DIR }),
      startMachine('laptop'),
      startMachine('shy'),
    ]);
    await found(desk);
    await joinFleet(laptop, await invite(desk, ['see']), ['see', 'answer', 'type']);
    await joinFleet(shy, await invite(desk, ['see']), ['see']);
    desk.sessions.add('HERE', DONE).write('the screen of HERE\r\n');
    one = await openPageOf(desk, browser);
    terminal = await openTerminal(desk.world, { cols: 110, rows: 30 });
    await terminal.until(/HERE[\s\S]*q quit/, 'the sessions');
  }, 90_000);
  afterAll(async () => {
    await stopMachines(shy, laptop);
    await (one ?? desk)?.[Symbol.asyncDispose]();
    await world.dispose();
  });
  beforeEach(async () => {
    await removeSessions(laptop, shy);
    laptop.sessions.answers.length = 0;
  });

  const row = (slug: string) => one.page.locator(`[data-slug="${slug}"]`);

  test('are in the page, are answered there, and accept texts', async () => {
    const { page } = one;
    laptop.sessions.add('DEPLOY', asking()).write('the screen of DEPLOY\r\n');
    laptop.sessions.add('READY', DONE);
    await row('laptop/DEPLOY').waitFor();
    await one.visit('#/s/laptop%2FDEPLOY');
    await page.getByRole('heading', { name: 'laptop/DEPLOY', exact: true }).waitFor();
    await page.locator('.far-screen', { hasText: 'the screen of DEPLOY' }).waitFor();
    // Actions that are possible only on the session's own machine have no button.
    expect(await page.locator('.page-head button').allTextContents()).toEqual([]);
    await page.getByRole('button', { name: 'Yes', exact: true }).click();
    await waitFor(() => laptop.sessions.answers.length > 0, { describe: 'the answer has arrived' });
    expect(laptop.sessions.answers).toEqual([{ choice: 1, question_id: 'q1' }]);

    await one.visit('#/s/laptop%2FREADY');
    await page.getByLabel('Reply to laptop/READY').fill('run the tests');
    await page.getByRole('button', { name: 'Send' }).click();
    await waitFor(() => laptop.sessions.deliveries('READY').length === 1, { describe: 'the text has arrived' });
    expect(laptop.sessions.deliveries('READY').map(({ text }) => text)).toEqual(['run the tests']);
  });

  test('show in the page which actions are not allowed, and cannot be answered with a key either', async () => {
    shy.sessions.add('SECRET', asking());
    await row('shy/SECRET').waitFor();
    await one.visit('#/s/shy%2FSECRET');
    await one.page.getByText('This machine may not answer on shy').waitFor();
    expect(await one.page.getByRole('button', { name: 'Yes', exact: true }).isDisabled()).toBe(true);
    expect(await one.page.locator('#reply').count()).toBe(0);
  });

  test('are in the terminal UI, are answered there, and list only the keys that have an effect', async () => {
    laptop.sessions.add('DEPLOY', asking()).write('the screen of DEPLOY\r\n');
    await terminal.until(/laptop\/DEPLOY/, 'the session of the laptop');
    await terminal.keys('Tab');
    const shown = await terminal.until(/the screen of DEPLOY[\s\S]*y yes/, 'its screen, and the keys that answer');
    expect(shown).not.toMatch(/t attach|e rename|d changes/);
    await terminal.keys('d');
    await terminal.until(/laptop\/DEPLOY: this works only on laptop/, 'why that key does nothing');
    await terminal.keys('y');
    await waitFor(() => laptop.sessions.answers.length > 0, { describe: 'the answer has arrived' });
    expect(laptop.sessions.answers).toEqual([{ choice: 'yes', question_id: 'q1' }]);
  });

  test('are grey with their age while their machine cannot be reached, and nothing counts them', async () => {
    const { page } = one;
    laptop.sessions.add('DEPLOY', asking());
    await row('laptop/DEPLOY').waitFor();
    await terminal.until(/Needs you \(1\)/, 'that it needs somebody');
    await one.visit('#/s/laptop%2FDEPLOY');
    await laptop.stop();
    try {
      const screen = await terminal.until(/laptop cannot be reached/, 'that the laptop is gone');
      expect(screen).not.toContain('Needs you');
      expect(screen).toMatch(/laptop\/DEPLOY/);
      await page.getByText('laptop cannot be reached. The page shows its state from').waitFor();
      await waitFor(async () => !(await page.title()).startsWith('('), { describe: 'the title no longer counts it' });
      await page.locator('[data-slug="laptop/DEPLOY"][data-old]').waitFor();
      expect(await page.getByRole('button', { name: 'Yes', exact: true }).isDisabled()).toBe(true);
    } finally {
      await laptop.startAgain();
    }
    await terminal.until(/Needs you \(1\)/, 'that it is back');
    await page.getByText('laptop cannot be reached. The page shows its state from').waitFor({ state: 'detached' });
  });

  test('disappear with the fleet', async () => {
    laptop.sessions.add('LAST', DONE);
    await row('laptop/LAST').waitFor();
    expect((await desk.call('/fleet/remove', { body: { machine: 'laptop' } })).status).toBe(200);
    await row('laptop/LAST').waitFor({ state: 'detached' });
    await terminal.untilGone(/laptop\/LAST/, 'the session of the laptop');
    // The browser logs each request that the server answered with an error, which happens while the laptop is away.
    expect(one.watched.faults.filter((fault) => !fault.includes('503'))).toEqual([]);
  });
});
