import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findOnPath } from '../../scripts/setup/system-programs.mjs';
import type { RepositoryWorktrees } from '../../src/protocol/index.ts';
import { openBrowser } from '../harness/browser.ts';
import { startForge } from '../harness/forge.ts';
import { type PageUnderTest, startPage } from '../harness/page.ts';
import { SINCE } from '../harness/some-session.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorktreeRepository, type WorktreeRepository } from '../harness/worktree-repository.ts';
import { createWorld } from '../harness/world.ts';

const world = createWorld();
let browser: Browser;
let repository: WorktreeRepository;
beforeAll(async () => {
  browser = await openBrowser(world);
  repository = createWorktreeRepository(world);
  repository.commit('first', { 'a.txt': 'a\n' });
});
afterAll(() => world.dispose());

const folderOf = (slug: string): string => join(repository.path, '.claude', 'worktrees', slug);
const button = ({ page }: PageUnderTest, name: string | RegExp) => page.getByRole('button', { name, exact: true });

async function launchInWorktree(one: PageUnderTest, slug: string, branch: string): Promise<void> {
  const { page } = one;
  await one.visit('#/new');
  await page.getByRole('heading', { name: 'New session' }).waitFor();
  await page.getByLabel('Folder').fill(repository.path);
  await page.getByLabel('Name').fill(slug);
  await page.getByLabel('In its own git worktree').check();
  await page.getByRole('textbox', { name: 'Branch' }).fill(branch);
  await page.getByRole('textbox', { name: 'From' }).fill('main');
  await button(one, 'Start').click();
  await page.getByRole('heading', { name: slug, exact: true }).waitFor();
}

async function openFinish(one: PageUnderTest): Promise<void> {
  await button(one, 'More').click();
  await one.page.getByRole('menuitem', { name: 'Finish…' }).click();
  await one.page.getByRole('heading', { name: /^Finish / }).waitFor();
}

test('a session is launched in a worktree, shows its branch, and is merged after its effect was shown', async () => {
  await using one = await startPage(browser);
  const { page, server } = one;
  await launchInWorktree(one, 'AUTH', 'fix/login');
  expect(server.sessions.created.at(-1)?.worktree).toEqual({ branch: 'fix/login', from: 'main' });
  await page.getByText('fix/login → main').first().waitFor();
  writeFileSync(join(folderOf('AUTH'), 'a.txt'), 'merged\n');
  repository.gitIn(folderOf('AUTH'), 'commit', '--quiet', '--all', '--message', 'work');
  await openFinish(one);
  await page.getByText('1 commit for main').waitFor();
  await page
    .getByText(`Merge fix/login into main, and remove the worktree ${folderOf('AUTH')}? AUTH is running`)
    .waitFor();
  await page.locator('dialog button[type=submit]:not([aria-disabled=true])').click();
  await page.getByText('fix/login is in main').waitFor();
  expect(existsSync(folderOf('AUTH'))).toBe(false);
  expect(readFileSync(join(repository.path, 'a.txt'), 'utf8')).toBe('merged\n');
  await button(one, 'More').click();
  expect(await page.getByRole('menuitem', { name: 'Finish…' }).count()).toBe(0);
  expect(one.watched.faults).toEqual([]);
});

test('a conflict is shown before and after a merge is tried, and goes to the session only on request', async () => {
  await using one = await startPage(browser);
  const { page, server } = one;
  await launchInWorktree(one, 'BILL', 'fix/bill');
  writeFileSync(join(folderOf('BILL'), 'a.txt'), 'theirs\n');
  repository.gitIn(folderOf('BILL'), 'commit', '--quiet', '--all', '--message', 'work');
  repository.commit('meanwhile', { 'a.txt': 'ours\n' });
  await openFinish(one);
  await page.getByText('in conflict with main: a.txt').waitFor();
  await page.locator('dialog button[type=submit]:not([aria-disabled=true])').click();
  await page.getByText('a.txt is in conflict; nothing was changed').waitFor();
  expect(existsSync(folderOf('BILL'))).toBe(true);
  expect(server.sessions.deliveries('BILL')).toEqual([]);
  const prompt =
    'Merge the branch main into your branch, resolve the conflicts, and commit the merge. They conflict in: a.txt.';
  await page.getByText(prompt).waitFor();
  await button(one, 'Let the session resolve it').click();
  await waitFor(() => server.sessions.deliveries('BILL').length === 1, { describe: 'the session has the prompt' });
  expect(server.sessions.deliveries('BILL')[0]?.text).toBe(prompt);
  // The page shows what was not committed, and a discarded worktree is gone.
  writeFileSync(join(folderOf('BILL'), 'new.txt'), 'new\n');
  await openFinish(one);
  await page.getByText('saved, but not committed: new.txt').waitFor();
  await page.getByLabel('Discard').check();
  await page.getByText('Discard fix/bill, and remove the worktree').waitFor();
  await page.locator('dialog button[type=submit]:not([aria-disabled=true])').click();
  await page.getByText('the branch fix/bill is deleted').waitFor();
  expect(existsSync(folderOf('BILL'))).toBe(false);
  expect(repository.git('branch', '--list', 'fix/bill')).toBe('');
});

