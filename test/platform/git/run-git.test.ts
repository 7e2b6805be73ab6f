import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { askGit, runGit, tryGit } from '../../../src/platform/git/run-git.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;
let repository: string;
let traps: string;
beforeEach(() => {
  world = createWorld();
  repository = world.project('repository');
  traps = world.project('traps');
  git('init', '--quiet', '--initial-branch', 'main');
  git('config', 'user.name', 'A');
  git('config', 'user.email', 'a@example.org');
});
afterEach(() => world.dispose());

/** Runs git as a person does, with the whole configuration of the repository. */
const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: repository, env: world.env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const here = () => ({ cwd: repository, environment: world.env });
const write = (path: string, text: string): void => {
  mkdirSync(join(repository, path, '..'), { recursive: true });
  writeFileSync(join(repository, path), text);
};
/** Returns a command line that leaves a file behind when something runs it. */
const trap = (name: string): string => `sh -c 'touch ${traps}/${name}; cat'`;
const sprung = (): string[] => readdirSync(traps).sort();

/** Makes a repository whose configuration, attributes, and hooks run a program wherever git allows it. */
function makeHostile(): void {
  for (const hook of readdirSync(join(repository, '.git', 'hooks')).map((name) => name.replace(/\.sample$/, ''))) {
    const path = join(repository, '.git', 'hooks', hook);
    writeFileSync(path, `#!/bin/sh\ntouch ${traps}/hook-${hook}\n`);
    chmodSync(path, 0o755);
  }
  for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change', 'post-merge']) {
    writeFileSync(join(repository, '.git', 'hooks', hook), `#!/bin/sh\ntouch ${traps}/hook-${hook}\n`);
    chmodSync(join(repository, '.git', 'hooks', hook), 0o755);
  }
  git('config', 'filter.evil=x.clean', trap('clean'));
  git('config', 'filter.evil=x.smudge', trap('smudge'));
  git('config', 'filter.long.process', trap('process'));
  git('config', 'filter.long.required', 'true');
  git('config', 'merge.evil.driver', `${trap('merge')} %A`);
  git('config', 'diff.evil.command', trap('diff-command'));
  git('config', 'diff.evil.textconv', trap('textconv'));
  git('config', 'diff.external', trap('diff-external'));
  git('config', 'core.fsmonitor', trap('fsmonitor'));
  git('config', 'core.pager', trap('pager'));
  git('config', 'core.editor', trap('editor'));
  git('config', 'core.sshCommand', trap('ssh'));
  git('config', 'gpg.program', trap('gpg'));
  git('config', 'log.showSignature', 'true');
  git('config', 'commit.gpgSign', 'true');
  git('config', 'alias.rev-parse', `!${trap('alias')}`);
  git('config', 'hook.evil.event', 'post-checkout');
  git('config', 'hook.evil.command', trap('configured-hook'));
}

