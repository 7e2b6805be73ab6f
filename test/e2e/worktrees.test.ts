import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { offeredCommand, shellWordsOf } from '../harness/offered-command.ts';
import { openTerminal } from '../harness/tmux.ts';
import { createWorktreeRepository } from '../harness/worktree-repository.ts';

let world: ClaudeWorld;
let cbos: Cbos;
beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in', trusted: false });
  cbos = await startCbos(world);
});
afterAll(() => world.dispose());

test('a session works in its own worktree, once the new folder is trusted', async () => {
  const repository = createWorktreeRepository(world, 'shop');
  repository.commit('first', { 'a.txt': 'a\n', '.gitignore': '*.env\n', '.worktreeinclude': '*.env\n' });
  repository.write('local.env', 'KEY=1\n');
  const folder = join(repository.path, '.claude', 'worktrees', 'AUTH');

  const made = await cbos.cli(['new', 'AUTH', repository.path, '--worktree', 'fix/login', '--prompt', 'scene:hello']);
  expect(made.stderr).toBe('');
  expect(made.stdout).toContain('on the branch fix/login, from main');
  const asking = await cbos.untilStatus('AUTH', 'waiting/setup');
  expect(asking).toMatchObject({ path: folder, worktree: { branch: 'fix/login', base: 'main' } });
  expect((await cbos.cli(['answer', 'AUTH', 'yes'])).code).toBe(0);
  await cbos.untilStatus('AUTH', 'idle/waiting_input');
  expect(world.promptsReceived()).toEqual([expect.stringContaining('scene:hello')]);
  expect(readFileSync(join(folder, 'local.env'), 'utf8')).toBe('KEY=1\n');

  // A restarted server knows the worktree as well.
  await cbos.stop('SIGKILL');
  cbos = await startCbos(world);
  const again = await cbos.call<Session>('GET', '/sessions/AUTH');
  expect(again.body.worktree).toEqual(asking.worktree);

  // At the end, the change is in the base, the folder is gone, and files that are in no commit are saved.
  repository.gitIn(folder, 'commit', '--quiet', '--allow-empty', '--message', 'the change');
  writeFileSync(join(repository.path, '.git/hooks/post-merge'), '#!/bin/sh\ntouch ran\n', { mode: 0o755 });
  expect((await cbos.cli(['finish', 'AUTH', '--merge', '--yes'])).stderr).toBe('');
  expect(existsSync(folder)).toBe(false);
  expect(repository.git('log', '-1', '--format=%s')).toBe('the change');
  expect(repository.git('branch', '--format=%(refname:short)')).toBe('main');
  const gone = await cbos.call<Session>('GET', '/sessions/AUTH');
  expect(gone.body).toMatchObject({
    state: 'dead',
    pid: null,
    worktree: { finished: { how: 'merge', into: 'main', skipped_hooks: ['post-merge'] } },
  });
  expect(existsSync(join(repository.path, 'ran'))).toBe(false);
  // Finishing again does nothing. A restart is refused, and names the command that brings the folder back.
  expect((await cbos.cli(['finish', 'AUTH', '--merge', '--yes'])).code).toBe(0);
  const refused = await cbos.cli(['restart', 'AUTH']);
  expect(refused.stderr).toContain('cbos recover AUTH/');
  expect((await cbos.cli(['recover', 'AUTH'])).code).toBe(0);
  expect(readFileSync(join(folder, 'local.env'), 'utf8')).toBe('KEY=1\n');

  // A session that does not start leaves neither a folder nor a branch.
  await cbos.stop();
  cbos = await startCbos(world, { CBOS_CLAUDE_COMMAND: '/nowhere/claude' });
  const failed = await cbos.cli(['new', 'NONE', repository.path, '--worktree']);
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining('/nowhere/claude')]);
  expect(existsSync(join(repository.path, '.claude', 'worktrees', 'NONE'))).toBe(false);
  expect(repository.git('branch', '--list', 'NONE')).toBe('');
});

test('a worktree that no session uses is offered, and used only on request', async () => {
  const repository = createWorktreeRepository(world, 'city library');
  repository.commit('first', { 'a.txt': 'a\n' });
  const tree = join(repository.path, '..', 'tree');
  repository.git('worktree', 'add', '--quiet', '-b', 'fix/old', tree);
  await cbos.stop();
  cbos = await startCbos(world);

  const asked = ['new', 'OLD', repository.path, '--worktree', 'fix/old'];
  const refused = await cbos.cli(asked);
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('which no session uses')]);
  // In a terminal, it is a question, and only a yes counts.
  const terminal = await openTerminal(world, { cols: 200, args: asked });
  await terminal.until(/fix\/old is checked out in .*, which no session uses\. Use it\? \[y\/N\]/, 'the question');
  await terminal.keys('n', 'Enter');
  await terminal.ended();
  expect(terminal.written()).toContain('--existing` starts a session there');
  expect((await cbos.call('GET', '/sessions/OLD')).status).toBe(404);
  const again = await openTerminal(world, { cols: 200, args: asked });
  await again.until(/Use it\?/, 'the question');
  await again.keys('y', 'Enter');
  await again.ended();
  expect(again.written()).toContain('in the existing worktree');
  const old = await cbos.session('OLD');
  expect(old).toMatchObject({ path: tree, worktree: { existing: true, branch: 'fix/old', base: 'main' } });

  // Now it is used, even after its session was stopped.
  await cbos.untilStatus('OLD', 'waiting/setup');
  await cbos.cli(['stop', 'OLD']);
  const second = ['new', 'SECOND', repository.path, '--worktree', 'fix/old'];
  expect((await cbos.cli(second)).stderr).toContain('where the session OLD works');
  expect((await cbos.cli([...second, '--existing'])).stderr).toContain('The session OLD works in');
  const { body } = await cbos.call<{ worktrees: unknown[] }[]>(
    'GET',
    `/worktrees?path=${encodeURIComponent(repository.path)}`,
  );
  expect(body[0]?.worktrees).toMatchObject([{ main: true }, { branch: 'fix/old', sessions: ['OLD'], free: false }]);

  // The offered command works from another folder.
  await cbos.cli(['rm', 'OLD', '--yes']);
  const [, ...offered] = shellWordsOf(offeredCommand(refused.stderr, 'cbos'));
  expect(offered).toContain('--existing');
  expect((await cbos.cli(offered)).stderr).toBe('');
  expect(await cbos.session('OLD')).toMatchObject({ path: tree, worktree: { existing: true } });
  await cbos.cli(['rm', 'OLD', '--yes']);

  // A launch that fails leaves the worktree as it is.
  await cbos.stop();
  cbos = await startCbos(world, { CBOS_CLAUDE_COMMAND: '/nowhere/claude' });
  expect((await cbos.cli([...asked, '--existing'])).code).toBe(1);
  expect(existsSync(join(tree, 'a.txt'))).toBe(true);
  expect(repository.git('branch', '--list', 'fix/old')).toContain('fix/old');
});
