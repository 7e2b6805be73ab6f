import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CatalogueError } from '../../src/protocol/index.ts';
import { openBrowser } from '../harness/browser.ts';
import type { FacesUnderTest } from '../harness/faces.ts';
import { type PageUnderTest, startPage } from '../harness/page.ts';
import { asking, DONE, WORKING } from '../harness/some-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser(world);
});
afterAll(() => world.dispose());

const stateOf = ({ server }: PageUnderTest, slug: string) => server.sessions.get(slug).state;
const dialog = ({ page }: PageUnderTest, name: string | RegExp) => page.getByRole('dialog', { name });
/** Waits until the button of the dialog accepts a click, which takes as long as a double click. */
const confirm = async (one: PageUnderTest, name: string | RegExp, button: string) => {
  await dialog(one, name).locator('button[type=submit][aria-disabled=false]').waitFor();
  await dialog(one, name).getByRole('button', { name: button }).click();
};
async function palette({ page }: PageUnderTest, words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill(words);
}
/** Runs the command of the palette that these words find, once Enter would run this command. */
async function choose(one: PageUnderTest, words: string, command: RegExp): Promise<void> {
  await palette(one, words);
  await one.page.getByRole('option', { name: command, selected: true }).waitFor();
  await one.page.keyboard.press('Enter');
}

function prepare({ sessions }: FacesUnderTest): void {
  sessions.add('ASKS', asking());
  sessions.add('DONE', DONE);
  sessions.add('BUSY', WORKING);
}

describe('Ctrl+K', () => {
  test('reports that nothing is found, restarts, renames, sends, and changes the theme', async () => {
    await using one = await startPage(browser, { prepare });
    const { page, server } = one;
    await server.sessions.kill('BUSY');
    // The palette offers what the page knew when the palette was opened.
    await one.visit('#/s/BUSY');
    await page.getByRole('button', { name: 'Restart' }).waitFor();
    await one.visit('#/s/DONE');
    await page.getByRole('heading', { name: 'DONE', exact: true }).waitFor();
    await palette(one, 'zzz');
    await dialog(one, 'Command palette').getByText('No results').waitFor();
    await page.keyboard.press('Escape');

    await choose(one, 'restart busy', /^Restart BUSY/);
    await waitFor(() => stateOf(one, 'BUSY') === 'idle', { describe: 'BUSY is restarted' });

    await choose(one, 'rename done', /^Rename DONE/);
    await dialog(one, 'Rename DONE').waitFor();
    await page.keyboard.type('OTHER');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'OTHER', exact: true }).waitFor();

    await palette(one, 'broadcast');
    await page.keyboard.press('Enter');
    await dialog(one, 'Send to 3 sessions').waitFor();
    await page.keyboard.type('hello all');
    await page.keyboard.press('Enter');
    // One of the sessions asks. It must not get a text that would answer its question.
    const results = page.getByRole('list', { name: 'Results' });
    await results.getByText('ASKS').waitFor();
    expect(await results.locator('.bad').allTextContents()).toHaveLength(1);
    expect(server.sessions.deliveries('OTHER')[0]?.text).toBe('hello all');
    await page.keyboard.press('Escape');

    await palette(one, 'theme dark');
    await page.keyboard.press('Enter');
    await page.locator('html[data-theme=dark]').waitFor();
    expect(one.watched.faults).toEqual([]);
  });

  test('shows everything before it is allowed, and accepts no key for a question that has just replaced another', async () => {
    await using one = await startPage(browser, { prepare });
    const { page, server } = one;
    await one.visit('#/s/DONE');
    await palette(one, 'allow asks');
    await page.keyboard.press('Enter');
    await dialog(one, 'ASKS asks').getByText('npm test', { exact: true }).waitFor();
    // The page itself presses the key at the moment in which the command changes.
    const pressed = page.evaluate(`new Promise((resolve) => {
      const look = () => {
        if (!document.querySelector('dialog .question')?.textContent.includes('rm -rf /')) return requestAnimationFrame(look);
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'y', bubbles: true }));
        resolve();
      };
      look();
    })`);
    server.sessions.change('ASKS', asking({ id: 'q2', tool: { name: 'Bash', input: { command: 'rm -rf /' } } }));
    await pressed;
    await dialog(one, 'ASKS asks').locator('.choice[aria-disabled=false]').first().waitFor();
    expect(server.sessions.answers).toEqual([]);
    await page.keyboard.press('x');
    await dialog(one, 'ASKS asks').waitFor({ state: 'detached' });
    expect(server.sessions.answers).toEqual([{ choice: 'no', question_id: 'q2' }]);
  });

  test('does what was listed when it was read, however the sessions change in that time', async () => {
    await using one = await startPage(browser, { prepare });
    const { page, server } = one;
    const interrupted: string[] = [];
    server.sessions.interrupt = async (slug) => void interrupted.push(slug);
    server.sessions.add('LATER', DONE);
    await palette(one, 'interrupt');
    await page.getByRole('option', { name: /Interrupt BUSY/ }).waitFor();
    server.sessions.change('LATER', WORKING);
    server.sessions.change('BUSY', DONE);
    await page.locator('.session-row[data-slug=LATER][data-tone=busy]').waitFor();
    await page.keyboard.press('Enter');
    await waitFor(() => interrupted.length > 0, { describe: 'one is interrupted' });
    expect(interrupted).toEqual(['BUSY']);
  });
});

