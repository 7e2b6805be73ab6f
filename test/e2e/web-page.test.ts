import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { chooseByPrompt } from '../../src/demo/scenes/choose.ts';
import { chooseDemoScene, DEMO_SESSIONS } from '../../src/demo/scenes/fleet.ts';
import type { Scene } from '../../src/demo/scenes/scene.ts';
import { openBrowser, openPage, VIEWPORTS, type WatchedPage } from '../harness/browser.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { untilTerminalShows, WITHOUT_WEBGL } from '../harness/page.ts';
import { waitFor } from '../harness/wait-for.ts';

/** The dialog needs a request of the real program to the stand-in, on a machine that may run ten other programs. */
const PATIENCE_MS = 40_000;

const ANSWER = `## What it does

It answers with **the time**:

\`\`\`js
createServer(listener).listen(8080);
\`\`\`

| route | answer |
|---|---|
| / | the time |`;

/**
 * A turn with everything that a conversation can show: headings, code, a table, a tool without a question, and an edit
 * that needs a permission.
 */
const REVIEW: Scene = {
  name: 'page-review',
  about: 'reads a file, explains it, edits it',
  replies: [
    {
      kind: 'answer',
      blocks: [
        { kind: 'thinking', text: 'I should read it before I say anything.' },
        { kind: 'tool', name: 'Read', input: { file_path: 'src/server.js' } },
      ],
    },
    {
      kind: 'answer',
      blocks: [
        { kind: 'text', text: ANSWER },
        {
          kind: 'tool',
          name: 'Edit',
          input: { file_path: 'src/server.js', old_string: 'listen(8080)', new_string: 'listen(9090)' },
        },
      ],
    },
    { kind: 'answer', blocks: [{ kind: 'text', text: 'It listens on 9090 now.' }] },
  ],
};
const REVIEW_PROMPT = 'Explain the server, then let it listen on 9090';

/** All tests share one world. A session that a test needs unchanged has its own name there. */
let world: ClaudeWorld;
let browser: Browser;
let cbos: Cbos;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  world = await claudeWorld({
    agent: 'stand-in',
    choosers: [chooseDemoScene, chooseByPrompt({ [REVIEW_PROMPT]: REVIEW })],
    projects: [...DEMO_SESSIONS.map(({ slug }) => slug.toLowerCase()), 'review'],
  });
  [browser, cbos] = await Promise.all([openBrowser(world), startCbos(world)]);
});
afterEach(() => watched.context.close());
afterAll(() => world.dispose());

async function open(options: Omit<Parameters<typeof openPage>[1], 'origin'> = {}): Promise<void> {
  watched = await openPage(browser, { origin: cbos.url, ...options });
  page = watched.page;
  page.setDefaultTimeout(PATIENCE_MS);
  const { stdout } = await cbos.cli(['open', '--json'], { env: { CBOS_PORT: new URL(cbos.url).port } });
  await page.goto((JSON.parse(stdout) as { url: string }).url);
  await page.getByRole('navigation', { name: 'Sessions' }).waitFor();
  // Waits until the page has signed in. A reload during the sign-in would start the sign-in again with a used link.
  await page.locator('.shell:not(.is-stale)').waitFor();
  await page.getByText('Connecting…').first().waitFor({ state: 'detached' });
}

async function launchDemo(slugs: readonly string[], ending = ''): Promise<void> {
  for (const { slug, prompt } of DEMO_SESSIONS.filter((one) => slugs.includes(one.slug))) {
    const path = `${world.dir}/${slug.toLowerCase()}`;
    await cbos.call('POST', '/sessions', { slug: `${slug}${ending}`, path, prompt, type: 'screen' });
  }
}

/** Deletes all sessions, so that no Claude Code of an earlier test slows down the next one. */
async function endAll(): Promise<void> {
  for (const { slug } of (await cbos.call<{ slug: string }[]>('GET', '/sessions')).body) {
    await cbos.call('DELETE', `/sessions/${slug}`);
  }
}

const row = (slug: string) => page.getByRole('navigation', { name: 'Sessions' }).getByRole('link', { name: slug });

/**
 * Waits until a session shows a text. The test asks the session, because xterm draws on a canvas and keeps its text for
 * screen readers only on request.
 */
const shows = (slug: string, text: string) =>
  waitFor(async () => (await cbos.session(slug)).buffer_tail?.includes(text), {
    describe: `${slug} shows ${text}`,
    timeoutMs: PATIENCE_MS,
  });

/**
 * Answers a question with a button, as a person does. The page accepts no click on a question that has just come or
 * moved. On a busy machine, a question may move between the check of a test and its click.
 */
