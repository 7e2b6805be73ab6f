import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWorktree } from '../../../src/platform/git/create-worktree.ts';
import { forkWorktree } from '../../../src/platform/git/fork-worktree.ts';
import { createWorktreeRepository, hashFiles, type WorktreeRepository } from '../../harness/worktree-repository.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;
let repository: WorktreeRepository;
beforeEach(() => {
  world = createWorld();
  repository = createWorktreeRepository(world);
  repository.commit('first', {
    'a.txt': 'a\n',
    'gone.txt': 'g\n',
    'staged.txt': 's\n',
    'deep/b.txt': 'b\n',
    '.gitignore': '*.env\nbuild/\n',
    '.worktreeinclude': '*.env\n',
  });
});
afterEach(() => world.dispose());

const placeOf = (name: string): string => join(repository.path, '.claude', 'worktrees', name);
const fork = (name: string, cwd: string, branch: string | null = null) =>
  forkWorktree({ ...repository.place, cwd }, { name, branch });
const statusOf = (path: string): string => repository.gitIn(path, 'status', '--porcelain', '--untracked-files=all');

/** Returns everything that must not change in a checkout. */
const stateOf = (path: string) => ({
  files: hashFiles(path),
  status: statusOf(path),
  head: repository.gitIn(path, 'rev-parse', 'HEAD'),
  branch: repository.gitIn(path, 'branch', '--show-current'),
  index: repository.gitIn(path, 'ls-files', '--stage', '--debug'),
  gitDir: readdirSync(repository.gitIn(path, 'rev-parse', '--absolute-git-dir')).sort(),
});

/** Creates a worktree in which every kind of file has changed. */
async function worked(): Promise<string> {
  await createWorktree(repository.place, { name: 'AUTH', branch: null, from: null });
  const path = placeOf('AUTH');
  const write = (name: string, text: string | Buffer): void =>
    repository.write(join('.claude/worktrees/AUTH', name), text);
  write('committed.txt', 'c\n');
  repository.gitIn(path, 'add', '.');
  repository.gitIn(path, 'commit', '--quiet', '--message', 'work');
  write('staged.txt', 'staged\n');
  repository.gitIn(path, 'add', 'staged.txt');
  write('staged.txt', 'and changed again\r\n');
  write('a.txt', 'changed\n');
  unlinkSync(join(path, 'gone.txt'));
  write('new/untracked.txt', 'u\n');
  write('binary', Buffer.from([0, 255, 10]));
  write('local.env', 'KEY=2\n');
  write('build/out.txt', 'left out\n');
  symlinkSync('a.txt', join(path, 'link'));
  chmodSync(join(path, 'binary'), 0o755);
  return path;
}

describe('the fork of a worktree', () => {
  test('has the same commit and files byte for byte, changed, staged and untracked as in the original', async () => {
    const path = await worked();
    const made = await fork('AUTH-2', path);
    expect(made).toMatchObject({ path: placeOf('AUTH-2'), branch: 'AUTH-2', isNewBranch: true, leftOut: [] });
    const { 'build/out.txt': ignored, ...files } = hashFiles(path);
    expect(ignored).toBeDefined();
    expect(hashFiles(made.path)).toEqual(files);
    expect(statusOf(made.path)).toBe(statusOf(path));
    expect(repository.gitIn(made.path, 'rev-parse', 'HEAD')).toBe(repository.gitIn(path, 'rev-parse', 'HEAD'));
    expect(repository.gitIn(made.path, 'diff', '--cached')).toBe(repository.gitIn(path, 'diff', '--cached'));
  });

  test('changes nothing in the original: no file, no index, no ref, nothing left in its git directory', async () => {
    const path = await worked();
    const before = stateOf(path);
    const refs = repository.git('for-each-ref', '--format=%(refname) %(objectname)');
    const main = stateOf(repository.path).files;
    await fork('AUTH-2', path);
    expect(stateOf(path)).toEqual(before);
    const after = repository.git('for-each-ref', '--format=%(refname) %(objectname)').split('\n');
    expect(after.filter((ref) => !ref.includes('AUTH-2'))).toEqual(refs.split('\n'));
    const own = Object.entries(stateOf(repository.path).files).filter(([name]) => !name.includes('AUTH-2'));
    expect(Object.fromEntries(own)).toEqual(main);
  });

  test('can be made from the main checkout and from a folder below, on a named branch', async () => {
    repository.write('a.txt', 'changed\n');
    repository.write('new.txt', 'n\n');
    const made = await fork('ONE', join(repository.path, 'deep'), 'try/one');
    expect(made).toMatchObject({ folder: join(placeOf('ONE'), 'deep'), branch: 'try/one', base: 'main' });
    expect(statusOf(made.path)).toBe(statusOf(repository.path));
    expect(readFileSync(join(made.path, 'new.txt'), 'utf8')).toBe('n\n');
  });

  test('leaves out the worktrees that Claude Code made in the checkout, but no other repository', async () => {
    repository.git('worktree', 'add', '--quiet', '-b', 'claude', placeOf('claude'));
    repository.write('.claude/notes.txt', 'n\n');
    const made = await fork('COPY', repository.path);
    expect(statusOf(made.path)).toBe('?? .claude/notes.txt');
    // If another repository replaces a worktree that git still lists, it is not a worktree.
    const other = join(repository.path, 'other');
    repository.git('worktree', 'add', '--quiet', '-b', 'other', other);
    rmSync(other, { recursive: true });
    repository.git('init', '--quiet', other);
    await expect(fork('OTHER', repository.path)).rejects.toMatchObject({ code: 'worktree_nested' });
  });

  test('is refused, and leaves nothing, if the branch or folder exists, and over a nested repository', async () => {
    const path = await worked();
    const before = repository.git('for-each-ref', '--format=%(refname) %(objectname)');
    await expect(fork('X', path, 'AUTH')).rejects.toMatchObject({ code: 'branch_exists' });
    mkdirSync(placeOf('TAKEN'));
    await expect(fork('TAKEN', path)).rejects.toMatchObject({ code: 'worktree_exists' });
    repository.gitIn(path, 'init', '--quiet', 'nested');
    await expect(fork('X', path)).rejects.toMatchObject({ code: 'worktree_nested' });
    await expect(fork('X', world.dir)).rejects.toMatchObject({ code: 'not_a_repository' });
    expect(repository.git('for-each-ref', '--format=%(refname) %(objectname)')).toBe(before);
    expect(readdirSync(join(repository.path, '.claude/worktrees')).sort()).toEqual(['AUTH', 'TAKEN']);
  });
});
