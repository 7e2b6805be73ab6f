import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CatalogueError } from '../../src/protocol/index.ts';
import { openBrowser } from '../harness/browser.ts';
import { newSignInLink, type PageUnderTest, startPage } from '../harness/page.ts';
import { asking, DONE, WORKING } from '../harness/some-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser(world, { isWhole: true });
});
afterAll(() => world.dispose());

const sessionNames = ({ page }: PageUnderTest) =>
  page.getByRole('navigation', { name: 'Sessions' }).locator('.name').allTextContents();
const panel = ({ page }: PageUnderTest, name: string) => page.getByRole('region', { name });

describe('signing in', () => {
  test('a link that was used is reported, and the token opens the page', async () => {
    await using one = await startPage(browser);
    const { page, server } = one;
    const link = await newSignInLink(server);
    await one.visit('#/settings');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to CBOS' }).waitFor();
    await page.goto(link);
    await page.locator('.shell').waitFor();
    await page.context().clearCookies();
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByRole('alert').getByText('cbos open').waitFor();
    expect(page.url()).not.toContain(link.split('/').at(-1));
    await page.getByLabel(/paste the token/).fill('wrong-token-0123456789');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('The token is not valid').waitFor();
    await page.getByLabel(/paste the token/).fill('a-token-for-tests-0123456789');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('.shell').waitFor();
    expect(one.watched.faults).toEqual([]);
  });

  test("the browser's credentials can be used and not read, and survive a reload", async () => {
    await using one = await startPage(browser);
    const kept = await one.page.evaluate(KEPT);
    expect(kept).toEqual({ extractable: false, plain: null });
    await reloadLive(one);
  });

  test('without WebCrypto, as over plain HTTP to another machine, they survive a reload as well', async () => {
    await using one = await startPage(browser);
    await one.page.addInitScript('Object.defineProperty(Crypto.prototype, "subtle", { value: undefined })');
    await one.page.evaluate('indexedDB.deleteDatabase("cbos")');
    await one.page.goto('about:blank');
    await one.page.goto(await newSignInLink(one.server));
    // Not `waitForFunction`: at each further check it evaluates a text, which the page's CSP forbids.
    await waitFor(() => one.page.evaluate('localStorage.getItem("cbos.sign-in") !== null'), {
      describe: 'the page has kept its sign-in',
    });
    await reloadLive(one);
  });
});

/**
 * Returns what a browser stores for a sign-in: whether scripts may read its key, and the key if it is stored as text.
 */
const KEPT = `new Promise((resolve) => {
  const opening = indexedDB.open('cbos', 1);
  opening.onsuccess = () => {
    const asked = opening.result.transaction('sign-in').objectStore('sign-in').get('current');
    asked.onsuccess = () => resolve({ extractable: asked.result.key.extractable, plain: localStorage.getItem('cbos.sign-in') });
  };
})`;

async function reloadLive({ page }: PageUnderTest): Promise<void> {
  await page.reload();
  await page.getByText('No sessions yet.').first().waitFor();
}