async function answerWith(button: Locator, slug: string, kind: 'question' | 'permission'): Promise<void> {
  await button.waitFor();
  const isTaken = async (): Promise<boolean> => (await cbos.session(slug)).status.question?.kind !== kind;
  await waitFor(
    async () => {
      if (await isTaken()) return true;
      await button.click({ timeout: 5_000 });
      return waitFor(isTaken, { describe: 'the click counts', timeoutMs: 5_000 });
    },
    { describe: `${slug} takes the answer`, timeoutMs: PATIENCE_MS },
  );
}

describe('the page, in a real browser, on real sessions', () => {
  test('signed in by a link: four sessions move, a permission is given, a question answered, a prompt confirmed, keys typed', async () => {
    await open();
    expect(page.url()).toBe(`${cbos.url}/#/`);
    expect((await watched.context.cookies())[0]).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
    await launchDemo(DEMO_SESSIONS.map(({ slug }) => slug));
    for (const { slug } of DEMO_SESSIONS) await row(slug).waitFor();

    const accounts = page.getByRole('article', { name: 'ACCOUNTS' });
    await answerWith(accounts.getByRole('button', { name: /SQLite/ }), 'ACCOUNTS', 'question');

    await row('DEPLOY').click();
    // The list has buttons with these names too, until the session replaces it on the page.
    await page.getByRole('heading', { name: 'DEPLOY' }).waitFor();
    await page.getByRole('region', { name: 'Permission' }).getByText('./deploy.sh staging', { exact: true }).waitFor();
    await answerWith(page.getByRole('button', { name: 'Yes', exact: true }), 'DEPLOY', 'permission');
    await cbos.untilStatus('DEPLOY', 'idle/waiting_input', PATIENCE_MS);
    await page.getByText('done', { exact: true }).first().waitFor();

    const reply = page.getByLabel('Reply to DEPLOY');
    await reply.fill('one line\nand another');
    await reply.press('Enter');
    await page.getByLabel('Sent').getByText('Sent', { exact: true }).waitFor();
    await waitFor(() => world.promptsReceived().includes('one line\nand another'), {
      describe: 'the model is asked that',
      actual: () => world.promptsReceived(),
    });
    await cbos.untilStatus('DEPLOY', 'idle/waiting_input', PATIENCE_MS);

    await page.getByRole('button', { name: 'Take the keyboard' }).click();
    await page.keyboard.type('typed by hand');
    await shows('DEPLOY', 'typed by hand');
    await page.keyboard.press('Shift+Escape');
    await page.getByRole('button', { name: 'Take the keyboard' }).waitFor();
    await page.keyboard.press('k');
    expect((await cbos.session('DEPLOY')).buffer_tail).not.toContain('typed by handk');
    expect(watched.faults).toEqual([]);
    await endAll();
  });

  test('on a phone: a question is answered with one tap, and the key bar types', async () => {
    await open({ viewport: VIEWPORTS.phone, hasTouch: true, isMobile: true });
    await launchDemo(['ACCOUNTS', 'DEPLOY'], '-2');
    await row('ACCOUNTS-2').getByText('Where shall the accounts be stored?').waitFor();
    await row('ACCOUNTS-2').tap();
    const postgres = page.getByRole('button', { name: /PostgreSQL/ });
    // A tap, once the question accepts one. A click would not show that a tap is enough.
    await page.locator('.choice[aria-disabled="false"]').first().waitFor();
    await postgres.tap();
    await cbos.until(
      'ACCOUNTS-2',
      ({ status }) => status.question?.kind !== 'question',
      'takes the answer',
      PATIENCE_MS,
    );
    await page.getByRole('link', { name: 'To the list' }).tap();
    await row('DEPLOY-2').getByText('./deploy.sh staging').waitFor();
    await row('DEPLOY-2').tap();
    await page.getByRole('button', { name: 'Take the keyboard' }).tap();
    await page.getByRole('button', { name: 'Escape' }).tap();
    await cbos.until('DEPLOY-2', ({ status }) => status.question === null, 'has no dialog any more', PATIENCE_MS);
    expect(watched.faults).toEqual([]);
    await endAll();
  });

  test('a conversation without a terminal: markdown and code, tools with input and output, an edit as a diff, its permission by click, its cost', async () => {
    await open();
    await page.goto(`${cbos.url}/#/new`);
    await page.getByLabel('Folder').fill(`${world.dir}/review`);
    await page.getByLabel('First prompt').fill(REVIEW_PROMPT);
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('heading', { name: 'REVIEW' }).waitFor();
    const conversation = page.getByRole('region', { name: 'Conversation of REVIEW' });
    await conversation.getByText(REVIEW_PROMPT).waitFor();
    await conversation.getByRole('heading', { name: 'What it does' }).waitFor();
    await conversation.locator('strong', { hasText: 'the time' }).waitFor();
    await conversation.getByRole('cell', { name: 'the time' }).waitFor();
    // The code is coloured, so its number is an element of its own.
    await conversation.locator('[data-kind="text"] pre.code span[class]', { hasText: '8080' }).waitFor();

    const permission = page.getByRole('region', { name: 'Permission' });
    await permission.locator('[data-kind="-"]', { hasText: 'listen(8080)' }).waitFor();
    await permission.locator('[data-kind="+"]', { hasText: 'listen(9090)' }).waitFor();
    await permission.getByRole('button', { name: 'Yes', exact: true }).click();
    await conversation.getByText('It listens on 9090 now.').waitFor();
    expect(readFileSync(join(world.dir, 'review', 'src/server.js'), 'utf8')).toContain('listen(9090)');

    const called = (name: string) =>
      conversation.locator('details.tool', { has: page.getByText(name, { exact: true }) });
    const read = called('Read');
    expect(await read.getAttribute('open')).toBeNull();
    await read.locator('summary').click();
    await read.locator('.output', { hasText: 'toISOString' }).waitFor();
    const edit = called('Edit');
    await edit.locator('[data-kind="+"]', { hasText: 'listen(9090)' }).waitFor();
    await conversation
      .locator('.end')
      .getByText(/s · \$0\.\d+/)
      .waitFor();

    await page.getByLabel('Reply to REVIEW').fill('scene:ask-multi');
    await page.keyboard.press('Enter');
    const question = page.getByRole('region', { name: 'Question' });
    const [first, second] = [question.getByRole('group').first(), question.getByRole('group').last()];
    await first.getByRole('radio').last().check();
    for (const name of ['Linux', 'macOS']) await second.getByRole('checkbox', { name }).check();
    await question.getByRole('button', { name: 'Send the answers' }).click();
    await cbos.untilStatus('REVIEW', 'idle/waiting_input', PATIENCE_MS);
    const told = JSON.stringify(world.apiEvents.findLast((event) => event.kind === 'request'));
    expect(told).toContain('Linux, macOS');

    await cbos.call('POST', '/sessions', {
      slug: 'PLAN',
      path: `${world.dir}/review`,
      permission_mode: 'plan',
      prompt: 'scene:plan',
    });
    await row('PLAN').click();
    const plan = page.getByRole('region', { name: 'Plan', exact: true });
    await plan.getByRole('heading', { name: 'Add a health check' }).waitFor();
    expect(await plan.getByRole('listitem').count()).toBe(3);
    await plan.getByRole('button').first().click();
    await page
      .getByRole('region', { name: 'Conversation of PLAN' })
      .getByText('The health check is in place.')
      .waitFor();
    expect(watched.faults).toEqual([]);
    await endAll();
  });

  test('a server that is killed and comes back: the page reports it, and recovers automatically', async () => {
    await open();
    await cbos.call('POST', '/sessions', { slug: 'KEEP', path: world.projectDir, type: 'screen' });
    await row('KEEP').click();
    await cbos.untilStatus('KEEP', 'idle/ready');
    await page.getByText('new', { exact: true }).first().waitFor();
    await cbos.stop('SIGKILL');
    await page.getByText('Connection lost', { exact: false }).waitFor();
    await page.getByText('was: new').waitFor();
    expect(await page.getByRole('button', { name: 'Take the keyboard' }).isDisabled()).toBe(true);
    cbos = await startCbos(world, { CBOS_PORT: new URL(cbos.url).port });
    await page.getByText('Connection lost', { exact: false }).waitFor({ state: 'detached' });
    await page.getByLabel('Reply to KEEP').fill('after the restart');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByLabel('Sent').getByText('Sent', { exact: true }).waitFor();
    expect(watched.faults).toEqual([]);
    await endAll();
  });

  test('a text is found, and the replay opens at that moment and continues', async () => {
    await open();
    await page.addInitScript(WITHOUT_WEBGL);
    await page.reload();
    await cbos.call('POST', '/sessions', {
      slug: 'FIND',
      path: world.projectDir,
      type: 'screen',
      prompt: 'scene:hello',
    });
    await cbos.untilStatus('FIND', 'idle/waiting_input', PATIENCE_MS);
    await page.goto(`${cbos.url}/#/search`);
    await page.getByLabel('Search all sessions').fill('ready when you');
    const hits = page.getByRole('main').getByRole('listitem').getByRole('link');
    const hit = hits.filter({ hasText: 'ready when you' }).first();
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
    await waitFor(async () => Number(await position.inputValue()) > 0, { describe: 'the replay is at the hit' });
    // The replay is at the right moment, because it shows the found text.
    await untilTerminalShows(page, 'it shows what was found', (lines) => lines.join(' ').includes('ready when you'));
    const at = Number(await position.inputValue());
    await page.getByRole('button', { name: 'Play' }).click();
    // The replay continues from there, or from the start if that was the end.
    await waitFor(async () => Number(await position.inputValue()) !== at, { describe: 'it plays' });
    await page.goto(`${cbos.url}/#/history`);
    await page.getByRole('rowheader', { name: 'FIND' }).waitFor();
    expect(watched.faults).toEqual([]);
  });
});
