import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { recoverWork } from '../../../src/platform/git/restore-work.ts';
import { listStates } from '../../../src/platform/git/saved-work.ts';
import type { CatalogueError } from '../../../src/protocol/index.ts';
import { finishing, type WorktreeUnderTest } from '../../harness/finishing.ts';
import { createWorktreeRepository, hashFiles, type WorktreeRepository } from '../../harness/worktree-repository.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;
let repository: WorktreeRepository;
let its: WorktreeUnderTest;
let count = 0;
beforeAll(() => {
  world = createWorld();
});
afterAll(() => world.dispose());
beforeEach(() => {
  count += 1;
  repository = createWorktreeRepository(world, `repository-${count}`);
  repository.commit('first', {
    'a.txt': 'one\n',
    'b.txt': 'b\n',
    '.gitignore': '*.env\n',
    '.worktreeinclude': '*.env\n',
  });
  its = finishing(repository, 'AUTH');
});

const head = (): string => repository.git('rev-parse', 'HEAD');
const subjects = (): string[] => repository.git('log', '--format=%s').split('\n');
const branches = (): string => repository.git('branch', '--format=%(refname:short)');
/** Makes two commits in the worktree, and one in the main checkout that touches other lines. */
function goApart(): void {
  its.commit('work', 'a.txt', 'two\n');
  its.commit('more work', 'new.txt', 'new\n');
  repository.commit('meanwhile', { 'b.txt': 'meanwhile\n' });
}
/** Returns everything that a refusal must not change, in all checkouts. */
const everything = () => ({
  refs: repository.git('for-each-ref', '--format=%(refname) %(objectname)'),
  main: hashFiles(repository.path),
  status: [repository.git('status', '--porcelain'), its.git('status', '--porcelain')],
  index: [repository.git('ls-files', '--stage'), its.git('ls-files', '--stage')],
  worktrees: repository.git('worktree', 'list', '--porcelain'),
});

describe('the commits of a worktree are moved to its base', () => {
  test('by a fast-forward, if the base is checked out, with its files', async () => {
    const tip = its.commit('work', 'a.txt', 'two\n');
    const finished = await its.finish('merge');
    expect([head(), finished.commit, finished.saved.into]).toEqual([tip, tip, 'main']);
    expect(readFileSync(join(repository.path, 'a.txt'), 'utf8')).toBe('two\n');
    expect(repository.git('status', '--porcelain')).toBe('');
    expect([branches(), finished.isBranchKept, its.isGone()]).toEqual(['main', false, true]);
  });

  test("by a merge commit in the person's name", async () => {
    goApart();
    await its.finish('merge');
    expect(repository.git('log', '-1', '--format=%an <%ae> %s')).toBe(
      "A <a@example.org> Merge branch 'branch-AUTH' into main",
    );
    expect(repository.git('log', '-1', '--format=%P').split(' ')).toHaveLength(2);
    expect(hashFiles(repository.path)).toMatchObject({ 'new.txt': expect.any(String) });
    expect(repository.git('status', '--porcelain')).toBe('');
  });

  test('by a rebase, each commit with its author, message and time', async () => {
    its.git('config', 'user.name', 'A');
    its.write('a.txt', 'two\n');
    its.git(
      'commit',
      '--quiet',
      '--all',
      '--author',
      'B <b@example.org>',
      '--date',
      '@1000000000 +0200',
      '-m',
      'work\n\nbody',
    );
    its.commit('more work', 'new.txt', 'new\n');
    repository.commit('meanwhile', { 'b.txt': 'meanwhile\n' });
    await its.finish('rebase');
    expect(subjects()).toEqual(['more work', 'work', 'meanwhile', 'first']);
    expect(repository.git('log', '-1', '--skip=1', '--date=raw', '--format=%an %ad %cn %b')).toBe(
      'B 1000000000 +0200 A body',
    );
    expect(repository.git('show', 'HEAD:b.txt')).toBe('meanwhile');
  });

  test('by a squash, in one commit', async () => {
    goApart();
    await its.finish('squash');
    expect(subjects()).toEqual(['Merge the changes of branch-AUTH', 'meanwhile', 'first']);
    expect(repository.git('log', '-1', '--format=%b')).toBe('* work\n* more work');
    expect(repository.git('show', 'HEAD:new.txt')).toBe('new');
  });

  test('into another branch that is not checked out anywhere, and the main checkout stays', async () => {
    repository.git('branch', 'develop');
    const tip = its.commit('work', 'a.txt', 'two\n');
    const before = hashFiles(repository.path);
    await its.finish('merge', { into: 'develop' });
    expect(repository.git('rev-parse', 'develop')).toBe(tip);
    const { '.claude': _, ...rest } = hashFiles(repository.path);
    expect(Object.keys(rest).filter((name) => !name.startsWith('.claude'))).toEqual(
      Object.keys(before).filter((name) => !name.startsWith('.claude')),
    );
    expect(readFileSync(join(repository.path, 'a.txt'), 'utf8')).toBe('one\n');
  });

  test('or into none: keep keeps the branch, discard does not, and both are saved', async () => {
    its.commit('work', 'a.txt', 'two\n');
    its.write('b.txt', 'changed\n');
    const { saved, commit, isBranchKept } = await its.finish('keep');
    expect([commit, isBranchKept, saved.uncommitted]).toEqual([null, true, 1]);
    expect(branches()).toBe('branch-AUTH\nmain');
    const back = await recoverWork(repository.place, { id: saved.id, branch: null, folder: undefined });
    expect(back).toMatchObject({ branch: 'branch-AUTH', folder: its.path });
    expect(its.git('status', '--porcelain')).toBe(' M b.txt');
    await its.finish('discard');
    expect(branches()).toBe('main');
  });
});

