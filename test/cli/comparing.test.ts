import { writeFileSync } from 'node:fs';
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
const folderOf = (slug: string): string => join(repository.path, '.claude', 'worktrees', slug);

describe('new --times', () => {
  test('gives the same task to several sessions, each in its own worktree on its own branch', async () => {
    const { code, stdout } = await run('new', 'FIX', '-w', 'fix/login', '--times', '3', '--prompt', 'fix it');
    expect(code).toBe(0);
    expect(stdout).toContain('cbos compare FIX-1 FIX-2 FIX-3');
    expect(cli.server.sessions.list().map(({ slug, worktree }) => [slug, worktree?.branch])).toEqual([
      ['FIX-1', 'fix/login-1'],
      ['FIX-2', 'fix/login-2'],
      ['FIX-3', 'fix/login-3'],
    ]);
    expect(cli.server.sessions.created.slice(-3).map(({ prompt }) => prompt)).toEqual(['fix it', 'fix it', 'fix it']);
    const { stdout: json } = await run('new', 'TRY', '--worktree', '--times', '2', '--json');
    expect(JSON.parse(json)).toMatchObject([{ slug: 'TRY-1', worktree: { branch: 'TRY-1' } }, { slug: 'TRY-2' }]);
  });

  test('launches nothing if a name is taken or the sessions would share their files', async () => {
    cli.server.sessions.add('FIX-2');
    expect((await run('new', 'FIX', '--worktree', '--times', '2')).stderr).toContain('FIX-2 already exists');
    expect((await run('new', 'FIX', '--times', '2')).stderr).toContain('--worktree');
    expect((await run('new', 'FIX', '--worktree', '--times', '1')).code).toBe(2);
    expect(cli.server.sessions.list()).toHaveLength(1);
  });

  test('names the running sessions if a later one cannot be launched', async () => {
    repository.git('branch', 'FIX-2');
    const { code, stderr } = await run('new', 'FIX', '--worktree', '--times', '3');
    expect(code).toBe(4);
    expect(stderr).toContain('these sessions had already been launched: FIX-1');
    expect(cli.server.sessions.list().map(({ slug }) => slug)).toEqual(['FIX-1']);
  });
});

describe('compare', () => {
  test('shows state, changes, tests and last words of each session, and leaves out unknown facts', async () => {
    await run('new', 'FIX', '--worktree', '--times', '2', '--type', 'json');
    writeFileSync(join(folderOf('FIX-1'), 'a.txt'), 'b\nc\n');
    cli.server.sessions.happen('FIX-1', { type: 'result', result: 'Fixed the\nlogin.', total_cost_usd: 0.25 });
    cli.server.sessions.write('FIX-1', {
      type: 'assistant',
      message: { content: [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'npm test' } }] },
    });
    cli.server.sessions.write('FIX-1', {
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: 't', is_error: true }] },
    });
    const { code, stdout, stderr } = await run('compare', 'FIX-1', 'FIX-2');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/FIX-1 .*1 file, \+2 −1 .*failed: npm test .*Fixed the login\./);
    expect(stdout).toMatch(/FIX-2 .*no changes/);
    const { stdout: json } = await run('compare', 'FIX-1', 'FIX-2', '--json');
    expect(JSON.parse(json)).toMatchObject([
      {
        session: 'FIX-1',
        changes: { total: { files: 1, added: 2, removed: 1 }, base: { ref: 'main' } },
        tests: { command: 'npm test', outcome: 'failed', edited_since: false },
        last_words: 'Fixed the\nlogin.',
      },
      { session: 'FIX-2', tests: null, last_words: '' },
    ]);
  });

  test('names the base of each session if they differ, and shows no changes outside of a repository', async () => {
    repository.git('branch', 'old');
    repository.commit('second', { 'a.txt': 'two\n' });
    await run('new', 'A', '--worktree', '--from', 'old');
    await run('new', 'B', '--worktree');
    cli.server.sessions.add('PLAIN', { path: cli.server.world.dir });
    writeFileSync(join(folderOf('A'), 'new.txt'), 'n\n');
    repository.gitIn(folderOf('B'), 'commit', '--quiet', '--allow-empty', '--message', 'x');
    const { stdout, stderr } = await run('compare', 'A', 'B', 'PLAIN');
    expect(stdout).toMatch(/A .*1 file, \+1 −0/);
    expect(stderr).toContain('A is compared against');
    expect(JSON.parse((await run('compare', 'A', 'PLAIN', '--json')).stdout)[1].changes).toBeNull();
  });

  test('needs two sessions that exist', async () => {
    cli.server.sessions.add('A');
    expect((await run('compare', 'A', 'A')).code).toBe(2);
    expect((await run('compare', 'A', 'NONE')).code).toBe(3);
  });
});
