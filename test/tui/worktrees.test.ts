import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findOnPath } from '../../scripts/setup/system-programs.mjs';
import { type FacesUnderTest, startFaces } from '../harness/faces.ts';
import { startForge } from '../harness/forge.ts';
import { openTerminal } from '../harness/tmux.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorktreeRepository, type WorktreeRepository } from '../harness/worktree-repository.ts';

let server: FacesUnderTest;
let repository: WorktreeRepository;
beforeAll(async () => {
  server = await startFaces();
  repository = createWorktreeRepository(server.world);
  repository.commit('first', { 'a.txt': 'a\n' });
});
afterAll(() => server[Symbol.asyncDispose]());

test('n launches in a worktree; F explains what a finish does, hands a conflict over on request, and merges', async () => {
  const terminal = await openTerminal(server.world, { cols: 130, rows: 34 });
  await terminal.until(/q quit/, 'the list');
  await terminal.keys('n');
  await terminal.until(/A new session/, 'the form');
  await terminal.type('AUTH');
  await terminal.keys('Tab', 'C-u');
  await terminal.type(repository.path);
  await terminal.keys('Tab');
  await terminal.until(/▌ type/, 'the field of the type');
  await terminal.keys('Tab', 'Tab');
  await terminal.until(/▌ worktree +no/, 'the field of the worktree');
  await terminal.keys('Space');
  await terminal.until(/▌ worktree +yes[\s\S]*branch[\s\S]*from/, 'that there will be one');
  await terminal.keys('Tab');
  await terminal.type('fix/login');
  await terminal.keys('Tab');
  await terminal.type('main');
  await terminal.keys('Enter');
  await terminal.until(/AUTH was launched/, 'that it is launched');
  expect(server.sessions.created.at(-1)?.worktree).toEqual({ branch: 'fix/login', from: 'main' });
  await terminal.until(/fix\/login → main/, 'its branch');

  const folder = join(repository.path, '.claude', 'worktrees', 'AUTH');
  writeFileSync(join(folder, 'a.txt'), 'theirs\n');
  repository.gitIn(folder, 'commit', '--quiet', '--all', '--message', 'work');
  repository.commit('meanwhile', { 'a.txt': 'ours\n' });
  await terminal.keys('F', 's');
  await terminal.type('dy');
  await terminal.until(/dy/, 'the text');
  // The terminal UI has requested its preview before, so it has it by now.
  expect((await server.call('/sessions/AUTH/finish')).status).toBe(200);
  await terminal.type(' more');
  await terminal.until(/dy more/, 'that everything is text, and nothing is a choice');
  await terminal.keys('Escape');
  await terminal.until(/q quit/, 'the list');
  await terminal.keys('F');
  await terminal.until(/in conflict with main: a\.txt/, 'the conflict');
  await terminal.keys('m');
  await terminal.until(/Merge fix\/login into main, and remove the worktree/, 'what a merge does');
  await terminal.keys('y');
  await terminal.until(
    /Send this to AUTH\?[\s\S]*Merge the branch main into your branch/,
    'the prompt for the session',
  );
  await terminal.keys('n');
  await terminal.until(/q quit/, 'the list');
  expect(server.sessions.deliveries('AUTH')).toEqual([]);
  expect(existsSync(folder)).toBe(true);
  await terminal.keys('F');
  await terminal.until(/h let the session resolve the conflict/, 'the key that hands it over');
  await terminal.keys('h');
  await terminal.until(/Send this to AUTH\?/, 'the question');
  await terminal.keys('y');
  await waitFor(() => server.sessions.deliveries('AUTH').length === 1, { describe: 'the session has the prompt' });
  expect(server.sessions.deliveries('AUTH')[0]?.text).toContain('They conflict in: a.txt.');

  repository.gitIn(folder, 'reset', '--quiet', '--hard', 'main');
  repository.gitIn(folder, 'commit', '--quiet', '--allow-empty', '--message', 'more');
  writeFileSync(join(folder, 'new.txt'), 'new\n');
  await terminal.keys('F');
  await terminal.until(/1 commit for main[\s\S]*saved, but not committed: new\.txt/, 'what would happen');
  await terminal.keys('d');
  await terminal.until(/Discard fix\/login, and remove the worktree/, 'what it does');
  await terminal.keys('y');
  await terminal.until(/AUTH is stopped, its worktree is removed/, 'that it is finished');
  expect(existsSync(folder)).toBe(false);
  expect(readFileSync(join(repository.path, 'a.txt'), 'utf8')).toBe('ours\n');
  await terminal.keys('F');
  await terminal.until(/AUTH has no worktree to finish/, 'that there is nothing more');
});