describe('the list', () => {
  test('is grouped by what sessions need, moves as they do, and is filtered', async () => {
    await using one = await startPage(browser);
    const { sessions } = one.server;
    sessions.add('IDLE');
    sessions.add('BUSY', WORKING);
    sessions.add('DONE', DONE);
    sessions.add('ASKS', asking());
    await waitFor(async () => (await sessionNames(one)).join() === 'ASKS,DONE,BUSY,IDLE', {
      describe: 'the order of the list',
      actual: () => sessionNames(one),
    });
    sessions.change('BUSY', asking({ id: 'q2' }));
    await waitFor(async () => (await sessionNames(one)).slice(0, 2).join() === 'BUSY,ASKS', {
      describe: 'BUSY moves up',
    });
    expect(await one.page.title()).toContain('2');
    await one.page.keyboard.press('/');
    await one.page.keyboard.type('done');
    expect(await sessionNames(one)).toEqual(['DONE']);
    // Sessions that the filter hides still need somebody.
    await one.page.getByRole('heading', { name: '2 sessions need you' }).waitFor();
    await one.page.keyboard.press('Enter');
    await one.page.getByRole('heading', { name: 'DONE', exact: true }).waitFor();
  });

  test('twenty of the sessions that ask are shown at once, the others on demand', async () => {
    await using one = await startPage(browser, {
      prepare: ({ sessions }) => {
        for (let number = 1; number <= 23; number++) sessions.addWithoutRecording(`S-${number}`, asking());
      },
    });
    await one.page.getByRole('heading', { name: '23 sessions need you' }).waitFor();
    expect(await one.page.getByRole('article').count()).toBe(20);
    await one.page.getByRole('button', { name: 'Show the other 3' }).click();
    await waitFor(async () => (await one.page.getByRole('article').count()) === 23, { describe: 'all are shown' });
  });

  test('keys move through it, ? lists them, Ctrl+K finds everything', async () => {
    await using one = await startPage(browser);
    const { page, server } = one;
    for (const slug of ['ONE', 'TWO', 'THREE']) server.sessions.add(slug, DONE);
    await waitFor(async () => (await sessionNames(one)).length === 3, { describe: 'three sessions' });
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'ONE', exact: true }).waitFor();
    await page.keyboard.press('k');
    await page.getByRole('heading', { name: 'THREE', exact: true }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).getByText('Take the terminal’s keyboard').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('tw');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'TWO', exact: true }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.getByRole('heading', { name: 'Drafts', exact: true }).waitFor();
  });
});

