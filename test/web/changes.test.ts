import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openBrowser, requestsElsewhere } from '../harness/browser.ts';
import { createRepository, type TestRepository } from '../harness/git-repository.ts';
import { type PageUnderTest, startPage } from '../harness/page.ts';
import { DONE, WORKING } from '../harness/some-sessions.ts';
import { runTurn } from '../harness/some-turns.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
let browser: Browser;
let repository: TestRepository;
let made = 0;
beforeAll(async () => {
  browser = await openBrowser(world);
});
afterAll(() => world.dispose());
beforeEach(() => {
  repository = createRepository(world, `repository-${++made}`);
  repository.write('a.txt', 'one\ntwo\nthree\n');
  repository.write('old.txt', 'a line that stays\n'.repeat(20));
  repository.commit();
  repository.git('checkout', '--quiet', '-b', 'task');
});

const start = (): Promise<PageUnderTest> =>
  startPage(browser, { prepare: ({ sessions }) => void sessions.add('AUTH', { ...DONE, path: repository.dir }) });
const fileLink = ({ page }: PageUnderTest, name: string) => page.locator('.changed-file', { hasText: name });
const patch = ({ page }: PageUnderTest) => page.locator('section.patch');

test('shows the changes and their base, file by file, including renamed, binary and new ones', async () => {
  repository.write('a.txt', 'one\n2\nthree\n');
  renameSync(join(repository.dir, 'old.txt'), join(repository.dir, 'new.txt'));
  repository.write('picture.bin', new Uint8Array([0, 1, 2]));
  await using one = await start();
  const { page } = one;
  await one.visit('#/s/AUTH');
  await page.getByRole('heading', { name: 'AUTH', exact: true }).waitFor();
  await page.keyboard.press('d');
  await page.getByRole('heading', { name: 'AUTH, changes' }).waitFor();
  await page.getByText('3 files, +1 −1').waitFor();
  await page.getByText('against main, where the branch started').waitFor();
  await patch(one).locator('[data-kind=added]', { hasText: '2' }).waitFor();
  await patch(one).locator('[data-kind=removed]', { hasText: 'two' }).waitFor();
  await page.keyboard.press(']');
  await fileLink(one, 'old.txt → new.txt').and(page.locator('[aria-current]')).waitFor();
  await patch(one).getByText('rename from old.txt').waitFor();
  await fileLink(one, 'picture.bin').click();
  await page.getByRole('region', { name: 'After' }).getByText('1 kB, not an image').waitFor();
  await page.keyboard.press('[');
  await page.keyboard.press('[');
  await page.keyboard.press('s');
  const pair = patch(one).locator('.patch-pair', { hasText: 'two' });
  await pair.locator('[data-kind=removed]', { hasText: 'two' }).waitFor();
  await pair.locator('[data-kind=added]', { hasText: '2' }).waitFor();
  await page.keyboard.press('d');
  await page.getByRole('heading', { name: 'AUTH', exact: true }).waitFor();
  expect(one.watched.faults).toEqual([]);
});

test('is read again when a turn ends, and reports if there is nothing, or no repository', async () => {
  await using one = await start();
  const { page, server } = one;
  await one.visit('#/s/AUTH/changes');
  await page.locator('.changes-patch').getByText('No changes against main').waitFor();
  server.sessions.change('AUTH', WORKING);
  await page.getByText('A turn is running').waitFor();
  repository.write('made-by-the-turn.txt', 'x\n');
  server.sessions.change('AUTH', DONE);
  await fileLink(one, 'made-by-the-turn.txt').waitFor();
  server.sessions.change('AUTH', { path: server.world.projectDir });
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText("isn't inside a git working tree").waitFor();
});

