import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createWorktreeRepository, type WorktreeRepository } from '../harness/worktree-repository.ts';
import { runCommand } from './command-line.ts';
import { serveCommands } from './served.ts';

const cli = serveCommands();
let repository: WorktreeRepository;
let count = 0;
beforeEach(() => {
  count += 1;
  repository = createWorktreeRepository(cli.server.world, `repository-${count}`);
  repository.commit('first', { 'a.txt': 'a\n' });
});

const run = (...argv: string[]) => runCommand(argv, { ...cli.where, cwd: repository.path });
const placeOf = (name: string): string => join(repository.path, '.claude', 'worktrees', name);

describe('new --worktree', () => {
  test('launches in a worktree on a branch with the name of the session, and reports it', async () => {
    const { code, stdout } = await run('new', 'AUTH', '--worktree');
    expect(code).toBe(0);
    expect(stdout).toContain('on the branch AUTH, from main');
    expect(existsSync(join(placeOf('AUTH'), 'a.txt'))).toBe(true);
    expect(cli.server.sessions.get('AUTH')).toMatchObject({
      path: placeOf('AUTH'),
      worktree: { path: placeOf('AUTH'), repository: repository.path, branch: 'AUTH', base: 'main', left_out: [] },
    });
  });

  test('works for JSON sessions too, on a given branch, from another one', async () => {
    repository.git('branch', 'develop');
    const { stdout } = await run('new', 'CI', '.', '--type', 'json', '-w', 'fix/ci', '--from', 'develop', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ type: 'json', worktree: { branch: 'fix/ci', base: 'develop' } });
  });

  test('is shown by show, and by ls in a separate column', async () => {
    await run('new', 'AUTH', '-w', 'fix/login');
    expect((await run('show', 'AUTH')).stdout).toMatch(/worktree +fix\/login, from main, of .*repository-/);
    expect((await run('ls', '--columns', 'name,worktree')).stdout).toMatch(/AUTH +fix\/login → main/);
    expect((await run('ls', '-l')).stdout).toContain('WORKTREE');
    expect((await run('ls')).stdout).not.toContain('WORKTREE');
  });

  test('refuses a branch that is checked out, with the command that starts a session there', async () => {
    await run('new', 'ONE', '--worktree');
    const { code, stderr } = await run('new', 'TWO', '--worktree', 'ONE');
    expect(code).toBe(4);
    expect(stderr).toContain(`cbos new NAME ${placeOf('ONE')}`);
    expect(cli.server.sessions.list()).toHaveLength(1);
  });

  test('refuses a folder without a repository, an invalid branch or commit, and --from without --worktree', async () => {
    const outside = await runCommand(['new', 'A', '--worktree'], cli.where);
    expect([outside.code, outside.stderr]).toEqual([2, expect.stringContaining('git init')]);
    expect((await run('new', 'A', '--worktree=-f')).code).toBe(2);
    expect((await run('new', 'A', '--worktree', '--from', 'nothing')).stderr).toContain('"nothing"');
    expect((await run('new', 'A', '--from', 'main')).stderr).toContain('--worktree');
    expect(repository.git('branch', '--format=%(refname:short)')).toBe('main');
    expect(existsSync(join(repository.path, '.claude'))).toBe(false);
  });
});

describe('fork', () => {
  test('launches in a copy of the worktree, with the tags of the original, and reports where', async () => {
    await run('new', 'AUTH', '--worktree', '--tag', 'night');
    repository.write('.claude/worktrees/AUTH/new.txt', 'n\n');
    const { code, stdout } = await run('fork', 'AUTH', 'AUTH-2');
    expect(code).toBe(0);
    expect(stdout).toContain('AUTH-2 continues the conversation of AUTH, on the branch AUTH-2\n');
    expect(stdout).toContain(placeOf('AUTH-2'));
    expect(existsSync(join(placeOf('AUTH-2'), 'new.txt'))).toBe(true);
    const { stdout: shown } = await run('ls', '--json', '--jq', '.[] | select(.slug == "AUTH-2")');
    expect(JSON.parse(shown)).toMatchObject({ tags: ['night'], worktree: { base: 'main', new_branch: true } });
  });

  test('works in the same folder only on request, and then without its own branch', async () => {
    await run('new', 'AUTH');
    expect((await run('fork', 'AUTH', 'B', '--same-folder')).stdout).toContain('of AUTH, in the same folder');
    expect(cli.server.sessions.get('B').path).toBe(repository.path);
    const { code, stderr } = await run('fork', 'AUTH', 'C', '--same-folder', '--branch', 'c');
    expect([code, stderr]).toEqual([2, expect.stringContaining('cannot be combined')]);
  });

  test('is refused if the name is taken or the session works', async () => {
    await run('new', 'AUTH', '--worktree');
    expect((await run('fork', 'AUTH', 'AUTH')).code).toBe(4);
    const { status } = cli.server.sessions.get('AUTH');
    cli.server.sessions.change('AUTH', { status: { ...status, primary: 'active', detail: 'thinking' } });
    expect((await run('fork', 'AUTH', 'AUTH-2')).code).toBe(4);
    expect(existsSync(placeOf('AUTH-2'))).toBe(false);
  });
});