describe('a question', () => {
  test.each([
    ['y', { choice: 'yes' }],
    ['a', { choice: 'always' }],
    ['x', { choice: 'no' }],
    ['2', { choice: 2 }],
  ])('about a permission is answered with the key %s, once', async (key, answer) => {
    await using one = await startPage(browser, { prepare: ({ sessions }) => void sessions.add('ASKS', asking()) });
    await one.visit('#/s/ASKS');
    // The page with the list shows the question as well, but gives it no keys.
    await one.page.getByRole('heading', { name: 'ASKS' }).waitFor();
    await panel(one, 'Permission').getByText('Run the tests').waitFor();
    await one.page.keyboard.press(key);
    await one.page.keyboard.press(key);
    await waitFor(() => one.server.sessions.answers.length > 0, { describe: 'an answer comes' });
    expect(one.server.sessions.answers).toEqual([{ ...answer, question_id: 'q1' }]);
  });

  test('shows above it anything that keeps keys from the session, as far as that is known', async () => {
    await using one = await startPage(browser, { prepare: ({ sessions }) => void sessions.add('ASKS', asking()) });
    await one.visit('#/s/ASKS');
    one.server.sessions.change('ASKS', { screen_prompt_at: '2026-11-20T15:05:00.000Z' });
    const said = one.page.getByRole('main').getByText('copy mode or a prompt of Screen was open');
    await said.waitFor();
    one.server.sessions.change('ASKS', { screen_prompt_at: null });
    await said.waitFor({ state: 'detached' });
  });

  test('is refused with a text', async () => {
    await using one = await startPage(browser, { prepare: ({ sessions }) => void sessions.add('ASKS', asking()) });
    await one.visit('#/s/ASKS');
    await one.page.getByRole('button', { name: 'No, and tell Claude why…' }).click();
    await one.page.keyboard.type('use pnpm');
    await one.page.keyboard.press('Enter');
    await waitFor(() => one.server.sessions.answers.length > 0, { describe: 'an answer comes' });
    expect(one.server.sessions.answers).toEqual([{ choice: 'no', text: 'use pnpm', question_id: 'q1' }]);
  });

  test('with several parts is a form that is sent as a whole', async () => {
    const options = ['TypeScript', 'Go'].map((label, index) => ({
      ...{ key: String(index + 1), label, description: null, means: 'choice' as const },
    }));
    const questions = [
      { header: 'Language', text: 'Which language?', options, multi: false },
      { header: 'Targets', text: 'Which targets?', options, multi: true },
    ];
    const question = asking({ kind: 'question', tool: null, text: 'Which language?', options, questions });
    await using one = await startPage(browser, { prepare: ({ sessions }) => void sessions.add('ASKS', question) });
    await one.visit('#/s/ASKS');
    const language = one.page.getByRole('group', { name: /Which language/ });
    const targets = one.page.getByRole('group', { name: /Which targets/ });
    const send = one.page.getByRole('button', { name: 'Send the answers' });
    await language.getByLabel('Go', { exact: true }).check();
    expect(await send.isDisabled()).toBe(true);
    await targets.getByLabel('Go', { exact: true }).check();
    await targets.getByLabel('TypeScript', { exact: true }).check();
    await targets.getByLabel(/Other answer/).fill('Rust');
    await send.click();
    await waitFor(() => one.server.sessions.answers.length > 0, { describe: 'an answer comes' });
    expect(one.server.sessions.answers).toEqual([
      { answers: { 'Which language?': 'Go', 'Which targets?': ['TypeScript', 'Go', 'Rust'] }, question_id: 'q1' },
    ]);
  });

  test('about a plan shows it as text with headings, and one about an edit as a diff', async () => {
    const plan = '# The plan\n\n1. Read\n2. **Write**';
    const edit = { file_path: 'a.ts', old_string: 'one\nlet two', new_string: 'one\nlet three' };
    await using one = await startPage(browser, {
      prepare: ({ sessions }) => {
        sessions.add('PLAN', asking({ kind: 'plan', tool: { name: 'ExitPlanMode', input: { plan } } }));
        sessions.add('EDIT', asking({ tool: { name: 'Edit', input: edit } }));
      },
    });
    await one.visit('#/s/PLAN');
    await panel(one, 'Plan').getByRole('heading', { name: 'The plan' }).waitFor();
    expect(await panel(one, 'Plan').getByRole('listitem').count()).toBe(2);
    await one.visit('#/s/EDIT');
    await panel(one, 'Permission').locator('[data-kind="-"]', { hasText: 'two' }).waitFor();
    const added = panel(one, 'Permission').locator('[data-kind="+"]', { hasText: 'let three' });
    await added.locator('.code-keyword', { hasText: 'let' }).waitFor();
  });

  test('is answered by no click that was meant for the previous one', async () => {
    await using one = await startPage(browser, {
      prepare: ({ sessions }) => {
        sessions.add('FIRST', asking());
        sessions.add('SECOND', asking({ id: 'q2' }));
      },
    });
    const { page } = one;
    const { sessions } = one.server;
    const answered = sessions.answer.bind(sessions);
    sessions.answer = async (slug, request) => {
      await answered(slug, request);
      sessions.change(slug, WORKING);
    };
    await one.visit('#/');
    const yesOf = (slug: string) =>
      page.getByRole('article', { name: slug }).getByRole('button', { name: 'Yes', exact: true });
    // A question that has just appeared or moved accepts no click yet.
    for (const slug of ['FIRST', 'SECOND']) {
      const settled = page.locator(`article[aria-label="${slug}"] .choice[aria-disabled="false"]`);
      await settled.first().waitFor();
    }
    const box = await yesOf('FIRST').boundingBox();
    if (box === null) throw new Error('the button is not shown');
    const pixel = [box.x + 5, box.y + 5] as const;
    // A card whose content is not laid out yet accepts no click.
    const isHit = `document.elementFromPoint(${pixel.join(',')})?.closest('.choice') != null`;
    await waitFor(() => page.evaluate(isHit), { describe: 'the button is under the pointer' });
    /** Runs the code at each frame, and resolves to its first value other than undefined. */
    const atFrame = (look: string): Promise<unknown> =>
      page.evaluate(`new Promise((resolve, reject) => {
        const until = performance.now() + 30_000;
        const look = () => { ${look} };
        const frame = () => {
          const seen = look();
          if (seen !== undefined) return resolve(seen);
          if (performance.now() > until) return reject(new Error('not seen: ' + document.body.innerText));
          requestAnimationFrame(frame);
        };
        frame();
      })`);
    const click = `document.elementFromPoint(${pixel.join(',')}).click();`;
    // The page shows the result of the answer for two seconds.
    const said = atFrame(`if (!document.body.textContent.includes('Answered: Yes')) return;
      ${click}
      return 'the place is kept';`);
    await page.mouse.click(...pixel);
    expect(await said).toBe('the place is kept');
    // The second card slides up under the pointer when the first one is gone, and the page clicks at that moment. The
    // click is not at the first card's exact height, because a card may still move by some pixels.
    const isUnderPointer = atFrame(`const button = document.querySelector('article[aria-label="SECOND"] .choice');
      if (!button.contains(document.elementFromPoint(${pixel.join(',')}))) return;
      ${click}
      return true;`);
    expect(await isUnderPointer).toBe(true);
    expect(sessions.answers.map(({ question_id }) => question_id)).toEqual(['q1']);
    await yesOf('SECOND').click();
    await waitFor(() => sessions.answers.length === 2, { describe: 'the second is answered' });
  });

  test('accepts no key that was pressed for the one that it has just replaced', async () => {
    await using one = await startPage(browser, { prepare: ({ sessions }) => void sessions.add('ASKS', asking()) });
    const { page } = one;
    const { sessions } = one.server;
    await one.visit('#/s/ASKS');
    await panel(one, 'Permission').waitFor();
    // The page itself presses the keys at the moment in which the command changes.
    const pressed = page.evaluate(`new Promise((resolve) => {
      const look = () => {
        if (!document.querySelector('.question')?.textContent.includes('rm -rf /')) return requestAnimationFrame(look);
        for (const key of ['y', '1']) document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        resolve();
      };
      look();
    })`);
    sessions.change('ASKS', asking({ id: 'q2', tool: { name: 'Bash', input: { command: 'rm -rf /' } } }));
    await pressed;
    // A key counts once the person has had the time to read. No other key counts.
    await page.locator('.choice[aria-disabled="false"]').first().waitFor();
    await page.keyboard.press('x');
    await waitFor(() => sessions.answers.length > 0, { describe: 'the key counts' });
    expect(sessions.answers).toEqual([{ choice: 'no', question_id: 'q2' }]);
  });

  test('that disappeared before the answer is not answered, and the page reports it', async () => {
    await using one = await startPage(browser, { prepare: ({ sessions }) => void sessions.add('ASKS', asking()) });
    await one.visit('#/s/ASKS');
    await panel(one, 'Permission').waitFor();
    const { sessions } = one.server;
    const answered = sessions.answer.bind(sessions);
    sessions.answer = async (slug, request) => {
      sessions.answer = answered;
      sessions.change('ASKS', DONE);
      return answered(slug, request);
    };
    await one.page.getByRole('button', { name: 'Yes', exact: true }).click();
    await one.page
      .getByRole('status')
      .getByText(/No question|nothing/i)
      .first()
      .waitFor();
    await panel(one, 'Permission').waitFor({ state: 'detached' });
    expect(sessions.answers).toEqual([]);
  });
});