describe('a finish is refused, and nothing is changed,', () => {
  const refuse = async (
    code: string,
    how: 'merge' | 'rebase' | 'squash' = 'merge',
    more: Parameters<WorktreeUnderTest['finish']>[1] = {},
  ): Promise<unknown> => {
    const before = everything();
    const error: { code: string } = await its
      .finish(how, { stop: () => Promise.reject(new Error('it was stopped')), ...more })
      .then(() => ({ code: 'finished' }))
      .catch((cause: { code: string }) => cause);
    expect(error.code).toBe(code);
    expect(everything()).toEqual(before);
    return error;
  };

  test.each(['merge', 'rebase', 'squash'] as const)('%s in conflict: it names the files', async (how) => {
    its.commit('work', 'a.txt', 'two\n');
    repository.commit('meanwhile', { 'a.txt': 'three\n' });
    expect(await refuse('merge_conflict', how)).toMatchObject({
      hint: expect.stringContaining('cbos send AUTH "Merge main into your branch'),
      extra: { files: ['a.txt'] },
    });
  });

  test.each([
    ['on another branch', ['--quiet', '-b', 'other', 'main'], 'other'],
    ['on no branch', ['--quiet', '--detach', 'main'], null],
  ] as const)('in a worktree that is %s: it names both, and the cure works', async (_, words, current) => {
    its.commit('work', 'a.txt', 'two\n');
    its.git('checkout', ...words);
    for (const how of ['merge', 'rebase', 'squash'] as const) {
      const error = await refuse('branch_switched', how);
      expect(error).toMatchObject({
        message: expect.stringContaining('branch-AUTH'),
        extra: { branch: 'branch-AUTH', current },
      });
    }
    its.git(...cureIn(await refuse('branch_switched')));
    await its.finish('merge');
    expect(subjects()).toEqual(['work', 'first']);
    expect(branches()).toBe(current === null ? 'main' : 'main\nother');
  });

  test('in a worktree whose branch was renamed: the cure works', async () => {
    its.commit('work', 'a.txt', 'two\n');
    its.git('branch', '--move', 'renamed');
    its.git(...cureIn(await refuse('branch_switched')));
    await its.finish('merge');
    expect([subjects(), branches()]).toEqual([['work', 'first'], 'main']);
  });

  test.each(['index', 'HEAD', 'packed-refs', 'refs/heads/main', 'refs/heads/branch-AUTH'])(
    'while the lock of %s is held: it names the lock file',
    async (name) => {
      its.commit('work', 'a.txt', 'two\n');
      const lock = join(repository.path, '.git', `${name}.lock`);
      writeFileSync(lock, '');
      expect(await refuse('git_locked')).toMatchObject({ message: expect.stringContaining(lock), extra: { lock } });
      rmSync(lock);
      await its.finish('merge');
      expect(subjects()).toEqual(['work', 'first']);
    },
  );

  test('if only the worktree requires signed commits', async () => {
    goApart();
    repository.git('config', 'extensions.worktreeConfig', 'true');
    its.git('config', '--worktree', 'commit.gpgSign', 'true');
    for (const how of ['merge', 'rebase', 'squash'] as const) await refuse('signing_required', how);
  });

  test('with uncommitted changes, untracked files included', async () => {
    its.commit('work', 'a.txt', 'two\n');
    its.write('new.txt', 'new\n');
    expect(await refuse('uncommitted_changes')).toMatchObject({ extra: { files: ['new.txt'] } });
  });

  test('in the middle of a rebase', async () => {
    its.commit('work', 'a.txt', 'two\n');
    const editor = { GIT_SEQUENCE_EDITOR: "sed -i '1s/^pick/edit/'" };
    its.git('-c', `sequence.editor=${editor.GIT_SEQUENCE_EDITOR}`, 'rebase', '--quiet', '--interactive', 'HEAD~1');
    await refuse('operation_in_progress');
  });

  test('with a base that is checked out and dirty, or has a file in the way, even an ignored one', async () => {
    its.commit('work', 'b.txt', 'two\n');
    repository.write('a.txt', 'dirty\n');
    expect(await refuse('checkout_dirty')).toMatchObject({ extra: { files: ['a.txt'], checkout: repository.path } });
    repository.git('checkout', '--quiet', '.');
    its.write('new.env', 'theirs\n');
    its.git('add', '--force', 'new.env');
    its.git('commit', '--quiet', '--message', 'ignored');
    repository.write('new.env', 'mine, which git ignores\n');
    expect(await refuse('checkout_dirty')).toMatchObject({ extra: { files: ['new.env'] } });
  });

  test('with a base that is checked out and needs a filter', async () => {
    its.write('.gitattributes', '*.bin filter=lfs\n');
    its.git('add', '.gitattributes');
    its.commit('work', 'a.txt', 'two\n');
    its.git('commit', '--quiet', '--message', 'attributes');
    await its.finish('merge');
    its = finishing(repository, 'LFS');
    its.commit('large', 'large.bin', 'version https://git-lfs.github.com/spec/v1\n');
    expect(await refuse('checkout_filtered')).toMatchObject({ extra: { files: ['large.bin'] } });
  });

  test('without a name for the commit, although a fast-forward needs none', async () => {
    goApart();
    for (const key of ['user.name', 'user.email']) repository.git('config', '--unset', key);
    repository.git('config', 'user.useConfigOnly', 'true');
    const environment = { ...repository.place.environment, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
    await refuse('no_identity', 'merge', { environment });
    await refuse('no_identity', 'rebase', { environment });
    await refuse('no_identity', 'squash', { environment });
    repository.git('reset', '--quiet', '--hard', 'HEAD~1');
    expect((await its.finish('merge', { environment })).saved.into).toBe('main');
  });

  test('with a base that is not a branch, or is its own', async () => {
    its.commit('work', 'a.txt', 'two\n');
    await refuse('no_such_ref', 'merge', { into: 'nothing' });
    await refuse('no_such_ref', 'merge', { into: '--all' });
    await refuse('no_base', 'merge', { into: 'branch-AUTH' });
  });
});

/** Returns the words after `git` of the command in an error's hint. */
function cureIn(error: unknown): string[] {
  const [, words = ''] = /`git ([^`]+)`/.exec((error as CatalogueError).hint ?? '') ?? [];
  return words.split(' ');
}

describe('a branch that restoring the worktree would not bring back is kept', () => {
  test.each([
    ['another branch', ['--quiet', '-b', 'other', 'main'], 'branch-AUTH\nmain\nother', 'other'],
    ['no branch', ['--quiet', '--detach', 'main'], 'branch-AUTH\nmain', 'branch-AUTH-detached'],
  ] as const)('if the worktree is on %s, and the worktree is restored', async (_, words, kept, restored) => {
    const tip = its.commit('work', 'a.txt', 'two\n');
    its.git('checkout', ...words);
    const last = its.commit('elsewhere', 'b.txt', 'elsewhere\n');
    const { saved, isBranchKept } = await its.finish('discard');
    expect([branches(), isBranchKept, repository.git('rev-parse', 'branch-AUTH')]).toEqual([kept, true, tip]);
    const back = await recoverWork(repository.place, { id: saved.id, branch: null, folder: undefined });
    expect(back).toMatchObject({ branch: restored, commit: last, folder: its.path });
  });
});

describe('a base that cannot be moved after all', () => {
  /** Returns an environment with a git for which another program holds the base's lock from its `merge` on. */
  function locked(lock: string, more: string): Record<string, string | undefined> {
    const folder = join(world.dir, `locked-${count}`);
    mkdirSync(folder);
    const script = `case "$*" in *"merge --quiet"*) touch '${lock}'; /usr/bin/git "$@"; code=$?; ${more}; exit $code;; esac`;
    writeFileSync(join(folder, 'git'), `#!/bin/sh\n${script}\nexec /usr/bin/git "$@"\n`, { mode: 0o755 });
    return { ...repository.place.environment, PATH: `${folder}:${repository.place.environment.PATH}` };
  }

  test('has its files and its index as before, and the error names the lock', async () => {
    its.commit('work', 'a.txt', 'two\n');
    its.commit('more work', 'new.txt', 'new\n');
    const before = everything();
    const lock = join(repository.path, '.git/refs/heads/main.lock');
    await expect(its.finish('merge', { environment: locked(lock, 'true') })).rejects.toMatchObject({
      code: 'git_failed',
      message: expect.stringContaining(lock),
    });
    expect(everything()).toEqual(before);
    rmSync(lock);
    await its.finish('merge');
    expect(subjects()).toEqual(['more work', 'work', 'first']);
  });

  test('keeps a file that somebody has changed in the meantime', async () => {
    its.commit('work', 'a.txt', 'two\n');
    const lock = join(repository.path, '.git/refs/heads/main.lock');
    const file = join(repository.path, 'a.txt');
    const environment = locked(lock, `echo mine > '${file}'`);
    await expect(its.finish('merge', { environment })).rejects.toMatchObject({ code: 'git_failed' });
    expect(readFileSync(file, 'utf8')).toBe('mine\n');
  });
});