test.skipIf(findOnPath(['gh'], process.env.PATH) === null)(
  'a pull request is opened with the words that were changed, and its number is in the list',
  async () => {
    await using one = await startPage(browser);
    const { page, server } = one;
    const shop = createWorktreeRepository(server.world, 'shop');
    shop.commit('first', { 'a.txt': 'a\n' });
    const forge = await startForge(server.world, shop);
    const folder = join(server.world.dir, 'tree');
    shop.git('worktree', 'add', '--quiet', '-b', 'fix/guests', folder);
    shop.gitIn(folder, 'commit', '--quiet', '--allow-empty', '--message', 'Let guests in');
    const at = { path: folder, repository: shop.path, branch: 'fix/guests', base: 'main' };
    server.sessions.add('SHOP', { path: folder, worktree: { ...at, new_branch: true, left_out: [] } });
    await one.visit('#/s/SHOP');
    await page.getByRole('heading', { name: 'SHOP', exact: true }).waitFor();
    await button(one, 'More').click();
    await page.getByRole('menuitem', { name: 'Pull request…' }).click();
    await page.getByText(`to ${forge.repository}, and open a pull request into main?`).waitFor();
    expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Let guests in');
    await page.getByRole('textbox', { name: 'Text' }).fill('They wait.');
    await page.locator('dialog button[type=submit]:not([aria-disabled=true])').click();
    await page.getByText('SHOP has the pull request #1').waitFor();
    expect(forge.requests).toMatchObject([{ title: 'Let guests in', body: 'They wait.', draft: false }]);
    await page.getByText('#1 open').first().waitFor();
    expect(one.watched.faults).toEqual([]);
  },
);

test('a session is forked from its menu, under the next free name, in a copy of its worktree', async () => {
  await using one = await startPage(browser);
  const { page, server } = one;
  await launchInWorktree(one, 'CARD', 'fix/card');
  writeFileSync(join(folderOf('CARD'), 'new.txt'), 'new\n');
  await button(one, 'More').click();
  await page.getByRole('menuitem', { name: 'Fork…' }).click();
  expect(await page.getByLabel('Name of the fork').inputValue()).toBe('CARD-2');
  await button(one, 'Fork').click();
  await page.getByText('CARD-2 begins with the conversation of CARD, on the branch CARD-2').waitFor();
  await page.getByRole('heading', { name: 'CARD-2', exact: true }).waitFor();
  expect(readFileSync(join(folderOf('CARD-2'), 'new.txt'), 'utf8')).toBe('new\n');
  expect(server.sessions.get('CARD-2').worktree).toMatchObject({ branch: 'CARD-2', base: 'main' });
  expect(one.watched.faults).toEqual([]);
});

test('the form for a new session offers worktrees that no session uses', async () => {
  await using one = await startPage(browser);
  const { page, server } = one;
  const shop = createWorktreeRepository(server.world, 'shop');
  shop.commit('first', { 'a.txt': 'a\n' });
  const tree = join(shop.path, '..', 'shop-old');
  shop.git('worktree', 'add', '--quiet', '-b', 'fix/old', tree);
  await one.visit('#/new');
  await page.getByLabel('Folder').fill(shop.path);
  await page.getByLabel('Name').fill('OLD');
  await page.getByLabel('In its own git worktree').check();
  await page.getByLabel('Which worktree').selectOption('fix/old');
  await page.getByRole('textbox', { name: 'Branch' }).waitFor({ state: 'detached' });
  await button(one, 'Start').click();
  await page.getByRole('heading', { name: 'OLD', exact: true }).waitFor();
  expect(server.sessions.created.at(-1)?.worktree).toEqual({ branch: 'fix/old', existing: true });
  expect(server.sessions.get('OLD').path).toBe(tree);
});

