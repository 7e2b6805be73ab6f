import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { createWorktreeRepository, type WorktreeRepository } from '../harness/worktree-repository.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let own: string;
let repository: WorktreeRepository;
beforeAll(async () => {
  world = await claudeWorld();
  repository = createWorktreeRepository(world, 'project');
  repository.commit('begin', { 'a.txt': 'a\n' });
  own = join(world.projectDir, '.claude', 'worktrees', 'MADE');
  cbos = await startCbos(world);
  expect((await cbos.cli(['new', 'MADE', world.projectDir, '--type', 'json', '--worktree'])).stderr).toBe('');
});
afterAll(() => world.dispose());

test('a session does not start in the worktree that was made for another one, except on request', async () => {
  const refused = await cbos.cli(['new', 'SECOND', own]);
  expect([refused.code, refused.stderr]).toEqual([
    4,
    expect.stringContaining('The session MADE works in the worktree'),
  ]);
  expect(refused.stderr).toContain('cbos fork MADE SECOND');
  expect((await cbos.call('GET', '/sessions/SECOND')).status).toBe(404);
  // The main checkout is everybody's.
  expect((await cbos.cli(['new', 'MAIN', world.projectDir, '--type', 'json'])).code).toBe(0);
  expect((await cbos.cli(['new', 'SHARED', own, '--type', 'json', '--same-folder'])).stderr).toBe('');
  await cbos.cli(['rm', 'SHARED', '--yes']);
  await cbos.cli(['stop', 'MADE']);
  expect((await cbos.cli(['new', 'NEXT', own, '--type', 'json'])).code).toBe(0);
  await cbos.cli(['rm', 'NEXT', '--yes']);
  expect((await cbos.cli(['restart', 'MADE'])).code).toBe(0);
});

test('a stopped session does not start again in a worktree in which another one works by now, except on request', async () => {
  const args = (slug: string, ...more: string[]) => ['new', slug, own, '--type', 'json', ...more];
  const inUse = (slug: string) => ({
    code: 4,
    stderr: expect.stringContaining(`The session ${slug} works in the worktree`),
  });
  expect((await cbos.cli(['stop', 'MADE'])).code).toBe(0);
  expect((await cbos.cli(args('NEXT'))).code).toBe(0);
  const refused = await cbos.cli(['restart', 'MADE']);
  expect(refused).toMatchObject(inUse('NEXT'));
  expect(refused.stderr).toContain('cbos stop NEXT');
  // The cures that the error names. The other session then finds the worktree used by the one that it belongs to.
  expect((await cbos.cli(['stop', 'NEXT'])).code).toBe(0);
  expect((await cbos.cli(['restart', 'MADE'])).code).toBe(0);
  expect(await cbos.cli(['restart', 'NEXT'])).toMatchObject(inUse('MADE'));
  expect(await cbos.session('NEXT')).toMatchObject({ state: 'dead' });
  expect((await cbos.cli(['restart', 'NEXT', '--same-folder'])).stderr).toBe('');
  // From then on they share it, whichever of them is restarted.
  for (const slug of ['MADE', 'NEXT', 'MADE']) {
    await cbos.cli(['stop', slug]);
    expect([slug, await cbos.cli(['restart', slug])]).toMatchObject([slug, { code: 0, stderr: '' }]);
  }
  await cbos.cli(['rm', 'NEXT', '--yes']);
});