/** Moments at which a finish is killed: before or right after this command of git. */
const KILLS: readonly (readonly ['before' | 'after', command: string])[] = [
  ['after', 'merge --quiet'],
  ['before', 'update-ref refs/cbos'],
  ['after', 'update-ref refs/cbos'],
  ['before', 'worktree remove'],
  ['after', 'worktree remove'],
  ['after', 'update-ref -d'],
];

describe('a finish that is killed', () => {
  /** Writes a git that dies at this command, and ends its caller's work with it. */
  function deadly([when, command]: (typeof KILLS)[number]): Record<string, string | undefined> {
    const folder = join(world.dir, `deadly-${count}`);
    mkdirSync(folder);
    const die = when === 'before' ? 'kill -9 $$' : '/usr/bin/git "$@"; kill -9 $$';
    writeFileSync(
      join(folder, 'git'),
      `#!/bin/sh\ncase "$*" in *"${command}"*) ${die};; esac\nexec /usr/bin/git "$@"\n`,
      {
        mode: 0o755,
      },
    );
    return { ...repository.place.environment, PATH: `${folder}:${repository.place.environment.PATH}` };
  }

  test.each(KILLS)('%s %s succeeds with the same call again, and no byte is lost', async (...kill) => {
    repository.write('own.env', 'mine\n');
    its.write('own.env', 'changed there\n');
    const tip = its.commit('work', 'a.txt', 'two\n');
    const before = hashFiles(its.path);
    await expect(its.finish('merge', { environment: deadly(kill) })).rejects.toMatchObject({ code: 'git_failed' });

    const { saved, isBranchKept } = await its.finish('merge');
    expect([head(), branches(), isBranchKept, its.isGone()]).toEqual([tip, 'main', false, true]);
    expect(repository.git('status', '--porcelain')).toBe('');
    expect(await listStates(repository.place, repository.path)).toHaveLength(1);
    await recoverWork(repository.place, { id: saved.id, branch: null, folder: undefined });
    expect(hashFiles(its.path)).toEqual(before);
  });

  test('as it stops the session: nothing was changed', async () => {
    its.write('b.txt', 'changed\n');
    const before = everything();
    const fault = new Error('killed');
    await expect(its.finish('discard', { stop: () => Promise.reject(fault) })).rejects.toBe(fault);
    expect(everything()).toEqual(before);
  });
});