describe('several sessions', () => {
  test('are stopped after a confirmation that names them, with a result for each, and only those that the list shows', async () => {
    await using one = await startPage(browser, { prepare });
    const { page, server } = one;
    const kill = server.sessions.kill.bind(server.sessions);
    server.sessions.kill = async (slug) => {
      if (slug === 'BUSY') throw new CatalogueError('kill_failed');
      return kill(slug);
    };
    await page.keyboard.press('v');
    for (const slug of ['ASKS', 'DONE', 'BUSY']) await page.locator(`.session-row[data-slug=${slug}]`).click();
    await page.getByText('3 chosen').waitFor();
    await page.getByLabel('Filter sessions').fill('done');
    await page.getByText('1 chosen').waitFor();
    await page.getByLabel('Filter sessions').fill('');
    await page.locator('.session-row[data-slug=ASKS]').focus();
    await page.keyboard.press('Space');
    await page.getByText('2 chosen').waitFor();
    await page.getByRole('button', { name: 'Stop…' }).click();
    await dialog(one, 'Stop 2 sessions?').getByText('DONE, BUSY').waitFor();
    // The second click of a double click must not stop anything.
    await dialog(one, 'Stop 2 sessions?').getByRole('button', { name: 'Stop', exact: true }).dispatchEvent('click');
    expect(stateOf(one, 'DONE')).not.toBe('dead');
    await confirm(one, 'Stop 2 sessions?', 'Stop');
    const results = page.getByRole('list', { name: 'Results' });
    await results.getByText('DONE').waitFor();
    expect(await results.locator('.bad').allTextContents()).toEqual([expect.stringContaining('BUSY')]);
    expect([stateOf(one, 'ASKS'), stateOf(one, 'DONE'), stateOf(one, 'BUSY')]).toEqual(['waiting', 'dead', 'working']);
  });
});

