import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWorktree, undoWorktree } from '../../../src/platform/git/create-worktree.ts';
import { runProgram } from '../../../src/platform/process/index.ts';
import { createWorktreeRepository, hashFiles, type WorktreeRepository } from '../../harness/worktree-repository.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;
let repository: WorktreeRepository;
beforeEach(() => {
  world = createWorld();
  repository = createWorktreeRepository(world);
});
afterEach(() => world.dispose());

const make = (name: string, more: { branch?: string; from?: string; cwd?: string } = {}) =>
  createWorktree(
    { ...repository.place, cwd: more.cwd ?? repository.path },
    { name, branch: more.branch ?? null, from: more.from ?? null },
  );
const placeOf = (name: string): string => join(repository.path, '.claude', 'worktrees', name);
/** Returns everything that a failed attempt could leave behind. */
const traces = () => ({
  refs: repository.git('for-each-ref', '--format=%(refname) %(objectname)'),
  worktrees: repository.git('worktree', 'list', '--porcelain'),
  files: hashFiles(repository.path),
  folders: readdirSync(repository.path).sort(),
});

describe('a worktree', () => {
  beforeEach(() => repository.commit('first', { 'a.txt': 'a\n', 'deep/b.txt': 'b\n' }));

  test("is created in Claude Code's place, on a new branch, with the requested folder inside it", async () => {
    const made = await make('AUTH', { cwd: join(repository.path, 'deep') });
    expect(made).toMatchObject({
      path: placeOf('AUTH'),
      folder: join(placeOf('AUTH'), 'deep'),
      repository: repository.path,
      branch: 'AUTH',
      base: 'main',
      isNewBranch: true,
      leftOut: [],
    });
    expect(hashFiles(made.path)).toEqual({ ...hashFiles(made.path), 'a.txt': expect.any(String) });
    expect(repository.gitIn(made.path, 'branch', '--show-current')).toBe('AUTH');
    // Otherwise `git add -A` in the main checkout would add the worktree as a submodule.
    expect(repository.git('status', '--porcelain')).toBe('');
  });

  test('starts from a branch, a tag or a commit, and from inside another worktree', async () => {
    const first = repository.git('rev-parse', 'HEAD');
    repository.git('branch', 'develop');
    repository.git('tag', 'v1');
    repository.commit('second', { 'a.txt': 'two\n' });
    expect(await make('ONE', { from: 'develop' })).toMatchObject({ base: 'develop', commit: first });
    expect(await make('TWO', { from: 'v1', branch: 'fix/two' })).toMatchObject({ base: 'main', branch: 'fix/two' });
    expect(await make('THREE', { cwd: placeOf('ONE') })).toMatchObject({
      path: placeOf('THREE'),
      base: 'ONE',
      commit: first,
    });
  });

  test('that starts from a remote branch goes back to the local branch of that name, and to no other', async () => {
    repository.git('update-ref', 'refs/remotes/origin/fix/deep', 'HEAD');
    repository.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    expect(await make('ONE', { from: 'origin/fix/deep' })).toMatchObject({ base: null });
    repository.git('branch', 'fix/deep');
    repository.git('switch', '--quiet', '--create', 'elsewhere');
    expect(await make('TWO', { from: 'origin/fix/deep' })).toMatchObject({ base: 'fix/deep' });
    expect(await make('THREE', { from: 'refs/remotes/origin/main' })).toMatchObject({ base: 'main' });
  });

  test('accepts an existing branch, if it is named', async () => {
    repository.git('branch', 'old');
    expect(await make('AUTH', { branch: 'old' })).toMatchObject({ branch: 'old', isNewBranch: false });
    repository.git('branch', 'SAME');
    await expect(make('SAME')).rejects.toMatchObject({ code: 'branch_exists' });
    await expect(make('OTHER', { branch: 'SAME', from: 'main' })).rejects.toMatchObject({ code: 'branch_exists' });
  });

  test.each([
    ['name', ['AUTH', 'AUTH', 'AUTH'], undefined],
    ['branch', ['ONE', 'TWO', 'THREE'], 'fix/login'],
  ])(
    'that is requested three times at once under one %s is created once, and stays whole',
    async (_, names, branch) => {
      const asked = await Promise.allSettled(names.map((name) => make(name, branch === undefined ? {} : { branch })));
      const made = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(made).toHaveLength(1);
      const [{ path, branch: taken, commit }] = made as [(typeof made)[0]];
      expect(hashFiles(path)).toMatchObject({ 'a.txt': expect.any(String), 'deep/b.txt': expect.any(String) });
      expect(repository.git('rev-parse', `refs/heads/${taken}`)).toBe(commit);
      expect(readdirSync(join(path, '..'))).toHaveLength(1);
    },
  );

  test('is undone without a trace, and a branch that existed stays', async () => {
    repository.git('branch', 'old');
    const before = traces();
    for (const more of [{}, { branch: 'old' }]) {
      const made = await make('AUTH', more);
      await undoWorktree(repository.place, made);
      expect(traces()).toEqual({ ...before, folders: expect.any(Array) });
    }
  });
});