test('10,000 changed lines are drawn with few elements, and can be scrolled to their end', async () => {
  const lines = Array.from({ length: 10_000 }, (_, at) => `line number ${at + 1}\n`);
  repository.write('many.txt', lines.join(''));
  await using one = await start();
  const { page } = one;
  await one.visit('#/s/AUTH');
  await page.getByRole('heading', { name: 'AUTH', exact: true }).waitFor();
  const asked: { url: string; ms: number }[] = [];
  const requested: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.includes('/changes')) requested.push(pathname);
  });
  page.on('requestfinished', (request) => {
    const { responseEnd } = request.timing();
    if (request.url().includes('/changes')) asked.push({ url: request.url(), ms: responseEnd });
  });
  const before = performance.now();
  await one.visit('#/s/AUTH/changes');
  await patch(one).getByText('line number 1', { exact: true }).waitFor();
  const ms = (performance.now() - before).toFixed(0);
  // One request is enough for the first screen.
  expect(requested).toEqual(['/sessions/AUTH/changes']);
  const drawn = await page.evaluate(`new Promise((resolve) => {
    const box = document.querySelector('section.patch');
    const began = performance.now();
    box.scrollTop = 100_000;
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - began)));
  })`);
  console.info(
    `10,000 changed lines in the page: first screen after ${ms} ms, of which requests took ${asked.map((request) => request.ms.toFixed(0)).join(' + ')} ms; a jump is drawn in ${Number(drawn).toFixed(0)} ms`,
  );
  await patch(one).getByText('line number 5000', { exact: true }).waitFor();
  expect(await patch(one).locator('.patch-row').count()).toBeLessThan(300);
  await page.evaluate(`document.querySelector('section.patch').scrollTop = 1e9`);
  await patch(one).getByText('line number 10000', { exact: true }).waitFor();
});

test('names and lines of hostile files stay text; invisible characters are written out', async () => {
  const img = '<img src=x onerror="window.wasHit=1">';
  repository.write(
    `${img.replaceAll('/', '')}\u202e\u0007.txt`,
    `${img}\n<script>window.wasHit=1</script>\n\u202etxt.exe\u200b\u001b[2J\n`,
  );
  repository.write('b-long.txt', `${'x'.repeat(300_000)}\n`);
  await using one = await start();
  const { page, watched } = one;
  await one.visit('#/s/AUTH/changes');
  await patch(one).getByText('\\u202etxt.exe\\u200b\\u001b[2J').waitFor();
  await fileLink(one, '\\u202e\\u0007.txt').waitFor();
  await fileLink(one, 'b-long.txt').click();
  await patch(one).getByText('298000 more characters').waitFor();
  expect(await page.evaluate('window.wasHit')).toBeUndefined();
  expect(await page.locator('img[src="x"], #app script').count()).toBe(0);
  expect(watched.faults).toEqual([]);
  expect(requestsElsewhere(browser)).toEqual([]);
});

test('thousands of files are listed without an element each', async () => {
  for (let at = 1000; at < 2_000; at++) repository.write(`many/${at}.txt`, 'x\n');
  await using one = await start();
  const { page } = one;
  await one.visit(`#/s/AUTH/changes?file=${encodeURIComponent('many/1990.txt')}`);
  await page.getByText('1000 files').waitFor();
  await fileLink(one, 'many/1990.txt').and(page.locator('[aria-current]')).waitFor();
  await waitFor(async () => (await page.locator('.changed-file').count()) < 200, { describe: 'few rows are elements' });
});

test('a turn is chosen, and only what it changed is shown, without comments; the address keeps the turn', async () => {
  await using one = await start();
  const { page, server } = one;
  await runTurn(server, 'AUTH', { prompt: 'count up', work: () => repository.write('a.txt', 'one\n2\nthree\n') });
  await runTurn(server, 'AUTH', { prompt: 'add b', work: () => repository.write('b.txt', 'b\n') });
  await one.visit('#/s/AUTH/changes');
  const choice = page.getByLabel('Which changes');
  await choice.getByText(/^Turn 1, .* 1 file, \+1 −1: count up$/).waitFor({ state: 'attached' });
  expect(await choice.locator('option').count()).toBe(3);
  await page.getByRole('button', { name: 'Send…' }).waitFor();
  await choice.selectOption('1');
  await page.getByText('1 file, +1 −1 in turn 1').waitFor();
  await patch(one).locator('[data-kind=removed]', { hasText: 'two' }).waitFor();
  expect(await fileLink(one, 'b.txt').count()).toBe(0);
  // A comment is about the files as they are now.
  expect(await page.getByRole('button', { name: /Comment on line|Send…/ }).count()).toBe(0);
  expect(new URL(page.url()).hash).toBe('#/s/AUTH/changes?turn=1');
  await choice.selectOption('2');
  await page.getByText('1 file, +1 −0 in turn 2').waitFor();
  await choice.selectOption('All changes since its branch began');
  await page.getByText('2 files, +2 −1').waitFor();
  await page.getByRole('button', { name: 'Comment on line 1', exact: true }).waitFor();
  expect(one.watched.faults).toEqual([]);
});

