import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { chooseDemoScene, DEMO_SESSIONS } from '../../src/demo/scenes/fleet.ts';
import { openBrowser, openPage, VIEWPORTS } from '../harness/browser.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

/** What a README loads without a second thought. */
const MAX_BYTES = 150_000;

const DESKTOP = { viewport: { width: 1120, height: 700 } };
const PHONE = { viewport: VIEWPORTS.phone, hasTouch: true, isMobile: true, deviceScaleFactor: 1.5 };

interface Picture {
  name: string;
  context: typeof DESKTOP | typeof PHONE;
  /** shows what is to be seen */
  show(page: Page, cbos: Cbos): Promise<void>;
}

const PICTURES: readonly Picture[] = [
  {
    name: 'web-sign-in',
    context: DESKTOP,
    show: async (page) => {
      await page.context().clearCookies();
      await page.reload();
      await page.getByRole('heading', { name: 'Sign in to CBOS' }).waitFor();
    },
  },
  {
    name: 'web-needs-you',
    context: DESKTOP,
    show: (page) => page.getByRole('heading', { name: /sessions need you/ }).waitFor(),
  },
  {
    name: 'web-session',
    context: DESKTOP,
    show: async (page) => {
      await goTo(page, '#/s/DEPLOY');
      await page.getByRole('region', { name: 'Permission' }).waitFor();
      await page.locator('.xterm-screen').waitFor();
    },
  },
  {
    name: 'web-question-form',
    context: DESKTOP,
    show: async (page) => {
      await goTo(page, '#/s/CLIENT');
      const question = page.getByRole('region', { name: 'Question' });
      await question.getByRole('radio').first().check();
      await question.getByRole('checkbox').first().check();
    },
  },
  {
    name: 'web-conversation',
    context: DESKTOP,
    show: async (page) => {
      await goTo(page, '#/s/NOTES');
      await page.getByRole('region', { name: 'Permission' }).waitFor();
    },
  },
  {
    name: 'web-search',
    context: DESKTOP,
    show: async (page) => {
      await goTo(page, '#/search');
      const found = page.getByRole('listitem').filter({ hasText: 'staging' }).first();
      await waitFor(
        async () => {
          await page.getByLabel('Search all sessions').fill('');
          await page.getByLabel('Search all sessions').fill('staging');
          return found.waitFor({ timeout: 1_500 }).then(() => true);
        },
        { describe: 'something is found' },
      );
    },
  },
  {
    name: 'web-replay',
    context: DESKTOP,
    show: async (page) => {
      await goTo(page, '#/s/DEPLOY/replay?t=0');
      await page.locator('.question-mark').first().waitFor();
      await page.keyboard.press(']');
      await page.keyboard.press('ArrowRight');
    },
  },
  {
    name: 'web-phone',
    context: PHONE,
    show: async (page) => {
      await goTo(page, '#/s/NOTES');
      await page.getByRole('region', { name: 'Permission' }).waitFor();
    },
  },
  {
    name: 'web-phone-session',
    context: PHONE,
    show: async (page) => {
      await goTo(page, '#/s/DEPLOY');
      await page.getByRole('button', { name: 'Take the keyboard' }).tap();
      await page.getByRole('toolbar', { name: 'Keys' }).waitFor();
    },
  },
];

async function goTo(page: Page, hash: string): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/${hash}`);
}

/** Takes them of a demo fleet that waits at its questions. @param options.only names; empty: all of them */
export async function takePictures(options: {
  directory: string;
  only: readonly string[];
  print(line: string): void;
}): Promise<void> {
  const { directory, only, print } = options;
  const wanted = PICTURES.filter(({ name }) => only.length === 0 || only.includes(name));
  await using world = await claudeWorld({
    choosers: [chooseDemoScene],
    projects: [...DEMO_SESSIONS.map(({ slug }) => slug.toLowerCase()), 'client'],
  });
  const [browser, cbos] = await Promise.all([openBrowser(world), startCbos(world)]);
  await launchFleet(world, cbos);
  for (const picture of wanted) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const file = join(directory, `${picture.name}-${colorScheme}.png`);
      await take({ browser, cbos, picture, colorScheme, file });
      const { size } = statSync(file);
      if (size > MAX_BYTES) throw new Error(`${file} has ${size} bytes, more than ${MAX_BYTES}`);
      print(`${picture.name}, ${colorScheme}: ${Math.round(size / 1_000)} kB`);
    }
  }
}

async function launchFleet(world: ClaudeWorld, cbos: Cbos): Promise<void> {
  const all = [...DEMO_SESSIONS, { slug: 'CLIENT', prompt: 'Write a client: scene:ask-multi', type: 'json' }];
  for (const { slug, prompt, type } of all) {
    await cbos.call('POST', '/sessions', { slug, path: `${world.dir}/${slug.toLowerCase()}`, prompt, type });
  }
  for (const slug of ['DEPLOY', 'NOTES']) await cbos.untilStatus(slug, 'waiting/permission');
  for (const slug of ['ACCOUNTS', 'CLIENT']) await cbos.untilStatus(slug, 'waiting/question');
}

async function take(options: {
  browser: Browser;
  cbos: Cbos;
  picture: Picture;
  colorScheme: 'light' | 'dark';
  file: string;
}): Promise<void> {
  const { browser, cbos, picture, colorScheme, file } = options;
  const { page, context } = await openPage(browser, { origin: cbos.url, colorScheme, ...picture.context });
  const { stdout } = await cbos.cli(['open', '--json'], { env: { CBOS_PORT: new URL(cbos.url).port } });
  await page.goto((JSON.parse(stdout) as { url: string }).url);
  await page.locator('.session-row').first().waitFor();
  await picture.show(page, cbos);
  writeFileSync(file, await pictureOf(page));
  await context.close();
}

/** Code is coloured and terminals are drawn with later frames: taken when nothing changes any more. */
async function pictureOf(page: Page): Promise<Buffer> {
  let last: Buffer = Buffer.alloc(0);
  return waitFor(
    async () => {
      const taken = await page.screenshot({ animations: 'disabled', caret: 'hide' });
      const isSame = taken.equals(last);
      last = taken;
      return isSame && taken;
    },
    { describe: 'two pictures are the same', actual: () => last.length },
  );
}
