import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findOnPath } from '../../../scripts/setup/system-programs.mjs';
import type { PullRequestPlan, Session } from '../../../src/protocol/index.ts';
import { MOST_OFTEN_MS } from '../../../src/server/worktrees/pull-requests.ts';
import { type Answered, type FacesUnderTest, startFaces } from '../../harness/faces.ts';
import { type Forge, startForge } from '../../harness/forge.ts';
import { ManualClock } from '../../harness/manual-clock.ts';
import { commitFile, openPullRequest, planFault, planPullRequest } from '../../harness/pull-requests.ts';
import { callRoute } from '../../harness/rest.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorktreeRepository, type WorktreeRepository } from '../../harness/worktree-repository.ts';

/** Hooks that commands of git can run in a repository that is not a server (githooks(5), git 2.39). */
const CLIENT_HOOKS = [
  ...['pre-commit', 'pre-merge-commit', 'commit-msg', 'post-commit', 'pre-rebase', 'post-checkout', 'post-merge'],
  ...['pre-push', 'post-rewrite', 'reference-transaction', 'post-index-change', 'pre-auto-gc'],
];

const hasGh = findOnPath(['gh'], process.env.PATH) !== null;

describe.skipIf(!hasGh)('with the real gh and git, on a stand-in of the forge', () => {
  let clock: ManualClock;
  let server: FacesUnderTest;
  let repository: WorktreeRepository;
  let forge: Forge;
  let path: string;
  beforeEach(async () => {
    clock = new ManualClock();
    server = await startFaces({ clock });
    repository = createWorktreeRepository(server.world);
    repository.commit('first', { 'a.txt': 'a\n' });
    forge = await startForge(server.world, repository);
    path = join(repository.path, '.claude', 'worktrees', 'AUTH');
    repository.git('worktree', 'add', '--quiet', '-b', 'fix/guest-login', path);
    writeFileSync(join(repository.path, '.git/info/exclude'), '/.claude/worktrees/\n');
    commit('Let guests log in\n\nThey get a session.\u202e', 'b.txt');
    const worktree = { path, repository: repository.path, branch: 'fix/guest-login', base: 'main' };
    server.sessions.add('AUTH', { path, worktree: { ...worktree, new_branch: true, left_out: [] } });
  });
  afterEach(() => server[Symbol.asyncDispose]());

  const commit = (message: string, name: string): string => commitFile(repository, path, { name, message });
  const plan = (): Promise<PullRequestPlan> => planPullRequest(server);
  const open = (shown: PullRequestPlan): Promise<Answered> => openPullRequest(server, shown);
  const request = () => server.sessions.get('AUTH').worktree?.pull_request;
  const planError = async (): Promise<unknown> => (await planFault(server))[0];

  test('the shown commit is pushed and the pull request opened; the second time, later commits are pushed', async () => {
    const shown = await plan();
    expect(shown).toMatchObject({ repository: forge.repository, remote: 'origin', base: 'main', commits: 1 });
    expect(shown).toMatchObject({ title: 'Let guests log in', body: 'They get a session.', existing: null });
    expect([forge.branch('fix/guest-login'), forge.requests]).toEqual(['', []]);

    const opened = await open(shown);
    expect(opened.status, opened.text).toBe(200);
    const url = `https://${forge.repository}/pull/1`;
    expect((opened.json() as Session).worktree?.pull_request).toMatchObject({ url, number: 1, state: 'open' });
    expect(forge.requests).toMatchObject([
      { head: 'fix/guest-login', title: shown.title, body: shown.body, draft: false },
    ]);
    expect(forge.branch('fix/guest-login')).toBe(shown.commit);
    expect(existsSync(path)).toBe(true);
    expect(readdirSync(join(server.world.cbosHome, 'push'))).toEqual([]);
    // No file of CBOS contains the login.
    expect(repository.git('config', '--local', '--list')).not.toContain('token');

    const more = commit('Add a test', 'c.txt');
    const again = await plan();
    expect(again).toMatchObject({
      commits: 2,
      title: 'Guest login',
      body: expect.stringMatching(/^- Let.*\n- Add a test$/),
    });
    expect(again.existing).toMatchObject({ number: 1, url });
    expect((await open(again)).status).toBe(200);
    expect([forge.branch('fix/guest-login'), forge.requests.length]).toEqual([more, 1]);
  });

  test('anything that has changed since it was shown is refused, and nothing is pushed', async () => {
    const shown = await plan();
    commit('More', 'c.txt');
    expect((await open(shown)).code()).toBe('pull_request_changed');
    const other = await plan();
    repository.git('remote', 'set-url', 'origin', `https://${forge.host}/evil/shop.git`);
    expect((await open(other)).code()).toMatch(/gh_failed|pull_request_changed/);
    repository.git('remote', 'set-url', 'origin', forge.address);
    expect(forge.branch('fix/guest-login')).toBe('');
    // Somebody else opens a pull request in the meantime.
    repository.gitIn(
      join(server.world.dir, 'forge/acme/shop.git'),
      'fetch',
      '--quiet',
      path,
      'HEAD:refs/heads/fix/guest-login',
    );
    const base = { ref: 'main' };
    const one = { number: 1, html_url: `https://${forge.repository}/pull/1`, head: 'fix/guest-login', base };
    forge.requests.push({ ...one, title: 'x', body: '', draft: false, state: 'OPEN', checks: null });
    expect((await open(other)).code()).toBe('pull_request_exists');
  });

  test('the checks are requested while somebody looks, at most every two minutes, and not once it is closed', async () => {
    await open(await plan());
    await waitFor(() => forge.calls.at(-1) === 'POST /graphql', { describe: 'the checks are asked for' });
    await waitFor(() => request()?.checks === 'none', { describe: 'there is an answer' });
    const asked = (): number => forge.calls.filter((call) => call === 'POST /graphql').length;
    const look = async (sessions?: string[]): Promise<unknown> =>
      (await callRoute(server, 'lookAtPullRequests', { body: sessions === undefined ? {} : { sessions } })).json();
    const first = forge.requests[0];
    if (first === undefined) throw new Error('no request');
    first.checks = 'FAILURE';
    expect(await look()).toEqual({ asked: [] });
    clock.advance(MOST_OFTEN_MS);
    expect(asked(), 'nobody has looked').toBe(1);
    expect(await look(['OTHER'])).toEqual({ asked: [] });
    expect(await look(['AUTH'])).toEqual({ asked: ['AUTH'] });
    expect(await look(), 'a second client').toEqual({ asked: [] });
    await waitFor(() => request()?.checks === 'failing', { describe: 'the checks have failed' });
    first.state = 'MERGED';
    clock.advance(MOST_OFTEN_MS);
    await look();
    await waitFor(() => request()?.state === 'merged', { describe: 'it is merged' });
    clock.advance(MOST_OFTEN_MS);
    expect(await look()).toEqual({ asked: [] });
    expect(asked()).toBe(3);
    expect(existsSync(path), 'the worktree stays until a person finishes it').toBe(true);
  });

  test('each obstacle is reported with its cure, and nothing is changed', async () => {
    writeFileSync(join(path, 'new.txt'), 'new\n');
    expect(await planError()).toBe('uncommitted_changes');
    rmSync(join(path, 'new.txt'));
    forge.logIn(false);
    const cure = expect.stringContaining('gh auth login --hostname localhost');
    expect(await planFault(server)).toEqual(['gh_not_logged_in', cure]);
    forge.logIn(true);
    repository.git('remote', 'set-url', 'origin', '/somewhere/on/the/disk');
    expect(await planError()).toBe('no_remote');
    repository.git('remote', 'remove', 'origin');
    expect(await planError()).toBe('no_remote');
    // Nothing listens on this port.
    repository.git('remote', 'add', 'origin', `https://localhost:${await server.world.freePort()}/acme/shop.git`);
    expect(await planError()).toMatch(/gh_failed|gh_not_logged_in/);
    repository.git('remote', 'set-url', 'origin', forge.address);

    // The branch has other commits on the forge.
    const bare = join(server.world.dir, 'forge/acme/shop.git');
    repository.gitIn(bare, 'fetch', '--quiet', repository.path, 'main:refs/heads/main');
    const other = repository.gitIn(repository.path, 'commit-tree', '-m', 'other', 'main^{tree}');
    repository.gitIn(bare, 'fetch', '--quiet', repository.path, `${other}:refs/heads/fix/guest-login`);
    const pushed = await open(await plan());
    expect([pushed.code(), forge.branch('fix/guest-login')]).toEqual(['push_refused', other]);
    expect(forge.requests).toEqual([]);

    repository.gitIn(path, 'reset', '--quiet', '--hard', 'main');
    expect(await planError()).toBe('no_new_commits');
    commit('More', 'c.txt');
    const bin = join(server.world.dir, 'bin');
    mkdirSync(bin);
    symlinkSync(findOnPath(['git'], process.env.PATH) ?? '', join(bin, 'git'));
    const { PATH } = server.world.env;
    Object.assign(server.world.env, { PATH: bin });
    expect(await planError()).toBe('gh_not_found');
    Object.assign(server.world.env, { PATH });
    expect((await callRoute(server, 'planPullRequest', { params: { slug: 'NONE' } })).code()).toBe('no_such_session');
  });

  test('the plan names the hooks that git itself would run for the push, and no others; CBOS runs none of them', async () => {
    const ran = join(server.world.dir, 'hooks-ran');
    const hooks = join(repository.path, '.git/hooks');
    for (const name of CLIENT_HOOKS)
      writeFileSync(join(hooks, name), `#!/bin/sh\necho ${name} >>${ran}\n`, { mode: 0o755 });
    const namesRun = (): string[] => [...new Set(readFileSync(ran, 'utf8').trim().split('\n'))].sort();
    const shown = await plan();
    expect((await open(shown)).status).toBe(200);
    expect(existsSync(ran)).toBe(false);

    const bare = join(server.world.dir, 'bare');
    repository.git('init', '--quiet', '--bare', bare);
    repository.gitIn(path, 'remote', 'add', 'bare', bare);
    repository.gitIn(path, 'push', '--quiet', 'bare', 'HEAD');
    expect(namesRun()).toEqual(shown.skipped_hooks);
    writeFileSync(join(hooks, 'pre-push'), '#!/bin/sh\n', { mode: 0o755 });
    for (const name of CLIENT_HOOKS.filter((one) => one !== 'pre-push')) rmSync(join(hooks, name));
    expect((await plan()).skipped_hooks).toEqual(['pre-push']);
  });

  test('nothing from the repository runs: no hook, helper, transport or proxy that it names', async () => {
    const marker = join(server.world.dir, 'ran');
    const script = join(repository.path, '.git', 'evil');
    writeFileSync(script, `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    const hook = join(repository.path, '.git/hooks/pre-push');
    writeFileSync(hook, `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    for (const [key, value] of [
      ['core.sshCommand', script],
      ['core.askPass', script],
      ['core.gitProxy', script],
      ['credential.helper', `!${script}`],
      [`http.https://${forge.host}.proxy`, 'http://127.0.0.1:1'],
      ['core.fsmonitor', script],
      ['push.gpgSign', 'true'],
      ['gpg.program', script],
    ] as const)
      repository.git('config', key, value);
    const opened = await open(await plan());
    expect(opened.status, opened.text).toBe(200);
    expect(existsSync(marker)).toBe(false);
    // The address of the remote is a program.
    repository.git('remote', 'set-url', 'origin', `ext::${script}`);
    expect(await planError()).toBe('no_remote');
    expect(existsSync(marker)).toBe(false);
  });
});
