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
import { openPageOf, type PageUnderTest, untilTerminalShows, WEB_DIR } from '../harness/page.ts';
import { asking, DONE, WORKING } from '../harness/some-sessions.ts';
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
    one = await openPageOf(desk, browser, { readsTerminal: true });
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
    await untilTerminalShows(page, 'the screen', (lines) => lines.includes('the screen of DEPLOY'));
    // Actions that are possible only on the session's own machine have no button.
    expect(await page.locator('.page-head button').allTextContents()).toEqual(['', 'Keyboard']);
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
    expect(shown).toMatch(/t attach/);
    expect(shown).not.toMatch(/e rename|d changes/);
    await terminal.keys('d');
    await terminal.until(/laptop\/DEPLOY: this works only on laptop/, 'why that key does nothing');
    await terminal.keys('y');
    await waitFor(() => laptop.sessions.answers.length > 0, { describe: 'the answer has arrived' });
    expect(laptop.sessions.answers).toEqual([{ choice: 'yes', question_id: 'q1' }]);
  });

  test('are live in both: the output comes as it is written, keys are typed there, and the size is set there', async () => {
    const { page } = one;
    const recording = laptop.sessions.add('LIVE', { ...WORKING, cols: 80, rows: 24 });
    recording.write('first line\r\n');
    await row('laptop/LIVE').waitFor();
    await one.visit('#/s/laptop%2FLIVE');
    await terminal.until(/laptop\/LIVE/, 'the session of the laptop');
    await terminal.keys('Down');
    await untilTerminalShows(page, 'the screen', (lines) => lines.includes('first line'));
    await terminal.until(/first line/, 'the screen');
    for (const said of ['second', 'third ✻ é']) {
      recording.write(`${said}\r\n`);
      await untilTerminalShows(page, 'the new output', (lines) => lines.includes(said));
      await terminal.until(new RegExp(said), 'the new output');
    }
    await page.getByRole('button', { name: 'Take the keyboard' }).click();
    await page.keyboard.type('ls -l');
    await page.keyboard.press('Enter');
    await waitFor(() => laptop.sessions.typed.get('LIVE') === 'ls -l\r', {
      ...{ describe: 'the keys have arrived in order', actual: () => laptop.sessions.typed.get('LIVE') },
    });
    await page.getByRole('button', { name: 'Release the keyboard' }).click();
    await page.getByRole('button', { name: 'Fit' }).click();
    await waitFor(() => laptop.sessions.get('LIVE').cols !== 80, { describe: 'the session has another size' });
  });

  test('show the events of JSON sessions as a conversation, which grows as it happens', async () => {
    const { page } = one;
    const says = (text: string) => ({
      type: 'assistant',
      message: { role: 'assistant', content: [{ type: 'text', text }] },
    });
    laptop.sessions.addWithoutRecording('TALK', { ...DONE, type: 'json', json_state: 'complete', screen_id: null });
    laptop.sessions.happen('TALK', says('said before'));
    await row('laptop/TALK').waitFor();
    await one.visit('#/s/laptop%2FTALK');
    await page.getByText('said before').first().waitFor();
    await terminal.until(/laptop\/TALK/, 'the session of the laptop');
    await terminal.keys('Down');
    await terminal.until(/said before/, 'what was said');
    laptop.sessions.happen('TALK', says('said now'));
    await page.getByText('said now').first().waitFor();
    await terminal.until(/said now/, 'what is said');
  });

  test('are grey with their age while their machine cannot be reached, and nothing counts them', async () => {
    const { page } = one;
    const recording = laptop.sessions.add('DEPLOY', asking());
    recording.write('the last picture\r\n');
    await row('laptop/DEPLOY').waitFor();
    await terminal.until(/Needs you \(1\)/, 'that it needs somebody');
    await one.visit('#/s/laptop%2FDEPLOY');
    await untilTerminalShows(page, 'the screen', (lines) => lines.includes('the last picture'));
    await terminal.keys('Tab');
    await terminal.until(/the last picture/, 'the screen');
    await laptop.stop();
    try {
      const screen = await terminal.until(/laptop cannot be reached/, 'that the laptop is gone');
      expect(screen).not.toContain('Needs you');
      expect(screen).toMatch(/laptop\/DEPLOY/);
      await page.getByText('laptop cannot be reached. The page shows its state from').waitFor();
      await waitFor(async () => !(await page.title()).startsWith('('), { describe: 'the title no longer counts it' });
      await page.locator('[data-slug="laptop/DEPLOY"][data-old]').waitFor();
      await page.locator('.terminal[data-old]').waitFor();
      await untilTerminalShows(page, 'still the last picture', (lines) => lines.includes('the last picture'));
      expect(screen).toContain('the last picture');
      expect(await page.getByRole('button', { name: 'Take the keyboard' }).isDisabled()).toBe(true);
      recording.write('written while it was away\r\n');
      expect(await page.getByRole('button', { name: 'Yes', exact: true }).isDisabled()).toBe(true);
    } finally {
      await laptop.startAgain();
    }
    await terminal.until(/Needs you \(1\)/, 'that it is back');
    await page.getByText('laptop cannot be reached. The page shows its state from').waitFor({ state: 'detached' });
    await untilTerminalShows(page, 'what it missed', (lines) => lines.includes('written while it was away'));
    await terminal.until(/the last picture[\s\S]*written while it was away/, 'what it missed');
    await page.locator('.terminal[data-old]').waitFor({ state: 'detached' });
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
