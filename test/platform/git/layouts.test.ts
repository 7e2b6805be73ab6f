import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createComparer } from '../../../src/platform/git/compare.ts';
import { createWorktree, type MadeWorktree } from '../../../src/platform/git/create-worktree.ts';
import { findWorktrees, useWorktree } from '../../../src/platform/git/existing-worktree.ts';
import { finishWorktree } from '../../../src/platform/git/finish-worktree.ts';
import { findMainCheckout } from '../../../src/platform/git/git-dir.ts';
import { recoverWork } from '../../../src/platform/git/restore-work.ts';
import type { FinishHow } from '../../../src/protocol/index.ts';
import { createWorktreeRepository, type WorktreeRepository } from '../../harness/worktree-repository.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;
let source: WorktreeRepository;
beforeAll(() => {
  world = createWorld();
  source = createWorktreeRepository(world, 'source');
  source.commit('zero', { 'deep/b.txt': 'old\n' });
  source.commit('first', {
    'a.txt': 'one\n',
    'deep/b.txt': 'b\n',
    '.gitignore': '*.env\n',
    '.worktreeinclude': '*.env\n',
  });
  source.git('config', 'uploadpack.allowFilter', 'true');
});
afterAll(() => world.dispose());

const run = (cwd: string, ...args: string[]): string => source.gitIn(cwd, ...args);
const placeAt = (cwd: string) => ({ cwd, environment: world.env });

let count = 0;
/** Returns a new folder below the world, with the person's name for commits in whatever repository is made there. */
function folder(): string {
  count += 1;
  return world.project(`layout-${count}`);
}

function named(checkout: string): string {
  run(checkout, 'config', 'user.name', 'A');
  run(checkout, 'config', 'user.email', 'a@example.org');
  return checkout;
}

const LAYOUTS: Record<string, () => { from: string; main: string; worktrees?: string }> = {
  'a bare repository in .bare, from a worktree beside it': () => {
    const at = bareLayout();
    return { from: join(at, 'main'), main: join(at, 'main'), worktrees: at };
  },
  'a bare repository in .bare, from the folder that holds everything': () => {
    const at = bareLayout();
    return { from: at, main: join(at, 'main'), worktrees: at };
  },
  'a plain bare repository, from one of its worktrees': () => {
    const at = folder();
    run(at, 'clone', '--quiet', '--bare', source.path, 'shop.git');
    run(join(at, 'shop.git'), 'worktree', 'add', '--quiet', join(at, 'main'), 'main');
    return { from: named(join(at, 'main')), main: join(at, 'main'), worktrees: at };
  },
  'a git directory elsewhere (--separate-git-dir)': () => {
    const at = folder();
    run(at, 'clone', '--quiet', `--separate-git-dir=${at}/shop.git`, source.path, 'shop');
    return { from: named(join(at, 'shop')), main: join(at, 'shop') };
  },
  'a submodule, whose git directory is in that of the outer repository': () => {
    const main = submodule();
    return { from: main, main };
  },
  'a submodule, from one of its worktrees': () => {
    const main = submodule();
    run(main, 'worktree', 'add', '--quiet', '-b', 'other', `${dirname(main)}-other`);
    return { from: `${dirname(main)}-other`, main };
  },
  'settings for each worktree (extensions.worktreeConfig)': () => {
    const main = clone();
    run(main, 'config', 'extensions.worktreeConfig', 'true');
    run(main, 'config', '--worktree', 'core.filemode', 'true');
    return { from: main, main };
  },
  'a shallow clone': () => {
    const main = clone('--depth=1');
    return { from: main, main };
  },
  'a sparse checkout': () => {
    const main = clone();
    run(main, 'sparse-checkout', 'set', 'nothing');
    return { from: main, main };
  },
  'hashes of 256 bits': () => {
    const main = folder();
    run(main, 'init', '--quiet', '--object-format=sha256', '--initial-branch', 'main');
    named(main);
    writeFileSync(join(main, 'a.txt'), 'one\n');
    run(main, 'add', '.');
    run(main, 'commit', '--quiet', '-m', 'first');
    return { from: main, main };
  },
};

function bareLayout(): string {
  const at = folder();
  run(at, 'clone', '--quiet', '--bare', source.path, '.bare');
  writeFileSync(join(at, '.git'), 'gitdir: ./.bare\n');
  run(at, 'worktree', 'add', '--quiet', 'main', 'main');
  named(at);
  return at;
}