test.skipIf(findOnPath(['gh'], process.env.PATH) === null)(
  'F, then p, shows a pull request, and opens it after a yes',
  async () => {
    const shop = createWorktreeRepository(server.world, 'shop');
    shop.commit('first', { 'a.txt': 'a\n' });
    const forge = await startForge(server.world, shop);
    const folder = join(server.world.dir, 'tree');
    shop.git('worktree', 'add', '--quiet', '-b', 'fix/guests', folder);
    shop.gitIn(folder, 'commit', '--quiet', '--allow-empty', '--message', 'Let guests in');
    const at = { path: folder, repository: shop.path, branch: 'fix/guests', base: 'main' };
    for (const { slug } of server.sessions.list()) await server.sessions.remove(slug);
    server.sessions.add('SHOP', { path: folder, worktree: { ...at, new_branch: true, left_out: [] } });
    const terminal = await openTerminal(server.world, { cols: 130, rows: 34 });
    await terminal.until(/▌[^\n]*SHOP/, 'the session');
    await terminal.keys('F');
    await terminal.until(/p +Request/, 'the choice');
    await terminal.keys('p');
    await terminal.until(/Push fix\/guests \(1 commit\)[\s\S]*Let guests in[\s\S]*\(y\/n\)/, 'what would be pushed');
    expect(forge.requests).toEqual([]);
    await terminal.keys('y');
    await terminal.until(/#1 open/, 'its number in the list');
    expect(forge.requests).toMatchObject([{ title: 'Let guests in', head: 'fix/guests' }]);
  },
);

test('/fork continues a conversation in a second session, and selects the fork', async () => {
  const shop = createWorktreeRepository(server.world, 'forked');
  shop.commit('first', { 'a.txt': 'a\n' });
  for (const { slug } of server.sessions.list()) await server.sessions.remove(slug);
  server.sessions.add('CART', { path: shop.path });
  const terminal = await openTerminal(server.world, { cols: 130, rows: 34 });
  await terminal.until(/▌[^\n]*CART/, 'the session');
  await terminal.keys(':');
  await terminal.type('fork');
  await terminal.keys('Enter');
  await terminal.until(/No name given/, 'that a name is missing');
  await terminal.keys(':');
  await terminal.type('fork CART-2');
  await terminal.keys('Enter');
  await terminal.until(/CART-2 begins with the conversation of CART, on the branch CART-2/, 'that it is forked');
  await terminal.until(/▌[^\n]*CART-2/, 'the fork is selected');
});

test('the form for a new session offers worktrees that no session uses', async () => {
  const shop = createWorktreeRepository(server.world, 'shop');
  shop.commit('first', { 'a.txt': 'a\n' });
  const tree = join(shop.path, '..', 'shop-old');
  shop.git('worktree', 'add', '--quiet', '-b', 'fix/old', tree);
  const terminal = await openTerminal(server.world, { cols: 130, rows: 34 });
  await terminal.until(/q quit/, 'the list');
  await terminal.keys('n');
  await terminal.until(/A new session/, 'the form');
  await terminal.type('OLD');
  await terminal.keys('Tab', 'C-u');
  await terminal.type(shop.path);
  await terminal.keys('Tab');
  await terminal.until(/▌ type/, 'the field of the type');
  await terminal.keys('Tab', 'Tab');
  await terminal.until(/▌ worktree +no/, 'the field of the worktree');
  await terminal.keys('Space', 'Tab');
  await terminal.until(/▌ branch[\s\S]*fix\/old {2}.*shop-old/, 'the offer');
  await terminal.keys('Down', 'Enter');
  await terminal.until(/worktree +yes +the existing worktree .*shop-old/, 'what is chosen');
  await terminal.keys('Enter');
  await terminal.until(/OLD was launched/, 'that it is launched');
  expect(server.sessions.created.at(-1)?.worktree).toEqual({ branch: 'fix/old', existing: true });
  expect(server.sessions.get('OLD').path).toBe(tree);
});

test('the form for a new session gives the same task to several sessions', async () => {
  const shop = createWorktreeRepository(server.world, 'shop-times');
  shop.commit('first', { 'a.txt': 'a\n' });
  const terminal = await openTerminal(server.world, { cols: 80, rows: 24 });
  await terminal.until(/q quit/, 'the list');
  await terminal.keys('N');
  await terminal.until(/A new session/, 'the form');
  await terminal.type('TRY');
  await terminal.keys('Tab', 'C-u');
  await terminal.type(shop.path);
  await terminal.keys('Tab');
  await terminal.until(/▌ type/, 'the field of the type');
  await terminal.keys('Tab');
  await terminal.type('fix it');
  await terminal.keys('Tab', 'Space', 'BTab', 'BTab', 'BTab', 'BTab', 'BTab');
  await terminal.until(/▌ times +1 +one session/, 'the field of the number');
  await terminal.keys('Right', 'Space', 'Right', 'Left');
  await terminal.until(/times +3 +the same task for TRY-1 to TRY-3/, 'how many there will be');
  await terminal.keys('Enter');
  await terminal.until(/TRY-1, TRY-2, TRY-3 were launched; C compares them/, 'that they are launched');
  const made = server.sessions.created.slice(-3);
  expect(made.map(({ slug, prompt, worktree }) => [slug, prompt, worktree])).toEqual(
    ['TRY-1', 'TRY-2', 'TRY-3'].map((slug) => [slug, 'fix it', {}]),
  );
});