describe('a permission', () => {
  test('names its file once', async () => {
    const tool = { name: 'Write', input: { file_path: '/home/me/NOTES.md', content: '# Notes' } };
    await using one = await startPage(browser, {
      prepare: ({ sessions }) => void sessions.add('ASKS', asking({ tool, text: 'Write: /home/me/NOTES.md' })),
    });
    await panel(one, 'Permission').getByText('# Notes').waitFor();
    const text = await panel(one, 'Permission').textContent();
    expect(text?.split('NOTES.md')).toHaveLength(2);
  });
});

describe('a reply', () => {
  test("that would end up next to somebody else's text is sent afterwards, at the right time", async () => {
    await using one = await startPage(browser, { prepare: ({ sessions }) => void sessions.add('DRAFT', DONE) });
    const { page, server } = one;
    const send = server.sessions.send.bind(server.sessions);
    server.sessions.send = async (slug, request) => {
      if (request.queue !== true) throw new CatalogueError('not_accepting_text', 'Somebody has begun to type a text');
      return send(slug, request);
    };
    await one.visit('#/s/DRAFT');
    await page.getByLabel('Reply to DRAFT').fill('after that');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Somebody has begun to type a text.').waitFor();
    await page.getByRole('button', { name: 'Send as a separate prompt afterwards' }).click();
    await page.getByRole('list', { name: 'Sent' }).getByText('after that').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('that would run a command needs a confirmation first', async () => {
    await using one = await startPage(browser, { prepare: ({ sessions }) => void sessions.add('DONE', DONE) });
    await one.visit('#/s/DONE');
    await one.page.getByLabel('Reply to DONE').fill('!ls');
    await one.page.keyboard.press('Enter');
    await one.page.getByText('This would run as a shell command.').waitFor();
    expect(one.server.sessions.deliveries('DONE')).toEqual([]);
    await one.page.getByRole('button', { name: 'Run it as a command' }).click();
    await one.page.getByLabel('Sent').getByText('!ls').waitFor();
    expect(one.server.sessions.deliveries('DONE')[0]?.text).toBe('!ls');
  });

  test('to a session with a dialog open is held, and can be taken back', async () => {
    await using one = await startPage(browser, { prepare: ({ sessions }) => void sessions.add('DONE', DONE) });
    await one.server.sessions.send('DONE', { text: 'held', queue: true });
    await one.visit('#/s/DONE');
    await one.page.getByLabel('Sent').getByText('held until it is ready').waitFor();
    await one.page.getByRole('button', { name: 'Cancel' }).click();
    await waitFor(() => one.server.sessions.deliveries('DONE')[0]?.status === 'cancelled', { describe: 'cancelled' });
  });

  test('is kept as a draft, and sent from there', async () => {
    await using one = await startPage(browser, { prepare: ({ sessions }) => void sessions.add('DONE', DONE) });
    await one.visit('#/s/DONE');
    await one.page.getByLabel('Reply to DONE').fill('later');
    await one.page.getByRole('button', { name: 'Keep as draft' }).click();
    await one.page.getByText('Kept as a draft').waitFor();
    expect(await one.page.getByLabel('Reply to DONE').inputValue()).toBe('');
    await one.visit('#/stash');
    await one.page.getByRole('button', { name: 'Send now' }).click();
    await one.page.getByText('No drafts yet').waitFor();
    expect(one.server.sessions.deliveries('DONE')[0]?.text).toBe('later');
  });

  test('that is half written stays while another session is shown', async () => {
    await using one = await startPage(browser, {
      prepare: ({ sessions }) => {
        for (const slug of ['ONE', 'TWO']) sessions.add(slug, DONE);
      },
    });
    await one.visit('#/s/ONE');
    await one.page.getByLabel('Reply to ONE').fill('half');
    await one.visit('#/s/TWO');
    expect(await one.page.getByLabel('Reply to TWO').inputValue()).toBe('');
    await one.visit('#/s/ONE');
    expect(await one.page.getByLabel('Reply to ONE').inputValue()).toBe('half');
  });
});

test('a new session: the folder is completed, and the name follows it', async () => {
  await using one = await startPage(browser);
  const { page, server } = one;
  const folder = server.world.project('my-service');
  await one.visit('#/new');
  await page.getByLabel('Folder').fill(folder.slice(0, -3));
  await page.getByRole('option', { name: folder }).waitFor();
  await page.keyboard.press('Tab');
  await waitFor(async () => (await page.getByLabel('Folder').inputValue()) === `${folder}/`, {
    describe: 'Tab completes',
  });
  await page.getByLabel('First prompt').fill('hello');
  await page.getByLabel('Terminal').check();
  await page.getByLabel('Permissions').selectOption('plan');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByRole('heading', { name: 'MY-SERVICE' }).waitFor();
  expect(server.sessions.created).toEqual([
    { slug: 'MY-SERVICE', path: `${folder}/`, type: 'screen', prompt: 'hello', permission_mode: 'plan' },
  ]);
});
