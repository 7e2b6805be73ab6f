import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { someSession } from '../harness/some-session.ts';
import { createWorktreeRepository, type WorktreeRepository } from '../harness/worktree-repository.ts';
import { type CommandOptions, runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';

const cli = serveCommands();
let repository: WorktreeRepository;
let folder: string;
let count = 0;
beforeEach(async () => {
  count += 1;
  repository = createWorktreeRepository(cli.server.world, `repository-${count}`);
  repository.commit('first', { 'a.txt': 'a\n', '.gitignore': 'build/\n' });
  await run(['new', 'AUTH', '--worktree', 'fix/login']);
  folder = join(repository.path, '.claude', 'worktrees', 'AUTH');
});

const run = (argv: string[], options: Partial<CommandOptions> = {}) =>
  runCommand(argv, { ...cli.where, cwd: repository.path, ...options });
const commit = (text: string): void => {
  writeFileSync(join(folder, 'a.txt'), text);
  repository.gitIn(folder, 'commit', '--quiet', '--all', '--message', 'work');
};

describe('finish', () => {
  test('merges, stops the session, removes its worktree, and reports where everything is', async () => {
    commit('merged\n');
    const { code, stdout } = await run(['finish', 'AUTH', '--merge', '--yes']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/fix\/login is in main \([0-9a-f]{8}\); AUTH is stopped, its worktree is removed/);
    expect(stdout).toMatch(/cbos recover AUTH\/\d{8}T\d{6}Z-[0-9a-f]{8} restores the worktree/);
    expect(existsSync(folder)).toBe(false);
    expect(readFileSync(join(repository.path, 'a.txt'), 'utf8')).toBe('merged\n');
    const session = cli.server.sessions.get('AUTH');
    expect(session).toMatchObject({ state: 'dead', worktree: { finished: { how: 'merge', into: 'main' } } });
    expect((await run(['show', 'AUTH'])).stdout).toContain('finished, merged into main: cbos recover AUTH/');
    expect((await run(['ls', '--columns', 'name,worktree'])).stdout).toContain('fix/login (finished)');
  });

  test('names the hooks that do not run, before it asks and in the result', async () => {
    commit('merged\n');
    for (const name of ['pre-commit', 'post-merge', 'commit-msg']) {
      writeFileSync(join(repository.path, '.git/hooks', name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    }
    const asked = await run(['finish', 'AUTH', '--squash'], { isTTY: true, stdin: 'n\n' });
    expect(asked.stderr).toContain('git hooks that will not run: commit-msg, post-merge, pre-commit');
    const kept = await run(['finish', 'AUTH', '--keep'], { isTTY: true, stdin: 'n\n' });
    expect(kept.stderr).not.toContain('hook');
    const { code, stdout } = await run(['finish', 'AUTH', '--merge', '--yes']);
    expect(code).toBe(0);
    expect(stdout).toContain('git hook that did not run: post-merge');
    const { worktree } = cli.server.sessions.get('AUTH');
    expect(worktree?.finished?.skipped_hooks).toEqual(['post-merge']);
  });

  test('asks first, showing what is saved and what git ignores; a no changes nothing', async () => {
    writeFileSync(join(folder, 'new.txt'), 'new\n');
    repository.gitIn(folder, 'init', '--quiet', '--bare', 'build');
    const asked = await run(['finish', 'AUTH', '--discard'], { isTTY: true, stdin: 'n\n' });
    expect(asked.code).toBe(1);
    expect(asked.stderr).toContain('saved, but not committed: new.txt');
    expect(asked.stderr).toContain('ignored by git, saved only if .worktreeinclude names it: build/');
    expect(asked.stderr).toContain(`Discard fix/login, and remove the worktree ${folder}? AUTH is running`);
    expect(existsSync(folder)).toBe(true);
    expect(cli.server.sessions.get('AUTH').state).not.toBe('dead');
    const agreed = await run(['finish', 'AUTH', '--discard'], { isTTY: true, stdin: 'y\n' });
    expect(agreed.code).toBe(0);
    expect(existsSync(folder)).toBe(false);
  });

  test('asks nothing if uncommitted files prevent a merge', async () => {
    writeFileSync(join(folder, 'new.txt'), 'new\n');
    const { code, stderr } = await run(['finish', 'AUTH', '--merge'], { isTTY: true, stdin: 'y\n' });
    expect(code).toBe(4);
    expect(stderr).toContain('new.txt is not committed');
    expect(stderr).not.toContain('Merge fix/login');
    expect(existsSync(folder)).toBe(true);
  });

  test('needs --yes if nobody can be asked, and exactly one way', async () => {
    const unasked = await run(['finish', 'AUTH', '--merge']);
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    expect((await run(['finish', 'AUTH', '--yes'])).code).toBe(2);
    expect((await run(['finish', 'AUTH', '--merge', '--keep', '--yes'])).code).toBe(2);
    expect((await run(['finish', 'AUTH', '--keep', '--into', 'main', '--yes'])).code).toBe(2);
    expect(existsSync(folder)).toBe(true);
  });

  test('counts the commits that the base lacks, whatever the main checkout is on', async () => {
    repository.git('branch', 'develop');
    repository.git('update-ref', 'refs/remotes/origin/develop', 'develop');
    for (const from of ['develop', 'origin/develop']) {
      const slug = `FROM-${from.length}`;
      await run(['new', slug, '--worktree', '--from', from]);
      const path = join(repository.path, '.claude', 'worktrees', slug);
      repository.gitIn(path, 'commit', '--quiet', '--allow-empty', '--message', 'work');
      repository.git('switch', '--quiet', '--force-create', 'elsewhere', 'main');
      const asked = await run(['finish', slug, '--merge'], { isTTY: true, stdin: 'n\n' });
      expect(asked.stderr).toContain('1 commit for develop');
      repository.git('switch', '--quiet', 'main');
    }
  });

  describe('of a worktree whose branch was renamed', () => {
    beforeEach(() => {
      commit('work\n');
      repository.gitIn(folder, 'branch', '--move', 'fix/renamed');
    });

    test.each(['--keep', '--discard'])('%s reports what became of both branches', async (how) => {
      const asked = await run(['finish', 'AUTH', how], { isTTY: true, stdin: 'n\n' });
      expect(asked.stderr).toContain(
        "the worktree is on the branch fix/renamed, not on its session's; that branch is kept",
      );
      expect(asked.stderr).not.toContain('Discard');
      const { stdout } = await run(['finish', 'AUTH', how, '--yes']);
      expect(repository.git('branch', '--format=%(refname:short)')).toBe('fix/renamed\nmain');
      expect(stdout).toContain('there is no branch fix/login; the branch fix/renamed, which it was on, is kept');
      expect(cli.server.sessions.get('AUTH').worktree?.finished).toMatchObject({
        branch_kept: false,
        branch_missing: true,
        other_branch: 'fix/renamed',
      });
    });

    test('shows no commits of that branch before a merge, which is refused', async () => {
      const asked = await run(['finish', 'AUTH', '--merge'], { isTTY: true, stdin: 'y\n' });
      expect(asked.stderr).toContain("not on its session's; nothing can be merged");
      expect(asked.stderr).not.toContain('commit for main');
      expect([asked.code, existsSync(folder)]).toEqual([4, true]);
    });
  });

  test('of a worktree on no branch, whose branch was deleted, does not report that CBOS deleted it', async () => {
    repository.gitIn(folder, 'checkout', '--quiet', '--detach');
    repository.git('branch', '--delete', '--force', 'fix/login');
    const { stdout } = await run(['finish', 'AUTH', '--discard', '--yes']);
    expect(stdout).toContain('there is no branch fix/login');
    expect(stdout).not.toContain('deleted');
  });

  test('names the files in conflict, and how the session can resolve them', async () => {
    commit('theirs\n');
    repository.commit('meanwhile', { 'a.txt': 'ours\n' });
    const { code, stderr } = await run(['finish', 'AUTH', '--squash', '--yes']);
    expect(code).toBe(4);
    expect(stderr).toContain('a.txt is in conflict');
    expect(stderr).toContain('cbos send AUTH "Merge main into your branch and resolve the conflicts"');
    expect(cli.server.sessions.get('AUTH').state).not.toBe('dead');
  });

  test('refuses a session that works, and one without a worktree', async () => {
    const { status } = someSession('X');
    cli.server.sessions.change('AUTH', { status: { ...status, primary: 'active', detail: 'thinking' } });
    expect((await run(['finish', 'AUTH', '--discard', '--yes'])).code).toBe(4);
    expect(existsSync(folder)).toBe(true);
    await run(['new', 'PLAIN']);
    const plain = await run(['finish', 'PLAIN', '--keep', '--yes']);
    expect([plain.code, plain.stderr]).toEqual([4, expect.stringContaining('did not create a worktree for PLAIN')]);
  });
});

describe('recover', () => {
  test('lists what was saved, and restores it at its old place', async () => {
    expect((await run(['recover'])).stderr).toContain('nothing is saved');
    writeFileSync(join(folder, 'new.txt'), 'new\n');
    const finished = JSON.parse((await run(['finish', 'AUTH', '--discard', '--yes', '--json'])).stdout);
    const { saved } = finished.worktree.finished;
    const { stdout } = await run(['recover']);
    expect(stdout).toContain(saved);
    expect(stdout).toMatch(/fix\/login .*1 file/);
    // This also works in the repository after the session was deleted.
    await run(['rm', 'AUTH', '--yes']);
    const [listed] = JSON.parse((await run(['recover', '--json'])).stdout);
    expect(listed).toMatchObject({ id: saved, folder, uncommitted: 1, repository: repository.path });
    const back = await run(['recover', 'AUTH']);
    expect(back.stdout).toContain(`is back on the branch fix/login, in ${folder}`);
    expect(back.stdout).toContain('cbos restart AUTH');
    expect(readFileSync(join(folder, 'new.txt'), 'utf8')).toBe('new\n');
  });

  test('creates only a branch, or a worktree elsewhere, and refuses an unknown id', async () => {
    writeFileSync(join(folder, 'new.txt'), 'new\n');
    expect(await run(['finish', 'AUTH', '--discard', '--yes'])).toMatchObject({ code: 0, stderr: '' });
    const back = await run(['recover', 'AUTH', '--branch', 'back']);
    expect(back, back.stderr).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('is back on the branch back\n'),
    });
    expect(repository.git('show', 'back:new.txt')).toBe('new');
    const elsewhere = await run(['recover', 'AUTH', '--to', '../elsewhere', '--branch', 'other', '--json']);
    expect(JSON.parse(elsewhere.stdout)).toMatchObject({
      branch: 'other',
      folder: expect.stringMatching(/elsewhere$/),
    });
    expect((await run(['recover', 'AUTH', '--branch', 'main'])).code).toBe(4);
    expect((await run(['recover', 'NONE/x'])).stderr).toContain('cbos recover');
    expect((await run(['recover', '--to', 'x'])).code).toBe(2);
  });
});