const codeIn = (one: PageUnderTest, kind: string, text: string) =>
  patch(one).locator(`[data-kind=${kind}] .patch-sign + span`, { hasText: text });

test('code gets the colours of its language, only on the rows that are drawn; the sign remains; each theme has its own', async () => {
  const filler = Array.from({ length: 5_000 }, (_, at) => `const number${at} = "${at}"; // line\n`);
  repository.write('code.ts', `const old = \`one\n\`;\n`);
  repository.commit();
  repository.git('branch', '--force', 'main');
  repository.write('code.ts', `const fresh = 'x'; // \u202e\u001b[2J\n${filler.join('')}`);
  repository.write('plain.txt', 'const plain = 1;\n');
  await using one = await start();
  const { page } = one;
  await one.visit('#/s/AUTH/changes');
  const added = codeIn(one, 'added', 'const fresh');
  await added.locator('.code-keyword', { hasText: 'const' }).waitFor();
  await added.locator('.code-string', { hasText: "'x'" }).waitFor();
  await added.locator('.code-comment', { hasText: '// \\u202e\\u001b[2J' }).waitFor();
  expect(await added.textContent()).toBe("const fresh = 'x'; // \\u202e\\u001b[2J");
  // The string that the old lines open does not reach the new ones.
  await codeIn(one, 'removed', 'const old').locator('.code-string', { hasText: '`one' }).waitFor();
  expect(await patch(one).locator('.patch-row').count()).toBeLessThan(300);
  expect(await patch(one).locator('[data-kind=added] .patch-sign').first().textContent()).toBe('+');
  await page.evaluate(`document.querySelector('section.patch').scrollTop = 1e9`);
  const last = codeIn(one, 'added', 'const number4999');
  await last.locator('.code-string', { hasText: '"4999"' }).waitFor();
  const colourOf = () => last.locator('.code-keyword').evaluate((element) => getComputedStyle(element).color);
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await colourOf();
  await page.emulateMedia({ colorScheme: 'dark' });
  await waitFor(async () => (await colourOf()) !== light, { describe: 'the colours of the dark theme' });
  await page.keyboard.press('s');
  await patch(one).locator('.patch-pair .code-keyword').first().waitFor();
  await fileLink(one, 'plain.txt').click();
  await codeIn(one, 'added', 'const plain').waitFor();
  expect(await patch(one).locator('[class^="code-"]').count()).toBe(0);
  expect(one.watched.faults).toEqual([]);
});

test('code that is made to be slow or to look like HTML neither blocks the page nor becomes an element', async () => {
  const slow = `a${' '.repeat(40)}`.repeat(12);
  repository.write('slow.yaml', `<img src=x onerror="window.wasHit=1">\n${`${slow}\n`.repeat(3_000)}end: "of it"\n`);
  await using one = await start();
  const { page, watched } = one;
  await one.visit('#/s/AUTH/changes?file=slow.yaml');
  await patch(one).getByText('<img src=x').waitFor();
  // The worker may be busy for seconds, but the page draws the end at once.
  const drawn = await page.evaluate(`new Promise((resolve) => {
    const began = performance.now();
    document.querySelector('section.patch').scrollTop = 1e9;
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - began)));
  })`);
  expect(Number(drawn)).toBeLessThan(2_000);
  await patch(one).getByText('end: "of it"').waitFor();
  expect(await page.evaluate('window.wasHit')).toBeUndefined();
  expect(await page.locator('img[src="x"]').count()).toBe(0);
  expect(watched.faults).toEqual([]);
});