describe('bad input is a catalogued error, and nothing is left', () => {
  test('a folder without a repository, a repository without a commit, a bare one', async () => {
    await expect(make('A', { cwd: world.projectDir })).rejects.toMatchObject({ code: 'not_a_repository' });
    await expect(make('A')).rejects.toMatchObject({ code: 'no_commit' });
    repository.git('init', '--quiet', '--bare', join(world.dir, 'bare'));
    await expect(make('A', { cwd: join(world.dir, 'bare') })).rejects.toMatchObject({ code: 'not_a_repository' });
  });

  test('names that do not exist: of branches, of commits', async () => {
    repository.commit('first', { 'a.txt': 'a\n' });
    const before = traces();
    for (const branch of ['-f', '--force', 'a..b', 'a b', 'HEAD', '@{-1}', 'x.lock', '/x', 'a\nb']) {
      await expect(make('A', { branch }), branch).rejects.toMatchObject({ code: 'invalid_branch' });
    }
    for (const from of ['nothing', '-1', '--all', 'main:a.txt', 'main^9', 'a\0b']) {
      await expect(make('A', { from }), from).rejects.toMatchObject({ code: 'no_such_ref' });
    }
    expect(traces()).toEqual(before);
  });

  test('a branch that is checked out elsewhere: the error names the folder', async () => {
    repository.commit('first', { 'a.txt': 'a\n' });
    await make('ONE');
    const before = traces();
    await expect(make('TWO', { branch: 'ONE' })).rejects.toMatchObject({
      code: 'branch_in_use',
      hint: expect.stringContaining(`cbos new NAME ${placeOf('ONE')}`),
      extra: { worktree: placeOf('ONE') },
    });
    await expect(make('TWO', { branch: 'main' })).rejects.toMatchObject({ extra: { worktree: repository.path } });
    await expect(make('ONE', { branch: 'new' })).rejects.toMatchObject({ code: 'worktree_exists' });
    expect(traces()).toEqual(before);
  });

  test('a branch whose name prevents a folder of branches', async () => {
    repository.commit('first', { 'a.txt': 'a\n' });
    repository.git('branch', 'fix');
    const before = traces();
    await expect(make('A', { branch: 'fix/login' })).rejects.toMatchObject({ code: 'git_failed' });
    expect(traces()).toEqual(before);
  });

  test('a disk that fills up on the way', async () => {
    repository.commit('first', { 'a.txt': 'a\n', 'large.bin': 'x'.repeat(2_000_000) });
    // A limit on the size of files has the same effect as a full disk: git can write no more.
    const limited = join(world.dir, 'bin');
    mkdirSync(limited);
    writeFileSync(join(limited, 'git'), '#!/bin/sh\nulimit -f 500\nexec /usr/bin/git "$@"\n', { mode: 0o755 });
    const before = traces();
    const environment = { ...world.env, PATH: `${limited}:${world.env.PATH}` };
    await expect(
      createWorktree({ cwd: repository.path, environment }, { name: 'A', branch: null, from: null }),
    ).rejects.toMatchObject({ code: 'git_failed' });
    expect(traces()).toEqual(before);
  });
});

describe('a path never leads out of the worktree', () => {
  let outside: string;
  beforeEach(() => {
    outside = world.project('outside');
    writeFileSync(join(outside, 'secret.env'), 'secret\n');
  });

  test('through a symbolic link with the name of the folder of worktrees', async () => {
    repository.commit('first', { 'a.txt': 'a\n' });
    symlinkSync(outside, join(repository.path, '.claude'));
    await expect(make('A')).rejects.toMatchObject({ code: 'worktree_place' });
    expect(readdirSync(outside)).toEqual(['secret.env']);
    expect(repository.git('branch', '--list', 'A')).toBe('');
  });

  test('through what .worktreeinclude names', async () => {
    repository.commit('first', { 'a.txt': 'a\n', '.gitignore': '*.env\nlinked\ncache/\nkept.env\n' });
    repository.write('.worktreeinclude', '*.env\n/linked\n../outside/*\n/../outside/secret.env\nfolder/\n!not.env\n');
    repository.write('my.env', 'mine\n');
    repository.write('sub/dir/deep.env', 'deep\n');
    repository.write('not.env', 'not\n');
    repository.write('cache/x', 'ignored, not named\n');
    repository.write('folder/plain.txt', 'named, not ignored\n');
    symlinkSync(join(outside, 'secret.env'), join(repository.path, 'link.env'));
    symlinkSync(outside, join(repository.path, 'linked'));
    // In the commit that the worktree starts from, a folder of the main checkout is a link out of the repository.
    repository.git('checkout', '--quiet', '-b', 'evil');
    symlinkSync(outside, join(repository.path, 'taken'));
    repository.git('add', 'taken');
    repository.git('commit', '--quiet', '--message', 'evil');
    repository.git('checkout', '--quiet', 'main');
    repository.write('taken/new/over.env', 'over\n');

    const made = await make('A', { branch: 'B', from: 'evil' });
    expect(Object.keys(hashFiles(made.path)).sort()).toEqual(
      ['.gitignore', 'a.txt', 'my.env', 'sub/dir/deep.env', 'taken'].sort(),
    );
    expect(readFileSync(join(made.path, 'my.env'), 'utf8')).toBe('mine\n');
    expect(made.leftOut.sort()).toEqual(['link.env', 'linked', 'taken/new/over.env']);
    expect(readdirSync(outside)).toEqual(['secret.env']);
  });

  test('and a list of files that is itself a link is not read', async () => {
    repository.commit('first', { 'a.txt': 'a\n', '.gitignore': '*.env\n' });
    repository.write('my.env', 'mine\n');
    writeFileSync(join(outside, 'list'), '*.env\n');
    symlinkSync(join(outside, 'list'), join(repository.path, '.worktreeinclude'));
    const made = await make('A');
    expect(existsSync(join(made.path, 'my.env'))).toBe(false);
  });

  test('a pipe where a file is expected does not block', async () => {
    repository.commit('first', { 'a.txt': 'a\n', '.gitignore': '*.env\n', '.worktreeinclude': '*.env\n' });
    await runProgram('mkfifo', [join(repository.path, 'pipe.env')], { env: world.env, timeoutMs: 5_000 });
    expect((await make('A')).path).toBe(placeOf('A'));
  });
});
