import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { findScene } from '../../src/demo/scenes/catalogue.ts';
import { chooseByPrompt } from '../../src/demo/scenes/choose.ts';
import { chooseDemoScene, DEMO_SESSIONS } from '../../src/demo/scenes/fleet.ts';
import type { Scene } from '../../src/demo/scenes/scene.ts';
import { openBrowser, openPage, VIEWPORTS } from '../harness/browser.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { WITHOUT_WEBGL } from '../harness/page.ts';
import { waitFor } from '../harness/wait-for.ts';
import { takeTerminalPictures } from './terminal-pictures.ts';

/** The largest picture that a README still loads quickly. */
const MAX_BYTES = 150_000;

const DESKTOP = { viewport: { width: 1120, height: 700 } };
const PHONE = { viewport: VIEWPORTS.phone, hasTouch: true, isMobile: true, deviceScaleFactor: 1.5 };

/** A prompt of several lines, to show that they arrive as one prompt. */
const PROMPT = 'Release 1.4.0:\n\n- tag it\n- write to the team what is new';

/** This prompt leads to two questions at once. */
const CLIENT_PROMPT = 'Write a client for the service';

interface Picture {
  name: string;
  context: typeof DESKTOP | typeof PHONE;
  /** brings the page to the state that the picture shows */
  show(page: Page): Promise<void>;
}

const PICTURES: readonly Picture[] = [
  { name: 'web-sign-in', context: DESKTOP, show: showSignIn },
  { name: 'web-needs-you', context: DESKTOP, show: showWhatNeedsYou },
  { name: 'web-session', context: DESKTOP, show: showPermission },
  { name: 'web-keyboard', context: DESKTOP, show: takeKeyboard },
  { name: 'web-prompt', context: DESKTOP, show: sendPrompt },
  { name: 'web-question-form', context: DESKTOP, show: fillForm },
  { name: 'web-conversation', context: DESKTOP, show: showConversation },
  { name: 'web-search', context: DESKTOP, show: search },
  { name: 'web-replay', context: DESKTOP, show: replay },
  { name: 'web-phone-sign-in', context: PHONE, show: showSignIn },
  { name: 'web-phone-list', context: PHONE, show: (page) => page.locator('.session-row').nth(5).waitFor() },
  { name: 'web-phone-question', context: PHONE, show: showQuestion },
  { name: 'web-phone-session', context: PHONE, show: takeKeyboard },
  { name: 'web-phone-prompt', context: PHONE, show: sendPrompt },
  { name: 'web-phone', context: PHONE, show: showConversation },
  { name: 'web-phone-search', context: PHONE, show: search },
  { name: 'web-phone-replay', context: PHONE, show: replay },
];

async function showSignIn(page: Page): Promise<void> {
  await goTo(page, '#/settings');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in to CBOS' }).waitFor();
}

async function showWhatNeedsYou(page: Page): Promise<void> {
  await page.getByRole('heading', { name: /sessions need you/ }).waitFor();
}

async function showPermission(page: Page): Promise<void> {
  await goTo(page, '#/s/DEPLOY');
  await page.getByRole('region', { name: 'Permission' }).waitFor();
  await page.locator('.xterm-screen').waitFor();
}

async function takeKeyboard(page: Page): Promise<void> {
  await showPermission(page);
  await page.getByRole('button', { name: 'Take the keyboard' }).click();
  await page.getByText('Your keyboard types here').waitFor();
}

async function showQuestion(page: Page): Promise<void> {
  await goTo(page, '#/s/ACCOUNTS');
  await page.getByRole('region', { name: 'Question' }).waitFor();
  await page.locator('.xterm-screen').waitFor();
}

async function sendPrompt(page: Page): Promise<void> {
  await goTo(page, '#/s/RELEASE');
  await page.locator('.xterm-screen').waitFor();
  await page.getByLabel('Reply to RELEASE').fill(PROMPT);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByLabel('Sent').getByText('Sent', { exact: true }).waitFor();
}

async function fillForm(page: Page): Promise<void> {
  await goTo(page, '#/s/CLIENT');
  const question = page.getByRole('region', { name: 'Question' });
  await question.getByRole('radio').first().check();
  await question.getByRole('checkbox').first().check();
}

async function showConversation(page: Page): Promise<void> {
  await goTo(page, '#/s/NOTES');
  await page.getByRole('region', { name: 'Permission' }).waitFor();
}

async function search(page: Page): Promise<void> {
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
}

async function replay(page: Page): Promise<void> {
  await goTo(page, '#/s/DEPLOY/replay?t=0');
  await page.locator('.question-mark').first().waitFor();
  await page.keyboard.press(']');
  await waitFor(async () => Number(await page.getByLabel('Position').inputValue()) > 1, {
    describe: 'the replay is just before the question',
  });
}

async function goTo(page: Page, hash: string): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/${hash}`);
}

/** Takes pictures of a demo fleet that waits at its questions. @param options.only names of pictures; all if empty */
export async function takePictures(options: {
  directory: string;
  only: readonly string[];
  print(line: string): void;
}): Promise<void> {
  const { directory, only, print } = options;
  const wanted = PICTURES.filter(({ name }) => only.length === 0 || only.includes(name));
  await using world = await claudeWorld({
    choosers: [
      chooseDemoScene,
      chooseByPrompt({ [PROMPT]: RELEASE }),
      (prompt) => (prompt === CLIENT_PROMPT ? findScene('ask-multi') : null),
    ],
    projects: ['src', ...FLEET.map(({ slug }) => folderOf(slug))],
  });
  const [browser, cbos] = await Promise.all([openBrowser(world, { webgl: true, isWhole: true }), startCbos(world)]);
  await launchFleet(world, cbos);
  await takeTerminalPictures({
    world,
    cbos,
    directory,
    print,
    isWanted: (name) => only.length === 0 || only.includes(name),
  });
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

const RELEASE: Scene = {
  name: 'release',
  about: 'answers in a few lines',
  replies: [
    {
      kind: 'answer',
      blocks: [
        {
          kind: 'text',
          text: 'Version 1.4.0 is tagged.\n\nThe team knows: a health check, a faster start, user accounts.',
        },
      ],
    },
  ],
};

const FLEET: readonly { slug: string; prompt?: string; type: 'screen' | 'json' }[] = [
  ...DEMO_SESSIONS.map(({ slug, prompt, type }) => ({ slug, prompt, type })),
  { slug: 'CLIENT', prompt: CLIENT_PROMPT, type: 'json' },
  { slug: 'RELEASE', type: 'screen' },
];

const folderOf = (slug: string): string => `src/${slug.toLowerCase()}`;

async function launchFleet(world: ClaudeWorld, cbos: Cbos): Promise<void> {
  for (const { slug, ...rest } of FLEET) {
    await cbos.call('POST', '/sessions', { slug, path: `${world.dir}/${folderOf(slug)}`, ...rest });
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
  // The pixels of the phone are scaled, and WebGL would draw for real pixels.
  if (picture.context === PHONE) await page.addInitScript(WITHOUT_WEBGL);
  await page.goto((JSON.parse(stdout) as { url: string }).url);
  await page.locator('.session-row').first().waitFor();
  await picture.show(page);
  writeFileSync(file, await pictureOf(page));
  await context.close();
}

/** Takes the picture when nothing changes any more. Colours of code and terminals come with later frames. */
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