test('a session shows how its set-up failed, and a person may leave the set-up out', async () => {
  await using one = await startPage(browser);
  const { page, server } = one;
  await launchInWorktree(one, 'BAD', 'fix/bad');
  const { worktree, status } = server.sessions.get('BAD');
  if (worktree === undefined) throw new Error('no worktree');
  const set_up = { command: 'npm ci', from: 'settings', state: 'failed', exit_code: 7, after_failure: 'stop' } as const;
  const dead = { ...status, primary: 'dead', detail: null, health: 'DEAD' } as const;
  server.sessions.change('BAD', { state: 'dead', status: dead });
  server.sessions.change('BAD', { worktree: { ...worktree, set_up: { ...set_up, at: status.since } } });
  const notice = page.getByRole('status').filter({ hasText: /^npm ci ended with exit code 7/ });
  await notice.getByRole('button', { name: 'Run it again' }).click();
  await notice.getByRole('button', { name: 'Run it again' }).waitFor({ state: 'detached' });
  expect(server.sessions.get('BAD').state).toBe('idle');
  await notice.getByRole('button', { name: 'Skip it…' }).click();
  await page.getByRole('heading', { name: 'Skip the set-up of BAD?' }).waitFor();
  await page.getByText('This cannot be undone.').waitFor();
  await button(one, 'Cancel').click();
  expect(server.sessions.get('BAD').worktree?.set_up?.state).toBe('failed');
  await button(one, 'More').click();
  await page.getByRole('menuitem', { name: 'Skip the set-up…' }).click();
  await page.locator('dialog button[type=submit]:not([aria-disabled=true])').click();
  await page.getByText('BAD starts without its set-up from now on').waitFor();
  expect(server.sessions.get('BAD').worktree?.set_up?.state).toBe('skipped');
  await notice.waitFor({ state: 'detached' });
});

const EVIL = '\u202e<img src=x onerror="window.wasHit=1">';

test("a repository's own set-up is trusted after it was read to its end, and only as it was read", async () => {
  await using one = await startPage(browser);
  const { page, server } = one;
  const shop = createWorktreeRepository(server.world, 'shop');
  shop.commit('first', { 'a.txt': 'a\n' });
  const name = '.cbos/worktree.toml';
  shop.write(
    name,
    `# ${EVIL}\n${'# a line\n'.repeat(200)}set_up = "npm ci\\u001b; echo ${EVIL.replaceAll('"', "'")}"\n`,
  );
  const state = async (): Promise<unknown> => {
    const answer = await server.call(`/worktrees?path=${encodeURIComponent(shop.path)}`);
    return (answer.json() as RepositoryWorktrees[])[0]?.set_up?.state;
  };
  await server.sessions.create({ slug: 'AUTH', path: shop.path, worktree: {} });
  const { worktree } = server.sessions.get('AUTH');
  if (worktree === undefined) throw new Error('no worktree');
  const set_up = { command: 'npm ci', from: 'project', state: 'untrusted', exit_code: null } as const;
  server.sessions.change('AUTH', {
    worktree: { ...worktree, set_up: { ...set_up, after_failure: 'stop', at: SINCE } },
  });
  await one.visit('#/s/AUTH');
  await page
    .getByRole('status')
    .filter({ hasText: /^npm ci did not run/ })
    .getByRole('button', { name: 'Read it…' })
    .click();
  await page.getByText('not trusted').waitFor();
  await button(one, 'Read it').click();
  const trust = page.getByRole('button', { name: 'Trust this set-up' });
  expect(await trust.isDisabled()).toBe(true);
  const content = page.locator('.rule-content');
  // The escape in the TOML string and the mark that reorders text are part of the command.
  expect(await content.locator('pre').first().textContent()).toMatch(/^npm ci\\u001b; echo \\u202e<img/);
  expect(await content.locator('pre').last().textContent()).toContain('# \\u202e<img');
  const toEnd = (): Promise<unknown> =>
    content.evaluate((box) => {
      box.scrollTop = box.scrollHeight;
    });
  await toEnd();
  await waitFor(() => trust.isEnabled(), { describe: 'it was read' });
  shop.write(name, 'set_up = "curl evil"\n');
  await trust.click();
  await page.getByText('contains the set-up has changed').waitFor();
  // What is on the screen is the old version, which nobody can trust any more.
  await page.getByText('The file has changed since you opened it').waitFor();
  expect(await trust.isDisabled()).toBe(true);
  expect(await state()).toBe('untrusted');
  await button(one, 'Close it').click();
  await button(one, 'Read it').click();
  await content.getByText('curl evil', { exact: true }).waitFor();
  await waitFor(() => trust.isEnabled(), { describe: 'the short file is read' });
  await trust.click();
  await page.getByText('curl evil runs in each new worktree from now on').waitFor();
  expect(await state()).toBe('trusted');
  await page.getByText('the set-up is trusted now, and runs when the session starts again').waitFor();
  await button(one, 'Stop trusting').click();
  await page.getByText('not trusted').waitFor();
  expect(await state()).toBe('untrusted');
  expect(await page.evaluate('window.wasHit')).toBeUndefined();
  expect(one.watched.faults.filter((fault) => !fault.includes('409'))).toEqual([]);
});

