import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Scene } from '../../src/demo/scenes/scene.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { killAll } from '../harness/kill-all.ts';
import { createWorktreeRepository } from '../harness/worktree-repository.ts';

const ENTERS: Scene = {
  name: 'enter',
  about: 'The model moves the session into the worktree of another one',
  replies: [
    { kind: 'answer', blocks: [{ kind: 'tool', name: 'EnterWorktree', input: { name: 'OWNER' } }] },
    { kind: 'answer', blocks: [{ kind: 'text', text: 'I work in the worktree now.' }] },
  ],
};

// The worktree OWNER belongs to the session OWNER. GUEST was started in the main checkout and has moved into it. Each
// test continues where the previous one left off.
let world: ClaudeWorld;
let cbos: Cbos;
let own: string;
beforeAll(async () => {
  world = await claudeWorld({ choosers: [(prompt) => (prompt.includes('enter the worktree') ? ENTERS : null)] });
  createWorktreeRepository(world, 'project').commit('begin', { 'a.txt': 'a\n' });
  own = join(world.projectDir, '.claude', 'worktrees', 'OWNER');
  cbos = await startCbos(world);
  expect((await cbos.cli(['new', 'OWNER', world.projectDir, '--worktree'])).stderr).toBe('');
  expect((await cbos.cli(['send', 'OWNER', 'scene:hello', '--wait'])).stderr).toBe('');
});
afterAll(() => world.dispose());

test('a parked session is not woken in its worktree while another one works there', async () => {
  expect((await cbos.cli(['new', 'GUEST', world.projectDir])).stderr).toBe('');
  expect((await cbos.cli(['park', 'OWNER'])).stderr).toBe('');
  expect((await cbos.cli(['send', 'GUEST', 'enter the worktree', '--wait'])).stderr).toBe('');
  await cbos.until('GUEST', ({ place }) => place === own, 'is in the worktree');
  for (const args of [
    ['wake', 'OWNER'],
    ['send', 'OWNER', 'scene:hello', '--wait'],
  ]) {
    const refused = await cbos.cli(args);
    expect([args, refused.stderr]).toEqual([args, expect.stringContaining('GUEST works in the worktree')]);
    expect(refused.code).not.toBe(0);
  }
  expect((await cbos.session('OWNER')).parked_at).not.toBeNull();
  // The first cure that the error names.
  expect((await cbos.cli(['stop', 'GUEST'])).stderr).toBe('');
  expect((await cbos.cli(['wake', 'OWNER'])).stderr).toBe('');
  await cbos.untilStatus('OWNER', 'idle/waiting_input');
});

test('two lost sessions that worked in the same worktree are both restored', async () => {
  // GUEST starts in the main checkout, from where its conversation returns to the worktree.
  expect((await cbos.cli(['restart', 'GUEST'])).stderr).toBe('');
  await cbos.until('GUEST', ({ place }) => place === own, 'is in the worktree again');
  await loseAndRestoreBoth(async () => undefined);
});

test('and also if the server is restarted before the second one is restored', async () => {
  await loseAndRestoreBoth(async () => {
    await cbos.stop('SIGKILL');
    cbos = await startCbos(world);
    expect(await cbos.session('OWNER')).toMatchObject({ state: 'dead', lost: expect.any(String) });
  });
});

async function loseAndRestoreBoth(inBetween: () => Promise<void>): Promise<void> {
  for (const slug of ['OWNER', 'GUEST']) {
    expect((await cbos.cli(['send', slug, 'scene:hello', '--wait'])).code).toBe(0);
  }
  await killAll(world);
  await cbos.stop('SIGKILL');
  cbos = await startCbos(world);
  expect(await cbos.cli(['restore', 'GUEST', '--yes'])).toMatchObject({ code: 0, stderr: '' });
  await cbos.until('GUEST', ({ place }) => place === own, 'is in the worktree again');
  await inBetween();
  const restored = await cbos.cli(['restore', 'OWNER', '--yes']);
  expect([restored.code, restored.stderr], restored.stdout).toEqual([0, '']);
  await cbos.untilStatus('OWNER', 'idle/waiting_input');
}

test('a lost session is not restored in its worktree while another one works there', async () => {
  expect((await cbos.cli(['stop', 'GUEST'])).stderr).toBe('');
  const { pid, screen_id } = await cbos.session('OWNER');
  for (const one of [Number(screen_id?.split('.')[0]), Number(pid)]) process.kill(one, 'SIGKILL');
  await cbos.until('OWNER', ({ lost }) => lost !== undefined, 'is lost');
  expect((await cbos.cli(['restart', 'GUEST'])).stderr).toBe('');
  await cbos.until('GUEST', ({ place }) => place === own, 'is in the worktree again');
  const refused = await cbos.cli(['restore', '--yes']);
  const why = `OWNER failed: The session GUEST works in the worktree ${own}`;
  expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining(why)]);
  expect(await cbos.session('OWNER')).toMatchObject({ state: 'dead', lost: expect.any(String) });
  // The second cure that the error names.
  expect((await cbos.cli(['restart', 'OWNER', '--same-folder'])).stderr).toBe('');
});
