import { execFileSync } from 'node:child_process';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { loadAxe, seriousFindings } from '../harness/axe.ts';
import { openBrowser, requestsElsewhere, VIEWPORTS } from '../harness/browser.ts';
import { createRepository, type TestRepository } from '../harness/git-repository.ts';
import { type PageUnderTest, startPage } from '../harness/page.ts';
import { addPast, runPast, runTwoPast } from '../harness/past-files.ts';
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
  repository.write('a.txt', 'one\n');
  repository.commit();
});

type Context = NonNullable<Parameters<typeof startPage>[1]>['context'];
const start = (context: Context = {}): Promise<PageUnderTest> =>
  startPage(browser, { context, prepare: (faces) => addPast(faces, repository) });
const entry = ({ page }: PageUnderTest, name: string) => page.locator('.past-entry').filter({ hasText: name });
const seek = ({ page }: PageUnderTest, second: number) => page.getByLabel('Position').fill(String(second));

test('the files follow the position; a folder opens, a file is shown as it was, and leads to the changes', async () => {
  await using one = await start();
  const { page, server, watched } = one;
  await runTwoPast(server, repository);
  await one.visit('#/s/PAST/replay?t=5');
  await page.getByRole('button', { name: 'Files' }).click();
  await page.getByText('No files of this moment are kept. The oldest are as they were before turn 1').waitFor();
  await seek(one, 15);
  await page.getByText('The files as they were before turn 1').waitFor();
  await page.getByText('the oldest checkpoint').waitFor();
  await entry(one, 'a.txt').click();
  await page.locator('.past .patch-row', { hasText: 'one' }).waitFor();
  // The open file follows, too.
  await seek(one, 25);
  await page.locator('.past .patch-row', { hasText: '\\u202ehidden' }).waitFor();
  await page.getByRole('button', { name: 'All files' }).click();
  await entry(one, 'a.txt').getByText('modified').waitFor({ state: 'attached' });
  await entry(one, 'src/').getByText('2 changed').waitFor();
  await entry(one, 'src/').click();
  await entry(one, 'gone.txt').click();
  await page.locator('.past .patch-row', { hasText: 'soon gone' }).waitFor();
  await seek(one, 50);
  await page.getByText('src/gone.txt was deleted.').waitFor();
  await page.getByRole('button', { name: 'All files' }).click();
  // The folder is still open.
  await entry(one, 'gone.txt').getByText('deleted', { exact: true }).waitFor({ state: 'attached' });
  await entry(one, 'picture.png').click();
  await page.locator('.past img').waitFor();
  expect(await page.evaluate(`document.querySelector('.past img').naturalWidth`)).toBe(1);
  await page.getByRole('link', { name: 'What turn 2 changed' }).click();
  await page.getByRole('heading', { name: 'PAST, changes' }).waitFor();
  expect(new URL(page.url()).hash).toBe('#/s/PAST/changes?turn=2&file=picture.png');
  expect(watched.faults).toEqual([]);
  expect(requestsElsewhere(browser)).toEqual([]);
});

test('while it plays, files are read only when the checkpoint changes, and nothing is read while they are hidden', async () => {
  await using one = await start();
  const { page, server } = one;
  await runTwoPast(server, repository);
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.includes('/turns')) asked.push(pathname);
  });
  await one.visit('#/s/PAST/replay?t=41');
  await page.getByRole('button', { name: 'Play' }).waitFor();
  expect(asked).toEqual([]);
  await page.getByRole('heading', { name: 'PAST, replay' }).click();
  await page.keyboard.press('f');
  await entry(one, 'picture.png').waitFor();
  const before = [...asked].sort();
  expect(before).toEqual(['/sessions/PAST/turns', '/sessions/PAST/turns/2/changes', '/sessions/PAST/turns/2/files']);
  await page.getByLabel('Speed').selectOption('8');
  await page.getByLabel('Skip silence').uncheck();
  await page.getByRole('button', { name: 'Play' }).click();
  await waitFor(async () => Number(await page.getByLabel('Position').inputValue()) > 55, { describe: 'it plays' });
  // At its end, it no longer plays.
  await page.getByRole('button', { name: 'Play' }).waitFor();
  expect([...asked].sort()).toEqual(before);
  await seek(one, 25);
  await page.getByText('The files as turn 1 left them').waitFor();
  await entry(one, 'src/').getByText('2 changed').waitFor();
  expect(asked.slice(before.length).sort()).toEqual(['/sessions/PAST/turns/1/changes', '/sessions/PAST/turns/1/files']);
  await page.keyboard.press('f');
  await page.locator('.past').waitFor({ state: 'detached' });
});

