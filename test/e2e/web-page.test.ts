import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chooseDemoScene, DEMO_SESSIONS } from '../../src/demo/scenes/fleet.ts';
import { openBrowser, openPage, VIEWPORTS, type WatchedPage } from '../harness/browser.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

/** A dialog comes after a request of the real program to the stand-in, on a machine that does ten other things. */
const PATIENCE_MS = 40_000;

let world: ClaudeWorld;
let cbos: Cbos;
let watched: WatchedPage;
let page: Page;

beforeEach(async () => {
  world = await claudeWorld({
    choosers: [chooseDemoScene],
    projects: DEMO_SESSIONS.map(({ slug }) => slug.toLowerCase()),
  });
  cbos = await startCbos(world);
});
afterEach(() => world.dispose());

async function open(options: Omit<Parameters<typeof openPage>[1], 'origin'> = {}): Promise<void> {
  watched = await openPage(await openBrowser(world), { origin: cbos.url, ...options });
  page = watched.page;
  page.setDefaultTimeout(PATIENCE_MS);
  const { stdout } = await cbos.cli(['open', '--json'], { env: { CBOS_PORT: new URL(cbos.url).port } });
  await page.goto((JSON.parse(stdout) as { url: string }).url);
  await page.getByRole('navigation', { name: 'Sessions' }).waitFor();
}

async function launchDemoFleet(): Promise<void> {
  for (const { slug, prompt } of DEMO_SESSIONS) {
    await cbos.call('POST', '/sessions', { slug, path: `${world.dir}/${slug.toLowerCase()}`, prompt, type: 'screen' });
  }
}

const row = (slug: string) => page.getByRole('navigation', { name: 'Sessions' }).getByRole('link', { name: slug });

/** What the terminal shows. xterm draws on a canvas; its text is kept for screen readers only when asked, so the session tells. */
const shows = (slug: string, text: string) =>
  waitFor(async () => (await cbos.session(slug)).buffer_tail?.includes(text), {
    describe: `${slug} shows ${text}`,
    timeoutMs: PATIENCE_MS,
  });

describe('the page, in a real browser, on real sessions', () => {
  test('signed in by a link: four sessions move, a permission is given, a question answered, a prompt confirmed, keys typed', async () => {
    await open();
    expect(page.url()).toBe(`${cbos.url}/#/`);
    expect((await watched.context.cookies())[0]).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    await launchDemoFleet();
    for (const { slug } of DEMO_SESSIONS) await row(slug).waitFor();

    await page
      .getByRole('article', { name: 'ACCOUNTS' })
      .getByRole('button', { name: /SQLite/ })
      .click();
    await cbos.until('ACCOUNTS', ({ status }) => status.question?.kind !== 'question', 'takes the answer', PATIENCE_MS);

    await row('DEPLOY').click();
    await page.getByRole('region', { name: 'Permission' }).getByText('./deploy.sh staging', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Yes', exact: true }).click();
    await cbos.untilStatus('DEPLOY', 'idle/waiting_input', PATIENCE_MS);
    await page.getByText('done, your turn').first().waitFor();

    const reply = page.getByLabel('Reply to DEPLOY');
    await reply.fill('one line\nand another');
    await reply.press('Enter');
    await page.getByLabel('Sent').getByText('Claude Code took it').waitFor();
    expect(world.promptsReceived()).toContain('one line\nand another');
    await cbos.untilStatus('DEPLOY', 'idle/waiting_input', PATIENCE_MS);

    await page.getByRole('button', { name: 'Take the keyboard' }).click();
    await page.keyboard.type('typed by hand');
    await shows('DEPLOY', 'typed by hand');
    await page.keyboard.press('Shift+Escape');
    await page.getByRole('button', { name: 'Take the keyboard' }).waitFor();
    await page.keyboard.press('k');
    expect((await cbos.session('DEPLOY')).buffer_tail).not.toContain('typed by handk');
    expect(watched.faults).toEqual([]);
  });

  test('on a phone: a question is answered with one tap, and the key bar types', async () => {
    await open({ viewport: VIEWPORTS.phone, hasTouch: true, isMobile: true });
    await launchDemoFleet();
    await row('ACCOUNTS').getByText('Where shall the accounts be stored?').waitFor();
    await row('ACCOUNTS').tap();
    await page.getByRole('button', { name: /PostgreSQL/ }).tap();
    await cbos.until('ACCOUNTS', ({ status }) => status.question?.kind !== 'question', 'takes the answer', PATIENCE_MS);
    await page.getByRole('link', { name: 'To the list' }).tap();
    await row('DEPLOY').getByText('./deploy.sh staging').waitFor();
    await row('DEPLOY').tap();
    await page.getByRole('button', { name: 'Take the keyboard' }).tap();
    await page.getByRole('button', { name: 'Escape' }).tap();
    await cbos.until('DEPLOY', ({ status }) => status.question === null, 'has no dialog any more', PATIENCE_MS);
    expect(watched.faults).toEqual([]);
  });

  test('a server that is killed and comes back: the page says so, and recovers by itself', async () => {
    await open();
    await cbos.call('POST', '/sessions', { slug: 'KEEP', path: world.projectDir, type: 'screen' });
    await row('KEEP').click();
    await cbos.untilStatus('KEEP', 'idle/ready');
    await page.getByText('ready', { exact: false }).first().waitFor();
    await cbos.stop('SIGKILL');
    await page.getByText('Not connected', { exact: false }).waitFor();
    await page.getByText('was: ready').waitFor();
    expect(await page.getByRole('button', { name: 'Take the keyboard' }).isDisabled()).toBe(true);
    cbos = await startCbos(world, { CBOS_PORT: new URL(cbos.url).port });
    await page.getByText('Not connected', { exact: false }).waitFor({ state: 'detached' });
    await page.getByLabel('Reply to KEEP').fill('after the restart');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByLabel('Sent').getByText('Claude Code took it').waitFor();
    expect(watched.faults).toEqual([]);
  });

  test('what was said is found, and the replay opens at that moment and plays on', async () => {
    await open();
    await cbos.call('POST', '/sessions', {
      slug: 'FIND',
      path: world.projectDir,
      type: 'screen',
      prompt: 'scene:hello',
    });
    await cbos.untilStatus('FIND', 'idle/waiting_input', PATIENCE_MS);
    await page.goto(`${cbos.url}/#/search`);
    await page.getByLabel('Search all sessions').fill('ready when you');
    const hit = page.getByRole('listitem').getByRole('link').filter({ hasText: 'ready when you' }).first();
    await waitFor(
      async () => {
        if (await hit.isVisible()) return true;
        await page.getByLabel('Search all sessions').fill('ready when');
        await page.getByLabel('Search all sessions').fill('ready when you');
        return hit.waitFor({ timeout: 1_000 }).then(() => true);
      },
      { describe: 'the answer is found', timeoutMs: PATIENCE_MS },
    );
    await hit.click();
    await page.getByRole('heading', { name: 'FIND, replay' }).waitFor();
    const position = page.getByLabel('Position');
    await waitFor(async () => Number(await position.inputValue()) > 0, { describe: 'the replay stands at the hit' });
    const at = Number(await position.inputValue());
    await page.getByRole('button', { name: 'Play' }).click();
    await waitFor(async () => Number(await position.inputValue()) > at, { describe: 'it plays on' });
    await page.goto(`${cbos.url}/#/history`);
    await page.getByRole('rowheader', { name: 'FIND' }).waitFor();
    expect(watched.faults).toEqual([]);
  });
});
