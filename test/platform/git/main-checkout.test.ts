import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findMainCheckout } from '../../../src/platform/git/git-dir.ts';
import { createRepository } from '../../harness/git-repository.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.dispose());

test('all worktrees of a repository, and the folders below, share the main checkout', async () => {
  const { dir, git, write, commit } = createRepository(world);
  write('deep/a.txt', 'a');
  commit();
  git('worktree', 'add', '--quiet', join(world.dir, 'aside'));
  git('worktree', 'add', '--quiet', join(dir, '.claude', 'worktrees', 'AUTH'));
  const places = [dir, join(dir, 'deep'), join(world.dir, 'aside', 'deep'), join(dir, '.claude', 'worktrees', 'AUTH')];
  expect(await Promise.all(places.map(findMainCheckout))).toEqual(places.map(() => dir));
});

test('the worktrees of a bare repository share its folder', async () => {
  const { git, write, commit, dir } = createRepository(world);
  write('a.txt', 'a');
  commit();
  const bare = join(world.dir, 'shop.git');
  git('clone', '--quiet', '--bare', dir, bare);
  git('-C', bare, 'worktree', 'add', '--quiet', join(world.dir, 'out'), 'main');
  expect(await findMainCheckout(join(world.dir, 'out'))).toBe(bare);
});

test('a folder outside of a repository, or one that is gone, has none; the place that a hostile .git names is only read', async () => {
  const plain = join(world.dir, 'plain');
  mkdirSync(plain);
  expect(await findMainCheckout(plain)).toBeNull();
  rmSync(plain, { recursive: true });
  expect(await findMainCheckout(plain)).toBeNull();
  const hostile = join(world.dir, 'hostile');
  mkdirSync(hostile);
  writeFileSync(join(hostile, '.git'), `gitdir: /proc/self/fd/0\n${'x'.repeat(10_000)}`);
  expect(await findMainCheckout(hostile)).toBeNull();
  writeFileSync(join(hostile, '.git'), 'gitdir: /nowhere/at/all\n');
  expect(await findMainCheckout(hostile)).toBe(hostile);
});