test('a session in a terminal is not restarted in a worktree that belongs to another one', async () => {
  expect((await cbos.cli(['stop', 'MADE'])).code).toBe(0);
  expect((await cbos.cli(['new', 'TERMINAL', own])).stderr).toBe('');
  expect((await cbos.cli(['send', 'TERMINAL', 'scene:hello', '--wait'])).stderr).toBe('');
  expect((await cbos.cli(['stop', 'TERMINAL'])).code).toBe(0);
  expect((await cbos.cli(['restart', 'MADE'])).code).toBe(0);
  expect(await cbos.cli(['restart', 'TERMINAL'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('cbos restart TERMINAL --same-folder'),
  });
  // In the main checkout, it disturbs nobody.
  await cbos.call('PUT', '/sessions/TERMINAL/path', { path: world.projectDir });
  expect((await cbos.cli(['restart', 'TERMINAL'])).stderr).toBe('');
  await cbos.cli(['rm', 'TERMINAL', '--yes']);
});

test('sessions that their users started in a worktree of their own are restarted there together', async () => {
  const aside = join(world.projectDir, '..', 'both');
  repository.git('worktree', 'add', '-q', '-b', 'both', aside);
  for (const slug of ['ONE', 'TWO']) expect((await cbos.cli(['new', slug, aside, '--type', 'json'])).code).toBe(0);
  for (const slug of ['ONE', 'TWO']) {
    await cbos.cli(['stop', slug]);
    expect([slug, await cbos.cli(['restart', slug])]).toMatchObject([slug, { code: 0, stderr: '' }]);
  }
  for (const slug of ['ONE', 'TWO']) await cbos.cli(['rm', slug, '--yes']);
});

test('a worktree into which another session has moved is not finished', async () => {
  expect((await cbos.cli(['new', 'MOVER', world.projectDir])).stderr).toBe('');
  await cbos.untilStatus('MOVER', 'idle/ready');
  expect((await cbos.cli(['send', 'MOVER', '--command', '--', `/cd ${own}`])).code).toBe(0);
  await cbos.until('MOVER', ({ place }) => place === own, 'is in the worktree');
  for (const how of ['--merge', '--discard']) {
    const refused = await cbos.cli(['finish', 'MADE', how, '--yes']);
    expect([refused.code, refused.stderr]).toEqual([
      4,
      expect.stringContaining(`Other sessions work in ${own}: MOVER`),
    ]);
  }
  expect(existsSync(join(own, 'a.txt'))).toBe(true);
  expect(await cbos.session('MADE')).toMatchObject({ state: 'idle' });
  expect((await cbos.session('MADE')).worktree).not.toHaveProperty('finished');
  await cbos.cli(['rm', 'MOVER', '--yes']);
  expect((await cbos.cli(['finish', 'MADE', '--discard', '--yes'])).stderr).toBe('');
  expect(existsSync(own)).toBe(false);
});

test("the worktree that a session's arguments name is refused to others, however they name it and before its first prompt", async () => {
  const slashed = await cbos.cli(['new', 'SLASH', world.projectDir, '--type', 'json', '--', '-w', 'feat/x']);
  expect(slashed).toMatchObject({ code: 0, stderr: '' });
  const aside = join(world.projectDir, '..', 'aside');
  repository.git('worktree', 'add', '-q', '-b', 'aside', aside);
  const inSlash = { code: 4, stderr: expect.stringContaining('The session SLASH works in') };
  const json = ['--type', 'json', '--'];
  const before = [
    ['new', 'SECOND', world.projectDir, ...json, '-w', 'feat/x'],
    ['new', 'SECOND', aside, ...json, '--worktree=feat/x'],
  ];
  for (const args of before) expect([args, await cbos.cli(args)]).toMatchObject([args, inSlash]);
  expect((await cbos.cli(['send', 'SLASH', 'scene:hello', '--wait'])).stderr).toBe('');
  const { place } = await cbos.session('SLASH');
  expect(place).toBe(join(world.projectDir, '.claude', 'worktrees', 'feat+x'));
  for (const args of [...before, ['new', 'SECOND', place ?? '']]) {
    expect([args, await cbos.cli(args)]).toMatchObject([args, { code: 4 }]);
  }
  expect((await cbos.cli(['new', 'OTHER', aside, ...json, '-w', 'feat/y'])).stderr).toBe('');
  for (const slug of ['SLASH', 'OTHER']) await cbos.cli(['rm', slug, '--yes']);
});
