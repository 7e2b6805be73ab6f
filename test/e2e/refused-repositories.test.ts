import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RepositoryWorktrees } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { offeredCommand } from '../harness/offered-command.ts';
import { createWorktreeRepository, type WorktreeRepository } from '../harness/worktree-repository.ts';

/** Any user other than the one who runs the tests. */
const SOMEBODY = 65_534;
/** Only root can give a folder to another user. */
const isRoot = process.getuid?.() === 0;

let world: ClaudeWorld;
let cbos: Cbos;
let own: WorktreeRepository;
let theirs: WorktreeRepository;
beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in', projects: ['own', 'their shop'] });
  own = createWorktreeRepository(world, 'own');
  theirs = createWorktreeRepository(world, 'their shop');
  cbos = await startCbos(world);
  for (const [slug, repository] of [['OWN', own] as const, ['THEIRS', theirs] as const]) {
    repository.commit('first', { 'a.txt': 'a\n' });
    const made = await cbos.cli(['new', slug, repository.path, '--type', 'json', '--worktree', `branch-${slug}`]);
    expect(made.stderr).toBe('');
  }
});
afterAll(() => world.dispose());

test.runIf(isRoot)('a repository of another user is named with the cure, and hides no other repository', async () => {
  execFileSync('chown', ['-R', String(SOMEBODY), theirs.path]);
  const listed = await cbos.cli(['worktrees'], { cwd: world.dir });
  expect(listed.stdout).toContain('branch-OWN');
  expect(listed.stdout).toContain(`git refuses the repository ${theirs.path}, because it belongs to another user`);
  expect(listed.code).toBe(1);
  const command = offeredCommand(listed.stdout, 'git');
  const { body } = await cbos.call<RepositoryWorktrees[]>('GET', '/worktrees');
  expect(body).toMatchObject([
    { repository: own.path, worktrees: [{ main: true }, { branch: 'branch-OWN', sessions: ['OWN'] }] },
    { repository: theirs.path, worktrees: [], error: { code: 'git_failed' } },
  ]);
  expect(body[0]).not.toHaveProperty('error');
  // Nothing claims to know what is in the repository, and everything names the same cure.
  const refusals = [
    await cbos.cli(['diff', 'THEIRS']),
    await cbos.cli(['worktrees', theirs.path]),
    await cbos.cli(['worktrees'], { cwd: theirs.path }),
    await cbos.cli(['new', 'MORE', theirs.path, '--worktree']),
    await cbos.cli(['finish', 'THEIRS', '--merge']),
    await cbos.cli(['finish', 'THEIRS', '--merge', '--yes']),
    await cbos.cli(['recover'], { cwd: world.dir }),
  ];
  for (const { code, stderr } of refusals) {
    expect([code, stderr]).toEqual([1, expect.stringContaining('git config --global --add safe.directory ')]);
  }

  execFileSync('sh', ['-c', command], { env: world.env });
  const again = await cbos.cli(['worktrees'], { cwd: world.dir });
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('branch-THEIRS')]);
});