/** Adds files to both checkpoints of a turn, without writing each of them to the disk. */
function addManyFiles(ref: string, count: number): void {
  const git = (words: string[], input: string): string =>
    execFileSync('git', ['-C', repository.dir, ...words], { env: { ...world.env, ...AUTHOR }, input })
      .toString()
      .trim();
  const blob = repository.git('rev-parse', 'HEAD:a.txt').trim();
  const names = Array.from({ length: count }, (_, at) => `100644 blob ${blob}\t${10_000 + at}\n`);
  const many = git(['mktree'], names.join(''));
  const copy = (commit: string, parent: string): string => {
    const tree = git(['mktree'], `${repository.git('ls-tree', commit)}040000 tree ${many}\tmany\n`);
    return git(['commit-tree', '-p', parent, '-F', '-', tree], repository.git('log', '-1', '--format=%B', commit));
  };
  repository.git('update-ref', ref, copy(ref, copy(`${ref}^`, `${ref}^^`)));
}
const AUTHOR = {
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example',
};

test('50,000 files are listed with few elements, and can be read to their end', async () => {
  await using one = await start();
  const { page, server } = one;
  await runPast(server, [10, 20], () => repository.write('a.txt', 'two\n'));
  addManyFiles('refs/cbos/turns/PAST/1', 50_000);
  await one.visit('#/s/PAST/replay?t=30');
  await page.getByRole('button', { name: 'Files' }).click();
  await entry(one, 'many/').click();
  await entry(one, '10000').waitFor();
  expect(await page.locator('.past-entry').count()).toBeLessThan(100);
  await waitFor(
    async () => {
      await page.evaluate(`document.querySelector('.past-files').scrollTop = 1e9`);
      return (await entry(one, '59999').count()) > 0;
    },
    { describe: 'the last file is listed', timeoutMs: 80_000 },
  );
  const drawn = await page.evaluate(`new Promise((resolve) => {
    const box = document.querySelector('.past-files');
    const began = performance.now();
    box.scrollTop = 500_000;
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - began)));
  })`);
  console.info(`50,000 files in the page: a jump is drawn in ${Number(drawn).toFixed(0)} ms`);
  expect(await page.locator('.past-entry').count()).toBeLessThan(100);
});

test('hostile names and files stay text, and a session without checkpoints says so', async () => {
  await using one = await start();
  const { page, server, watched } = one;
  await one.visit('#/s/PAST/replay?t=30');
  await page.getByRole('button', { name: 'Files' }).click();
  await page.getByText('No files of this session are saved.').waitFor();
  await runPast(server, [10, 20], () => {
    repository.write('<img src=x onerror="window.wasHit=1">\u202e\n.html', '<script>window.wasHit=1</script>\n');
    repository.write('drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg" onload="window.wasHit=1"/>\n');
  });
  await entry(one, '\\u202e\\n.html').click();
  await page.locator('.past .patch-row', { hasText: '<script>' }).waitFor();
  await page.getByRole('button', { name: 'All files' }).click();
  await entry(one, 'drawing.svg').click();
  await page.locator('.past .patch-row', { hasText: '<svg' }).waitFor();
  expect(await page.evaluate('window.wasHit')).toBeUndefined();
  expect(await page.locator('.past img').count()).toBe(0);
  server.sessions.change('PAST', { path: world.projectDir });
  await seek(one, 15);
  await page.getByText("isn't inside a git working tree").waitFor();
  expect(watched.faults.filter((fault) => !fault.includes('422') && !fault.includes('409'))).toEqual([]);
});

test.each(['phone', 'desktop'] as const)('axe finds nothing serious, and everything fits: %s', async (viewport) => {
  const isPhone = viewport === 'phone';
  const size = isPhone ? { width: 390, height: 844 } : VIEWPORTS.desktop;
  await using one = await start({ viewport: size, bypassCSP: true, hasTouch: isPhone, isMobile: isPhone });
  const { page, server } = one;
  await runTwoPast(server, repository);
  await loadAxe(page);
  await one.visit('#/s/PAST/replay?t=25');
  await page.getByRole('button', { name: 'Files' }).click();
  await entry(one, 'src/').focus();
  await page.keyboard.press('Enter');
  await entry(one, 'gone.txt').waitFor();
  expect(await entry(one, 'src/').getAttribute('aria-expanded')).toBe('true');
  expect(await seriousFindings(page)).toEqual([]);
  if (isPhone) {
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(size.width);
    const heights = await page
      .locator('.past button')
      .evaluateAll((all) => all.map((element) => Math.round(element.getBoundingClientRect().height)));
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
    const screen = await page.locator('.replay-screen').boundingBox();
    expect(screen?.height).toBeGreaterThan(100);
  }
  await entry(one, 'gone.txt').focus();
  await page.keyboard.press('Enter');
  await page.locator('.past .patch-row').first().waitFor();
  expect(await seriousFindings(page)).toEqual([]);
});
