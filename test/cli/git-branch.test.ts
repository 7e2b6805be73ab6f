import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readGitBranches } from '../../src/local/git-branch.ts';
import { runProgram } from '../../src/platform/process/index.ts';
import { createWorld, type World } from '../harness/world.ts';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.dispose());

const git = (...words: string[]): string =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example', ...words], {
    cwd: world.projectDir,
    env: { ...world.env, GIT_CONFIG_GLOBAL: '/dev/null' },
    encoding: 'utf8',
  });
const branchOf = async (path: string): Promise<string | undefined> => (await readGitBranches([path])).get(path);

test('is read in a folder, below it, in a worktree, and for a detached head', async () => {
  const { projectDir, dir } = world;
  git('init', '--quiet', '--initial-branch', 'feature/one');
  expect(await branchOf(projectDir)).toBe('feature/one');
  git('commit', '--quiet', '--allow-empty', '--message', 'x');
  const below = join(projectDir, 'src', 'deep');
  mkdirSync(below, { recursive: true });
  expect(await branchOf(below)).toBe('feature/one');
  git('worktree', 'add', '--quiet', '-b', 'two', join(dir, 'tree'));
  expect(await branchOf(join(dir, 'tree'))).toBe('two');
  git('checkout', '--quiet', '--detach');
  expect(await branchOf(projectDir)).toBe(git('rev-parse', 'HEAD').slice(0, 7));
});

test('is empty for a worktree that has lost its .git file, inside the checkout', async () => {
  const { projectDir } = world;
  git('init', '--quiet', '--initial-branch', 'main');
  git('commit', '--quiet', '--allow-empty', '--message', 'x');
  const [listed, forgotten] = [join(projectDir, 'trees', 'one'), join(projectDir, '.claude', 'worktrees', 'two')];
  for (const [folder, branch] of [
    [listed, 'one'],
    [forgotten, 'two'],
  ] as const) {
    git('worktree', 'add', '--quiet', '-b', branch, folder);
    const below = join(folder, 'src');
    mkdirSync(below);
    expect([await branchOf(folder), await branchOf(below)]).toEqual([branch, branch]);
    rmSync(join(folder, '.git'));
    if (folder === forgotten) git('worktree', 'prune');
    expect([await branchOf(folder), await branchOf(below)]).toEqual([undefined, undefined]);
  }
  expect(await branchOf(join(projectDir, 'trees'))).toBe('main');
});

test('is empty outside of a repository, and if .git is something else', async () => {
  const odd = (name: string, make: (git: string) => void): string => {
    const folder = join(world.dir, name);
    mkdirSync(folder);
    make(join(folder, '.git'));
    return folder;
  };
  const pipe = join(world.dir, 'pipe');
  mkdirSync(pipe);
  await runProgram('mkfifo', [join(pipe, '.git')], { env: world.env, timeoutMs: 5_000 });
  const paths = [
    world.dir,
    '/nowhere/at/all',
    odd('empty', (path) => mkdirSync(path)),
    odd('text', (path) => writeFileSync(path, 'no pointer')),
    odd('astray', (path) => writeFileSync(path, 'gitdir: /nowhere\n')),
    odd('large', (path) => writeFileSync(path, `gitdir: ${'x'.repeat(5_000)}`)),
    pipe,
  ];
  expect([...(await readGitBranches(paths))]).toEqual([]);
});