describe('a session', () => {
  test('explains its status, is moved, converted, and saved as a file', async () => {
    await using one = await startPage(browser, { prepare });
    const { page, server } = one;
    server.sessions.stream('DONE').write('what it showed\r\n');
    await one.visit('#/s/DONE');
    await page.getByRole('button', { name: /^done/ }).click();
    await dialog(one, 'Why DONE has this status').getByText('it is the only source').waitFor();
    await page.keyboard.press('Escape');

    const folder = server.world.project('elsewhere');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Move…' }).click();
    await dialog(one, 'Move DONE').getByLabel('Folder').fill(folder);
    await dialog(one, 'Move DONE').getByRole('button', { name: 'Move' }).click();
    await waitFor(() => server.sessions.get('DONE').path === folder, { describe: 'it is moved' });

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Export…' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      dialog(one, 'Export DONE').getByRole('button', { name: /^Text/ }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('DONE.txt');
    const chunks: Buffer[] = [];
    for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toContain('what it showed');

    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Convert…' }).click();
    await dialog(one, 'Convert DONE to a conversation?').getByRole('button', { name: 'Convert' }).click();
    await page.getByRole('region', { name: 'Conversation of DONE' }).waitFor();
    expect(server.sessions.get('DONE').type).toBe('json');
    expect(one.watched.faults).toEqual([]);
  });

  test('takes one line of the list if rows are dense', async () => {
    await using one = await startPage(browser, { prepare });
    const { page } = one;
    const height = async () => (await page.locator('.session-row').first().boundingBox())?.height ?? 0;
    const roomy = await height();
    await palette(one, 'rows dense');
    await page.keyboard.press('Enter');
    await waitFor(async () => (await height()) < roomy * 0.7, { describe: 'rows are lower', actual: height });
    await page.reload();
    await page.locator('.session-row').first().waitFor();
    expect(await height()).toBeLessThan(roomy * 0.7);
  });
});

describe('a conversation', () => {
  test('has times, copies its code, and its question and reply are aligned with its messages', async () => {
    await using one = await startPage(browser, {
      context: { permissions: ['clipboard-read', 'clipboard-write'] },
      prepare: ({ sessions }) => {
        sessions.addWithoutRecording('JSON', { type: 'json', json_state: 'complete', ...asking() });
        sessions.happen(
          'JSON',
          { type: 'user', message: { role: 'user', content: 'hello' } },
          { type: 'assistant', message: { content: [{ type: 'text', text: 'So:\n\n```sh\nnpm ci\n```' }] } },
        );
      },
    });
    const { page } = one;
    await one.visit('#/s/JSON');
    const item = page.locator('.item[data-kind=prompt]');
    expect(await item.locator('time').textContent()).toMatch(/\d/);
    await page.locator('.item[data-kind=text] .code-block').hover();
    await page.locator('.item[data-kind=text]').getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('npm ci');
    const leftOf = async (selector: string) => (await page.locator(selector).first().boundingBox())?.x;
    expect(await leftOf('.question')).toBe(await leftOf('.conversation > .item'));
    expect(await leftOf('.reply')).toBe(await leftOf('.conversation > .item'));
  });
});

describe('a reply', () => {
  test('recalls earlier texts, and completes commands and files of the folder', async () => {
    await using one = await startPage(browser, { prepare });
    const { page, server } = one;
    const folder = server.world.project('code');
    mkdirSync(join(folder, '.claude/commands'), { recursive: true });
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, '.claude/commands/release.md'), '---\ndescription: Tag and publish\n---\nRelease it');
    for (const name of ['main.ts', 'other file.ts']) writeFileSync(join(folder, 'src', name), '');
    server.sessions.change('DONE', { path: folder });
    for (const text of ['first', 'second']) await server.sessions.send('DONE', { text });
    await one.visit('#/s/DONE');
    const reply = page.getByLabel('Reply to DONE');
    const value = () => reply.inputValue();
    await reply.focus();
    await page.keyboard.press('ArrowUp');
    await waitFor(async () => (await value()) === 'second', { describe: 'the last one', actual: value });
    await page.keyboard.press('ArrowUp');
    expect(await value()).toBe('first');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await value()).toBe('');

    await page.keyboard.type('/rel');
    await page.getByRole('option', { name: '/release Tag and publish' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await value()).toBe('/release ');
    await page.keyboard.type('@mai');
    await page.getByRole('option', { name: '@src/main.ts' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await value()).toBe('/release @src/main.ts ');
    await page.keyboard.type('@oth');
    await page.getByRole('option', { name: '@src/other file.ts' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await value()).toBe('/release @src/main.ts @"src/other file.ts" ');
    expect(server.sessions.deliveries('DONE')).toHaveLength(2);
  });
});