function submodule(): string {
  const outer = folder();
  run(outer, 'init', '--quiet');
  run(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', source.path, 'inner');
  return named(join(outer, 'inner'));
}

function clone(...flags: string[]): string {
  const at = folder();
  run(at, '-c', 'protocol.file.allow=always', 'clone', '--quiet', ...flags, `file://${source.path}`, 'shop');
  return named(join(at, 'shop'));
}

function finish(made: MadeWorktree, how: FinishHow, session = 'AUTH') {
  const { path, repository, branch, base } = made;
  const worktree = { path, repository, branch, base: base ?? 'main', new_branch: true, left_out: [] };
  return finishWorktree(
    placeAt('/'),
    { session, worktree, how, into: 'main', since: 0 },
    { now: Date.now, ownProcesses: async () => new Set(), stop: async () => undefined },
  );
}

const make = (from: string, name = 'AUTH') => createWorktree(placeAt(from), { name, branch: null, from: null });

function commitIn({ path }: MadeWorktree, name: string, text: string): void {
  writeFileSync(join(path, name), text);
  run(path, 'add', '--sparse', name);
  run(path, '-c', 'commit.gpgSign=false', 'commit', '--quiet', '-m', name);
}

describe('a worktree is created, listed, compared, finished into its base, and recovered:', () => {
  test.each(Object.entries(LAYOUTS))('%s', async (name, lay) => {
    const { from, main, worktrees } = lay();
    const made = await make(from);
    expect(dirname(made.path)).toBe(worktrees ?? join(main, '.claude/worktrees'));
    expect(run(main, 'status', '--porcelain')).toBe('');
    const { root, worktrees: listed } = await findWorktrees(placeAt(made.repository));
    expect(root).toBe(made.repository);
    expect(listed.filter((one) => one.isGone)).toEqual([]);
    expect(listed.map((one) => one.path)).toContain(main);
    if (!name.includes('elsewhere')) expect(await findMainCheckout(made.path)).toBe(await findMainCheckout(main));

    commitIn(made, 'new.txt', 'new\n');
    writeFileSync(join(made.path, 'late.txt'), 'late\n');
    const comparer = createComparer({ environment: world.env, scratchDir: join(world.dir, 'scratch') });
    const { files } = await comparer.changes({ folder: made.path, base: 'main' });
    expect(files.map((file) => file.path).sort()).toEqual(['late.txt', 'new.txt']);
    rmSync(join(made.path, 'late.txt'));

    const finished = await finish(made, 'merge');
    expect(run(main, 'log', '-1', '--format=%s')).toBe('new.txt');
    expect(existsSync(join(main, 'new.txt')) || run(main, 'ls-files', 'new.txt') === 'new.txt').toBe(true);
    expect([existsSync(made.path), finished.left, finished.isBranchKept]).toEqual([false, null, false]);
    expect(run(main, 'status', '--porcelain')).toBe('');

    const back = await recoverWork(placeAt(made.repository), {
      id: finished.saved.id,
      branch: null,
      folder: undefined,
    });
    expect(back.folder).toBe(made.path);
    expect(readFileSync(join(made.path, 'new.txt'), 'utf8')).toBe('new\n');
  });
});

test('from a worktree of a clone with a separate git directory, the error says where to run the command', async () => {
  const { main } = LAYOUTS['a git directory elsewhere (--separate-git-dir)']?.() ?? { main: '' };
  const other = join(dirname(main), 'other');
  run(main, 'worktree', 'add', '--quiet', '-b', 'other', other);
  await expect(make(other)).rejects.toMatchObject({
    code: 'not_a_repository',
    hint: expect.stringContaining('in the main checkout'),
  });
});

describe('a partial clone', () => {
  test('that lacks files is refused with the commands that download them, and one of them is the cure', async () => {
    const at = folder();
    const words = ['clone', '--quiet', '--filter=blob:none', '--no-checkout', `file://${source.path}`, 'shop'];
    run(at, '-c', 'protocol.file.allow=always', ...words);
    const main = named(join(at, 'shop'));
    const refs = run(main, 'for-each-ref');
    const refused = await make(main).catch((error) => error);
    expect(refused).toMatchObject({ code: 'missing_objects', message: expect.stringContaining('has not downloaded') });
    expect(refused.hint).toContain('git archive -o /dev/null');
    expect([run(main, 'for-each-ref'), existsSync(join(main, '.claude'))]).toEqual([refs, false]);
    run(main, '-c', 'protocol.file.allow=always', 'archive', '-o', '/dev/null', 'HEAD');
    expect((await make(main)).branch).toBe('AUTH');
  });

  test('says the same when a comparison needs a file that it lacks', async () => {
    const main = clone('--filter=blob:none');
    const made = await make(main);
    const comparer = createComparer({ environment: world.env, scratchDir: join(world.dir, 'scratch') });
    const asked = comparer.changes({ folder: made.path, base: 'main~1' });
    await expect(asked).rejects.toMatchObject({ code: 'missing_objects' });
  });
});

describe('a worktree whose folder was deleted by hand', () => {
  test.each([false, true])('leads to `git worktree prune` from everywhere (locked: %s)', async (isLocked) => {
    const main = clone();
    const made = await make(main);
    if (isLocked) run(main, 'worktree', 'lock', made.path);
    rmSync(made.path, { recursive: true });
    const cure = isLocked ? `git worktree unlock ${made.path} && git worktree prune` : 'git worktree prune';
    const errors = await Promise.all(
      [
        make(main),
        createWorktree(placeAt(main), { name: 'OTHER', branch: 'AUTH', from: null }),
        useWorktree(placeAt(main), 'AUTH'),
        finish(made, 'merge'),
      ].map((asked) => asked.catch((error) => error)),
    );
    for (const error of errors.slice(0, 3)) expect(error.hint).toContain(cure);
    expect(errors[3]).toMatchObject({ code: 'worktree_gone', hint: expect.stringContaining('worktree prune') });
    if (isLocked) run(main, 'worktree', 'unlock', made.path);
    run(main, 'worktree', 'prune');
    const again = await createWorktree(placeAt(main), { name: 'AUTH', branch: 'AUTH', from: null });
    expect(again.branch).toBe('AUTH');
  });
});

describe('commits that must be signed', () => {
  test.each(['merge', 'squash', 'rebase'] as const)(
    '%s is refused before anything changes, with the cure',
    async (how) => {
      const main = clone();
      const made = await make(main);
      commitIn(made, 'new.txt', 'new\n');
      writeFileSync(join(main, 'meanwhile.txt'), 'm\n');
      run(main, 'add', '.');
      run(main, 'commit', '--quiet', '-m', 'meanwhile');
      run(main, 'config', 'commit.gpgsign', 'yes');
      const before = run(main, 'for-each-ref');
      await expect(finish(made, how)).rejects.toMatchObject({
        code: 'signing_required',
        hint: expect.stringContaining('Merge main into your branch'),
      });
      expect([run(main, 'for-each-ref'), existsSync(made.path)]).toEqual([before, true]);
      // This is what the session's own git does; here without a key.
      run(made.path, '-c', 'commit.gpgSign=false', 'merge', '--quiet', '--no-edit', 'main');
      await finish(made, 'merge');
      expect(existsSync(join(main, 'new.txt'))).toBe(true);
    },
  );

  test('nothing is refused if the last setting says that commits need no signature', async () => {
    const main = clone();
    const made = await make(main);
    commitIn(made, 'new.txt', 'new\n');
    run(main, 'commit', '--quiet', '--allow-empty', '-m', 'meanwhile');
    run(main, 'config', '--add', 'commit.gpgsign', 'true');
    run(main, 'config', '--add', 'commit.gpgsign', 'false');
    expect((await finish(made, 'merge')).saved.into).toBe('main');
  });
});

describe('a bare repository whose HEAD names a branch that does not exist', () => {
  function headless(): string {
    const at = folder();
    run(at, 'clone', '--quiet', '--bare', source.path, '.bare');
    writeFileSync(join(at, '.git'), 'gitdir: ./.bare\n');
    run(at, 'branch', 'dev', 'main');
    run(at, 'symbolic-ref', 'HEAD', 'refs/heads/master');
    return named(at);
  }

  test('names the branches, and the option with which one of them becomes the base', async () => {
    const at = headless();
    const refused = await make(at).catch((error) => error);
    expect(refused).toMatchObject({ code: 'no_such_ref', message: expect.stringMatching(/master.* dev, main$/) });
    expect(refused.hint).toContain('--from dev');
    const made = await createWorktree(placeAt(at), { name: 'AUTH', branch: null, from: 'dev' });
    expect(made).toMatchObject({ path: join(at, 'AUTH'), base: 'dev' });
    commitIn(made, 'new.txt', 'new\n');
    await finish(made, 'merge');
    expect(existsSync(made.path)).toBe(false);
  });

  test('lends its branches: an existing branch needs no base, and none is invented', async () => {
    const at = headless();
    const made = await createWorktree(placeAt(at), { name: 'AUTH', branch: 'dev', from: null });
    expect(made).toMatchObject({ branch: 'dev', base: null, isNewBranch: false });
    expect(await useWorktree(placeAt(at), 'dev')).toMatchObject({ path: made.path, base: null });
    expect((await findWorktrees(placeAt(at))).worktrees).toMatchObject([{ isMain: true }, { branch: 'dev' }]);
  });
});