describe('nothing of a hostile repository runs', () => {
  test('in commands that read, write, check out, merge and compare', async () => {
    write('.gitattributes', '*.a filter=evil=x diff=evil merge=evil\n*.b filter=long diff=evil merge=evil\n');
    write('one.a', 'one\n');
    write('two.b', 'two\n');
    git('add', '.');
    git('commit', '--quiet', '--message', 'first');
    git('checkout', '--quiet', '-b', 'side');
    write('one.a', 'side\n');
    git('commit', '--quiet', '--all', '--message', 'side');
    git('checkout', '--quiet', 'main');
    write('one.a', 'main\n');
    git('commit', '--quiet', '--all', '--message', 'main');
    makeHostile();
    write('two.b', 'changed\n');

    await runGit(['status', '--porcelain', '-z', '--ignore-submodules=dirty'], here());
    await runGit(['add', '--', 'two.b'], here());
    await runGit(['diff', '--cached'], here());
    await runGit(['diff', 'HEAD~1', 'HEAD'], here());
    await runGit(['log', '-p'], here());
    await runGit(['show', 'HEAD'], here());
    await runGit(['rev-parse', 'HEAD'], here());
    await runGit(['rev-list', '--objects', '--all'], here());
    await runGit(['merge-base', 'main', 'side'], here());
    await runGit(['for-each-ref', '--format=%(contents)'], here());
    await runGit(['worktree', 'list', '--porcelain'], here());
    await runGit(['var', 'GIT_AUTHOR_IDENT'], here());
    await runGit(['check-ref-format', 'refs/heads/main'], here());
    await runGit(['update-ref', 'refs/cbos/x', 'HEAD'], here());
    await runGit(['commit', '--quiet', '--message', 'ours'], here());
    await runGit(['worktree', 'add', '--quiet', '--detach', join(world.dir, 'tree')], here());
    await runGit(['checkout', '--quiet', 'side'], here());
    // The repository's own merge driver is refused, so the merge ends in a conflict.
    expect((await tryGit(['merge-tree', '--write-tree', 'main', 'side'], here())).code).toBe(1);
    expect((await tryGit(['fetch', 'ssh://127.0.0.1/x'], here())).code).toBe(128);
    expect((await tryGit(['fetch', repository], here())).stderr).toContain('not allowed');
    expect(sprung()).toEqual([]);

    // The traps work: git springs them when a person runs it. The exit codes do not matter here.
    for (const args of [
      ['checkout', '--quiet', 'main'],
      ['add', '--', 'two.b'],
      ['diff', 'HEAD~1', 'HEAD'],
      ['update-ref', 'refs/cbos/y', 'HEAD'],
    ]) {
      spawnSync('git', args, { cwd: repository, env: world.env });
    }
    expect(sprung()).toEqual(
      expect.arrayContaining(['clean', 'diff-command', 'fsmonitor', 'hook-reference-transaction']),
    );
  });

  test('by a PATH with relative entries', async () => {
    write('git', `#!/bin/sh\ntouch ${traps}/own-git\n`);
    chmodSync(join(repository, 'git'), 0o755);
    const environment = { ...world.env, PATH: `.::${world.env.PATH}` };
    await expect(askGit(['rev-parse', '--is-inside-work-tree'], { cwd: repository, environment })).resolves.toBe(
      'true',
    );
    expect(sprung()).toEqual([]);
  });

  test("by the server's environment", async () => {
    const environment = { ...world.env, GIT_DIR: '/nowhere', GIT_EXTERNAL_DIFF: trap('env'), GIT_TRACE: `${traps}/t` };
    await expect(askGit(['rev-parse', '--git-dir'], { cwd: repository, environment })).resolves.toBe('.git');
    expect(sprung()).toEqual([]);
  });
});

describe('a fault is a catalogued error', () => {
  test('if git is not installed', async () => {
    const call = askGit(['version'], { cwd: repository, environment: { ...world.env, PATH: traps } });
    await expect(call).rejects.toMatchObject({ code: 'git_not_found' });
  });

  test('if the command fails: with its message', async () => {
    await expect(runGit(['rev-parse', '--verify', 'nothing'], here())).rejects.toMatchObject({
      code: 'git_failed',
      message: expect.stringContaining('Needed a single revision'),
    });
  });

  test('if it prints too much, or takes too long', async () => {
    write('large', 'x'.repeat(100_000));
    const hash = await askGit(['hash-object', '-w', 'large'], here());
    await expect(runGit(['cat-file', 'blob', hash], { ...here(), maxBytes: 1_000 })).rejects.toMatchObject({
      code: 'git_failed',
    });
    const slow = join(traps, 'git');
    writeFileSync(slow, '#!/bin/sh\nexec sleep 600\n');
    chmodSync(slow, 0o755);
    const environment = { ...world.env, PATH: `${traps}:${world.env.PATH}` };
    await expect(runGit(['version'], { cwd: repository, environment, timeoutMs: 100 })).rejects.toMatchObject({
      code: 'git_failed',
      message: expect.stringContaining('took too long'),
    });
  });
});

test('standard input and another index reach the command, and a file name is never a pattern', async () => {
  write('*', 'star\n');
  write('plain', 'plain\n');
  const indexFile = join(world.dir, 'index');
  await runGit(['add', '--', '*'], { ...here(), indexFile });
  expect(await askGit(['ls-files'], { ...here(), indexFile })).toBe('*');
  expect(await askGit(['ls-files'], here())).toBe('');
  const hash = await askGit(['hash-object', '-w', '--stdin'], { ...here(), input: 'from us' });
  expect(await askGit(['cat-file', 'blob', hash], here())).toBe('from us');
  expect(existsSync(join(repository, '.git', 'index'))).toBe(false);
});