describe('saved work is restored', () => {
  test('as a branch: its commits, and one more with what was in none of them, without ignored files', async () => {
    its.commit('work', 'a.txt', 'two\n');
    its.write('new.txt', 'untracked\n');
    its.write('own.env', 'secret\n');
    const { saved } = await its.finish('discard');
    const { commit } = await recoverWork(repository.place, { id: saved.id, branch: 'back', folder: null });
    expect(repository.git('rev-parse', 'back')).toBe(commit);
    expect(repository.git('show', 'back:new.txt')).toBe('untracked');
    expect(repository.git('log', '--format=%s', 'back').split('\n').slice(1)).toEqual(['work', 'first']);
    expect(repository.git('ls-tree', '-r', '--name-only', 'back')).not.toContain('own.env');
  });

  test('once, even if it is requested several times at once, in separate folders under one branch', async () => {
    its.write('b.txt', 'changed\n');
    const { saved } = await its.finish('discard');
    const folders = ['one', 'two', 'three'].map((name) => join(world.dir, `${name}-${count}`));
    const asked = await Promise.allSettled(
      folders.map((folder) => recoverWork(repository.place, { id: saved.id, branch: 'back', folder })),
    );
    const made = folders.filter((_, index) => asked[index]?.status === 'fulfilled');
    expect(made).toHaveLength(1);
    expect(folders.filter((folder) => existsSync(folder))).toEqual(made);
    expect(repository.gitIn(made[0] ?? '', 'status', '--porcelain', '--branch')).toBe('## back\n M b.txt');
  });

  test('in another folder on another branch, and never over anything', async () => {
    its.write('b.txt', 'changed\n');
    const { saved } = await its.finish('discard');
    const { id } = saved;
    const folder = join(world.dir, `elsewhere-${count}`);
    mkdirSync(folder);
    const refuse = (request: { branch: string | null; folder: string | null | undefined }, code: string) =>
      expect(recoverWork(repository.place, { id, ...request }), code).rejects.toMatchObject({ code });
    await refuse({ branch: null, folder }, 'worktree_exists');
    await refuse({ branch: null, folder: 'relative' }, 'worktree_place');
    await refuse({ branch: 'main', folder: null }, 'branch_exists');
    await refuse({ branch: 'main', folder: join(folder, 'in') }, 'branch_in_use');
    await refuse({ branch: '-f', folder: null }, 'invalid_branch');
    await expect(
      recoverWork(repository.place, { id: '../../heads/main', branch: null, folder: undefined }),
    ).rejects.toMatchObject({ code: 'no_such_save' });
    expect(existsSync(join(folder, 'in'))).toBe(false);
    await recoverWork(repository.place, { id, branch: 'other', folder: join(folder, 'in') });
    expect(repository.gitIn(join(folder, 'in'), 'status', '--porcelain', '--branch')).toBe('## other\n M b.txt');
  });
});
