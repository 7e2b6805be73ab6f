import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findFirefox } from '../../scripts/setup/system-programs.mjs';
import {
  FIREFOX_STARTS_MS,
  type Firefox,
  type FirefoxPage,
  openFirefox,
  startFirefoxPage,
} from '../harness/firefox.ts';
import { newSignInLink } from '../harness/page.ts';
import { ASKED_S, addRecordedRun, RUN_S } from '../harness/recorded-run.ts';
import { asking, DONE, WORKING } from '../harness/some-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

let firefox: Firefox;

/** Waits until the page accepts a click or a key, which it does once a person has had the time to read. */
const isReady = ({ page }: FirefoxPage) => page.locator('.choice[aria-disabled="false"]').wait();
const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`);

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

describe.skipIf(findFirefox(process.env) === null)('the page in Firefox', () => {
  const world = createWorld();
  beforeAll(async () => {
    firefox = await openFirefox(world);
  }, 2 * FIREFOX_STARTS_MS);
  // Neither a page nor Firefox itself may contact another host.
  afterEach(() => expect(firefox.askedElsewhere).toEqual([]));
  afterAll(() => world.dispose());

  test('a link signs in once, with a key that scripts use and never read, and it survives a reload', async () => {
    await using one = await startFirefoxPage(firefox, ({ sessions }) => void sessions.add('DONE', DONE));
    const { page, server } = one;
    expect(await page.evaluate(KEPT)).toEqual({ extractable: false, plain: null });
    await page.reload();
    await page.locator('.session-row').wait();
    await one.visit('#/settings');
    // The button moves down when the list of sinks has come.
    await one.reads('cbos notify add --help');
    await one.reads('Signed in until');
    await one.click('button', 'Sign out');
    await one.sees('heading', 'Sign in to CBOS');
    const link = await newSignInLink(server);
    await page.goto(link);
    await page.locator('.session-row').wait();
    await page.goto('about:blank');
    await page.browserContext().deleteCookie(...(await page.browserContext().cookies()));
    await page.goto(link);
    await one.reads('cbos open');
    expect(one.faults).toEqual([]);
  });

  test("a violation of the page's policy is a fault here, and no request for it is sent", async () => {
    await using one = await startFirefoxPage(firefox);
    await one.page.evaluate("new Image().src = 'https://example.invalid/a.png'");
    await waitFor(() => one.faults.length > 0, { describe: 'it is told' });
    expect(one.faults).toEqual([expect.stringMatching(/^error: Content-Security-Policy: .*example\.invalid/)]);
  });

  test('the list is grouped by what sessions need, and moves as they do', async () => {
    await using one = await startFirefoxPage(firefox, ({ sessions }) => {
      sessions.add('IDLE');
      sessions.add('BUSY', WORKING);
      sessions.add('DONE', DONE);
      sessions.add('ASKS', asking());
    });
    const names = () => one.texts('.session-row .name');
    const untilListed = (wanted: string) =>
      waitFor(async () => (await names()).join() === wanted, { describe: `the list is ${wanted}`, actual: names });
    await untilListed('ASKS,DONE,BUSY,IDLE');
    one.server.sessions.change('BUSY', asking({ id: 'q2' }));
    await untilListed('BUSY,ASKS,DONE,IDLE');
    expect(await one.page.title()).toContain('(2)');
    await one.press('/');
    await one.page.keyboard.type('done');
    await untilListed('DONE');
    await one.press('Enter');
    await one.sees('heading', 'DONE');
    expect(one.faults).toEqual([]);
  });

  test('a permission is answered with a click, and with a key', async () => {
    await using one = await startFirefoxPage(firefox, ({ sessions }) => {
      sessions.add('ASKS', asking());
      sessions.add('MORE', asking({ id: 'q2' }));
    });
    const { answers } = one.server.sessions;
    await one.visit('#/s/ASKS');
    await one.sees('heading', 'ASKS');
    await isReady(one);
    await one.click('button', 'Yes, and don’t ask again for npm test');
    await waitFor(() => answers.length === 1, { describe: 'it is answered by a click' });
    await one.visit('#/s/MORE');
    await one.sees('heading', 'MORE');
    await isReady(one);
    await one.press('y');
    await waitFor(() => answers.length === 2, { describe: 'it is answered by a key' });
    expect(answers).toEqual([
      { choice: 2, question_id: 'q1' },
      { choice: 'yes', question_id: 'q2' },
    ]);
    expect(one.faults).toEqual([]);
  });

  test('a question with several parts is a form that is sent as a whole', async () => {
    const optionsOf = (...labels: string[]) =>
      labels.map((label, index) => ({ key: String(index + 1), label, description: null, means: 'choice' as const }));
    const questions = [
      { header: 'Language', text: 'Which language?', options: optionsOf('TypeScript', 'Go'), multi: false },
      { header: 'Targets', text: 'Which targets?', options: optionsOf('Linux', 'Windows'), multi: true },
    ];
    await using one = await startFirefoxPage(
      firefox,
      ({ sessions }) => void sessions.add('ASKS', asking({ kind: 'question', tool: null, text: 'Several', questions })),
    );
    const { page, server } = one;
    await one.visit('#/s/ASKS');
    await one.click('radio', 'Go');
    await one.click('checkbox', 'Windows');
    await one.click('checkbox', 'Linux');
    await one.click('textbox', 'Other answer to: Which targets?');
    await page.keyboard.type('Plan 9');
    await page.locator('button[type=submit][aria-disabled="false"]:enabled').wait();
    await one.click('button', 'Send the answers');
    await waitFor(() => server.sessions.answers.length > 0, { describe: 'an answer comes' });
    expect(server.sessions.answers).toEqual([
      { answers: { 'Which language?': 'Go', 'Which targets?': ['Linux', 'Windows', 'Plan 9'] }, question_id: 'q1' },
    ]);
    expect(one.faults).toEqual([]);
  });

  test('a reply of several lines is sent with Enter and shown as delivered, and its field is empty again', async () => {
    await using one = await startFirefoxPage(firefox, ({ sessions }) => void sessions.add('DONE', DONE));
    const { page, server } = one;
    const height = async () => (await page.evaluate("document.querySelector('#reply').offsetHeight")) as number;
    await one.visit('#/s/DONE');
    await one.click('textbox', 'Reply to DONE');
    const empty = await height();
    await page.keyboard.type('first line');
    await one.press('Shift+Enter');
    await page.keyboard.type('second line');
    expect(await height()).toBeGreaterThan(empty);
    await one.press('Enter');
    await waitFor(() => server.sessions.deliveries('DONE').length > 0, { describe: 'it is sent' });
    expect(server.sessions.deliveries('DONE')[0]?.text).toBe('first line\nsecond line');
    const sent = () => one.texts('[aria-label="Sent"] li');
    await waitFor(async () => (await sent()).some((text) => text.includes('Sent') && text.includes('second line')), {
      describe: 'it is shown as delivered',
      actual: sent,
    });
    await waitFor(async () => (await height()) === empty, { describe: 'the field is as it was', actual: height });
    expect(one.faults).toEqual([]);
  });

  test('Ctrl+K opens the palette instead of a search by Firefox, and a session is stopped from there', async () => {
    await using one = await startFirefoxPage(firefox, ({ sessions }) => {
      sessions.add('DONE', DONE);
      sessions.add('BUSY', WORKING);
    });
    const { page, server } = one;
    await page.locator('.session-row').wait();
    await one.press('Control+k');
    await page.locator('.palette input').wait();
    await page.keyboard.type('stop busy');
    await one.press('Enter');
    await one.reads('Stop BUSY?');
    await page.locator('dialog button[type=submit][aria-disabled="false"]').wait();
    await one.press('Enter');
    await waitFor(() => server.sessions.get('BUSY').state === 'dead', { describe: 'it is stopped' });
    await waitFor(async () => (await one.texts('dialog')).length === 0, { describe: 'the dialog is closed' });
    expect(server.sessions.get('DONE').state).toBe('waiting');
    expect(one.faults).toEqual([]);
  });

  test('a terminal shows its output and takes keys, also after a restart of the server: no byte is lost, none twice', async () => {
    await using one = await startFirefoxPage(firefox, ({ sessions }) => void sessions.add('TERM', WORKING));
    const { page, server } = one;
    const write = (lines: string[]) =>
      server.sessions.stream('TERM').write(lines.map((line) => `${line}\r\n`).join(''));
    const untilTyped = async (wanted: string) => {
      const typed = () => server.sessions.typed.get('TERM');
      await waitFor(() => typed() === wanted, { describe: 'the keys arrive', actual: typed });
    };
    await one.visit('#/s/TERM');
    write(numbered(1, 5));
    await one.untilTerminalShows(numbered(1, 5));
    await one.click('button', 'Take the keyboard');
    await one.reads('Your keyboard types here');
    await page.keyboard.type('ls é/');
    await one.press('Enter', 'ArrowUp', 'Control+c', 'Control+k', 'Escape');
    await untilTyped('ls é/\r\u001b[A\u0003\u000b\u001b');

    await server.stop();
    await one.reads('Connection lost');
    await page.locator('button[aria-label="Take the keyboard"][disabled]').wait();
    write(numbered(6, 9));
    await server.startAgain();
    await one.untilTerminalShows(numbered(1, 9));
    write(numbered(10, 12));
    await one.untilTerminalShows(numbered(1, 12));
    await page.locator('button[aria-label="Take the keyboard"]:enabled').wait();
    await one.click('button', 'Take the keyboard');
    await one.reads('Your keyboard types here');
    await one.press('x');
    await untilTyped('ls é/\r\u001b[A\u0003\u000b\u001bx');
    expect(one.faults).toEqual([]);
  });

  test('a search leads to the moment of its hit in the replay, which plays from there and from the beginning', async () => {
    await using one = await startFirefoxPage(firefox, addRecordedRun);
    const { page } = one;
    const position = async () => Number(await page.evaluate(`document.querySelector('[aria-label="Position"]').value`));
    const untilAt = (seconds: number) =>
      waitFor(async () => Math.abs((await position()) - seconds) < 0.3, {
        describe: `it is at ${seconds} s`,
        actual: position,
      });
    await one.visit('#/search');
    await one.sees('heading', 'Search');
    await one.click('searchbox', 'Search all sessions');
    await page.keyboard.type('deploy');
    await one.press('Enter');
    await one.sees('heading', 'RUN, replay');
    await one.sees('button', 'Play');
    await waitFor(async () => (await one.texts('button:enabled')).includes('Next question'), {
      describe: 'the questions are known',
    });
    await one.press(']');
    await untilAt(ASKED_S - 1);
    await one.untilTerminalShows(['begin']);
    await one.press(' ');
    await one.untilTerminalShows(['begin', 'shall I deploy?', 'the end']);
    await untilAt(RUN_S);
    expect(one.faults).toEqual([]);
  });
});
