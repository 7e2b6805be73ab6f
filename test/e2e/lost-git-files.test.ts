import { execFileSync } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Scene } from '../../src/demo/scenes/scene.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { offeredCommand } from '../harness/offered-command.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorktreeRepository, type WorktreeRepository } from '../harness/worktree-repository.ts';

const ENTERS: Scene = {
  name: 'enter',
  about: 'The model moves the session into a worktree',
  replies: [
    { kind: 'answer', blocks: [{ kind: 'tool', name: 'EnterWorktree', input: { name: 'feat' } }] },
    { kind: 'answer', blocks: [{ kind: 'text', text: 'I work in the worktree now.' }] },
  ],
};

let world: ClaudeWorld;
let shop: WorktreeRepository;
let cbos: Cbos;
let place: string;
beforeAll(async () => {
  world = await claudeWorld({ choosers: [(prompt) => (prompt.includes('enter the worktree') ? ENTERS : null)] });
  shop = createWorktreeRepository(world, 'project');
  shop.commit('begin', { 'a.txt': 'a\n' });
  place = join(world.projectDir, '.claude', 'worktrees', 'feat');
  cbos = await startCbos(world);
});
afterAll(() => world.dispose());

test('a worktree that has lost its .git file has no branch and no changes of the checkout around it', async () => {
  expect((await cbos.cli(['new', 'MOVED', world.projectDir])).stderr).toBe('');
  expect((await cbos.cli(['send', 'MOVED', 'enter the worktree', '--wait'])).code).toBe(0);
  await cbos.until('MOVED', (one) => one.place === place, 'is in the worktree');
  await waitFor(async () => (await cbos.cli(['show', 'MOVED'])).stdout.includes('worktrees/feat (worktree-feat)'), {
    describe: 'the branch is shown',
  });
  shop.write('only-in-main.txt', 'x\n');
  rmSync(join(place, '.git'));

  const refusals = async (): Promise<string[]> => {
    const listed = await cbos.cli(['ls', '--columns', 'name,path,branch']);
    expect(listed.stdout).toMatch(/worktrees\/feat *$/m);
    expect((await cbos.cli(['show', 'MOVED'])).stdout).toMatch(/^ {2}place +.*\/worktrees\/feat$/m);
    const refused = [await cbos.cli(['diff', 'MOVED']), await cbos.cli(['turns', 'MOVED'])];
    for (const { code, stdout, stderr } of refused) {
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`${place} is no longer a worktree of`)]);
    }
    const changes = await cbos.call('GET', '/sessions/MOVED/changes');
    expect(changes.error).toMatchObject({ code: 'no_such_path', hint: expect.stringContaining('git -C') });
    return refused.map(({ stderr }) => stderr);
  };
  for (const stderr of await refusals()) expect(stderr).toContain('worktree repair` connects');

  // git forgets the worktree, so that only its place shows that it was one.
  shop.git('worktree', 'unlock', place);
  shop.git('worktree', 'prune');
  const [stderr = ''] = await refusals();
  expect(stderr).toContain('Move the folder elsewhere');
  renameSync(place, join(world.dir, 'elsewhere'));
  execFileSync('sh', ['-c', offeredCommand(stderr, 'git')], { cwd: '/', env: world.env, stdio: 'ignore' });
  expect((await cbos.cli(['diff', 'MOVED'])).stderr).toBe('');
  expect((await cbos.cli(['show', 'MOVED'])).stdout).toContain('worktrees/feat (worktree-feat)');
});