test('the form for a new session shows an untrusted set-up, and gives the same task to several sessions', async () => {
  await using one = await startPage(browser);
  const { page, server } = one;
  const shop = createWorktreeRepository(server.world, 'shop');
  shop.commit('first', { 'a.txt': 'a\n' });
  shop.write('.cbos/worktree.toml', 'set_up = "npm ci"\n');
  await one.visit('#/new');
  await page.getByLabel('Folder').fill(shop.path);
  await page.getByLabel('Name').fill('TRY');
  await page.getByLabel('In its own git worktree').check();
  await page.getByText('not trusted').waitFor();
  await button(one, 'Read it').click();
  await button(one, 'Trust this set-up').click();
  await page.getByText('npm ci runs in each new worktree from now on').waitFor();
  await page.getByText('not trusted').waitFor({ state: 'detached' });
  await page.getByLabel('First prompt').fill('fix it');
  await page.getByLabel('How many sessions').fill('3');
  await page.getByText('With the same task: TRY-1 to TRY-3').waitFor();
  await button(one, 'Start').click();
  await page.getByText('Launched TRY-1, TRY-2, TRY-3').waitFor();
  await page.getByRole('heading', { name: 'TRY-1', exact: true }).waitFor();
  expect(server.sessions.created.map(({ slug, prompt, worktree }) => [slug, prompt, worktree])).toEqual(
    ['TRY-1', 'TRY-2', 'TRY-3'].map((slug) => [slug, 'fix it', {}]),
  );
  // A name that is taken launches nothing.
  await one.visit('#/new');
  await page.getByLabel('Folder').fill(shop.path);
  await page.getByLabel('Name').fill('TRY');
  await page.getByLabel('In its own git worktree').check();
  await page.getByLabel('How many sessions').fill('4');
  await button(one, 'Start').click();
  await page.getByText('A session named TRY-1 already exists').waitFor();
  expect(server.sessions.created).toHaveLength(3);
});

test('attempts at the same task are compared side by side, and one is kept', async () => {
  await using one = await startPage(browser);
  const { page, server } = one;
  await launchInWorktree(one, 'FIX-1', 'fix-1');
  await launchInWorktree(one, 'FIX-2', 'fix-2');
  writeFileSync(join(folderOf('FIX-2'), 'a.txt'), 'fixed\nwell\n');
  server.sessions.happen('FIX-1', { type: 'result', subtype: 'success', result: 'All \u202egood.' });
  await button(one, 'More').click();
  await page.getByRole('menuitem', { name: 'Compare…' }).click();
  await page.getByRole('heading', { name: 'Compare' }).waitFor();
  const rowOf = (title: string) =>
    page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: title, exact: true }) });
  await waitFor(async () => (await rowOf('Changes').innerText()).includes('+2'), { describe: 'the changes are shown' });
  // Nothing in an answer is hidden or reordered.
  await rowOf('Last words').getByText('All \\u202egood.').first().waitFor();
  const names = () => page.getByRole('columnheader').allInnerTexts();
  await waitFor(async () => (await names()).join() === 'FIX-2,FIX-1', { describe: 'both are compared' });
  await page.getByLabel('FIX-1').uncheck();
  await page.getByText('Choose at least two sessions').waitFor();
  await page.getByLabel('FIX-1').check();
  await page.getByRole('button', { name: 'Finish FIX-1…' }).click();
  await page.getByRole('heading', { name: 'Finish FIX-1' }).waitFor();
  expect(
    server.sessions
      .list()
      .map(({ slug }) => slug)
      .sort(),
  ).toEqual(['FIX-1', 'FIX-2']);
});
