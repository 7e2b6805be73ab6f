import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findOnPath } from '../../../scripts/setup/system-programs.mjs';
import type { PullRequestPlan, Session } from '../../../src/protocol/index.ts';
import { MOST_OFTEN_MS } from '../../../src/server/worktrees/pull-requests.ts';
import { type Answered, type FacesUnderTest, startFaces } from '../../harness/faces.ts';
import { TOKEN } from '../../harness/forge-server.ts';
import { type GitLab, startGitLab } from '../../harness/gitlab.ts';
import { ManualClock } from '../../harness/manual-clock.ts';
import { commitFile, openPullRequest, planFault, planPullRequest } from '../../harness/pull-requests.ts';
import { callRoute } from '../../harness/rest.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorktreeRepository, type WorktreeRepository } from '../../harness/worktree-repository.ts';

const hasGlab = findOnPath(['glab'], process.env.PATH) !== null;
const CHECKS = 'GET /projects/acme%2Fweb%2Fshop/merge_requests/1';

describe.skipIf(!hasGlab)('with the real glab and git, on a stand-in of GitLab', () => {
  let clock: ManualClock;
  let server: FacesUnderTest;
  let repository: WorktreeRepository;
  let gitlab: GitLab;
  let path: string;
  beforeEach(async () => {
    clock = new ManualClock();
    server = await startFaces({ clock });
    repository = createWorktreeRepository(server.world);
    repository.commit('first', { 'a.txt': 'a\n' });
    gitlab = await startGitLab(server.world, repository);
    path = join(server.world.dir, 'tree');
    repository.git('worktree', 'add', '--quiet', '-b', 'fix/guest-login', path);
    commit('Let guests log in\n\nThey get a session.', 'b.txt');
    const worktree = { path, repository: repository.path, branch: 'fix/guest-login', base: 'main' };
    server.sessions.add('AUTH', { path, worktree: { ...worktree, new_branch: true, left_out: [] } });
  });
  afterEach(() => server[Symbol.asyncDispose]());

  const commit = (message: string, name: string): string => commitFile(repository, path, { name, message });
  const plan = (): Promise<PullRequestPlan> => planPullRequest(server);
  const open = (shown: PullRequestPlan, more: { draft?: boolean } = {}): Promise<Answered> =>
    openPullRequest(server, shown, more);
  const request = () => server.sessions.get('AUTH').worktree?.pull_request;
  const fault = (): Promise<[code: unknown, text: string]> => planFault(server);
  const only = (...programs: string[]): void => {
    const bin = join(server.world.dir, `bin-${programs.join('-')}`);
    mkdirSync(bin);
    for (const name of programs) symlinkSync(findOnPath([name], process.env.PATH) ?? '', join(bin, name));
    Object.assign(server.world.env, { PATH: bin });
  };

  test('the shown commit is pushed and the merge request opened; the second time, later commits are pushed', async () => {
    const shown = await plan();
    expect(shown).toMatchObject({ forge: 'gitlab', repository: gitlab.repository, base: 'main', existing: null });
    expect([gitlab.branch('fix/guest-login'), gitlab.requests]).toEqual(['', []]);

    const opened = await open(shown);
    expect(opened.status, opened.text).toBe(200);
    const url = `https://${gitlab.repository}/-/merge_requests/1`;
    const expected = { url, number: 1, forge: 'gitlab', base: 'main', state: 'open' };
    expect((opened.json() as Session).worktree?.pull_request).toMatchObject(expected);
    expect(gitlab.requests).toMatchObject([
      { source_branch: 'fix/guest-login', target_branch: 'main', title: shown.title, description: shown.body },
    ]);
    expect(gitlab.branch('fix/guest-login')).toBe(shown.commit);

    const more = commit('Add a test', 'c.txt');
    const again = await plan();
    expect(again).toMatchObject({ commits: 2, existing: { number: 1, url, forge: 'gitlab' } });
    expect((await open(again)).status).toBe(200);
    expect([gitlab.branch('fix/guest-login'), gitlab.requests.length]).toEqual([more, 1]);
    expect([...gitlab.tokens]).toEqual([TOKEN]);
  });

  test('a draft is marked, and every text arrives as it was shown', async () => {
    // glab would turn a field with such a text into a list, or take it for a file.
    const texts = { title: '[fix]', body: '@/etc/passwd\n"quoted" ünï' };
    expect((await open({ ...(await plan()), ...texts }, { draft: true })).status).toBe(200);
    expect(gitlab.requests).toMatchObject([{ title: 'Draft: [fix]', description: texts.body }]);
  });

  test('a merge request from a fork, or one that somebody else opens in the meantime, is not taken for this one', async () => {
    gitlab.add({ source_branch: 'fix/guest-login', source_project_id: 99 });
    const shown = await plan();
    expect(shown.existing).toBeNull();
    gitlab.add({ source_branch: 'fix/guest-login' });
    expect((await open(shown)).code()).toBe('pull_request_exists');
    expect((await plan()).existing).toMatchObject({ number: 2 });
  });

  test('the pipeline is requested while somebody looks, at most every two minutes, and not once it is merged', async () => {
    await open(await plan());
    await waitFor(() => gitlab.calls.includes(CHECKS), { describe: 'the pipeline is asked for' });
    await waitFor(() => request()?.checks === 'none', { describe: 'there is an answer' });
    const asked = (): number => gitlab.calls.filter((call) => call === CHECKS).length;
    const look = async (): Promise<unknown> => (await callRoute(server, 'lookAtPullRequests', { body: {} })).json();
    expect(await look()).toEqual({ asked: [] });
    const [first] = gitlab.requests;
    if (first === undefined) throw new Error('no request');
    for (const [status, checks] of [
      ['running', 'pending'],
      ['failed', 'failing'],
      ['of-a-later-gitlab', 'pending'],
      ['success', 'passing'],
    ] as const) {
      first.head_pipeline = { status };
      clock.advance(MOST_OFTEN_MS);
      expect(await look()).toEqual({ asked: ['AUTH'] });
      await waitFor(() => request()?.checks === checks, { describe: `the pipeline's state is ${status}` });
    }
    // The pipeline shows when the answer has come, because a locked merge request is still open.
    Object.assign(first, { state: 'locked', head_pipeline: { status: 'running' } });
    clock.advance(MOST_OFTEN_MS);
    await look();
    await waitFor(() => request()?.checks === 'pending', { describe: 'the answer about the locked one has come' });
    expect(request()?.state).toBe('open');
    first.state = 'merged';
    clock.advance(MOST_OFTEN_MS);
    await look();
    await waitFor(() => request()?.state === 'merged', { describe: 'it is merged' });
    clock.advance(MOST_OFTEN_MS);
    expect(await look()).toEqual({ asked: [] });
    expect(asked()).toBe(7);
  });

  test('each obstacle is reported with its cure, and nothing is pushed', async () => {
    const cure = `glab auth login --hostname ${gitlab.host}`;
    gitlab.logIn({ token: 'a-revoked-token' });
    expect(await fault()).toEqual(['glab_not_logged_in', expect.stringContaining(cure)]);
    // glab knows the host, as it always knows gitlab.com, but has no login for it. The project is public.
    gitlab.logIn({ token: '' });
    expect(await fault()).toEqual(['glab_not_logged_in', expect.stringContaining(cure)]);
    gitlab.logIn({});

    repository.git('remote', 'set-url', 'origin', `https://${gitlab.host}/acme/none.git`);
    expect(await fault()).toEqual(['glab_failed', expect.stringContaining('your login lacks permission')]);
    repository.git('remote', 'set-url', 'origin', gitlab.address);

    // Nothing listens on this port, but glab has a login for it.
    const gone = `localhost:${await server.world.freePort()}`;
    gitlab.logIn({ token: null, settings: `hosts:\n    ${gone}:\n        token: t\n        api_protocol: https` });
    repository.git('remote', 'set-url', 'origin', `https://${gone}/acme/web/shop.git`);
    expect(await fault()).toEqual(['glab_failed', expect.stringMatching(/could not reach .*connection refused/)]);
    repository.git('remote', 'set-url', 'origin', gitlab.address);
    gitlab.logIn({});
    expect([gitlab.branch('fix/guest-login'), gitlab.requests]).toEqual(['', []]);
  });

  test('glab sends nothing to a host that it has no login for, not even a token for all hosts', async () => {
    gitlab.logIn({ token: null, settings: `token: ${TOKEN}` });
    Object.assign(server.world.env, { GITLAB_TOKEN: TOKEN });
    const [code, text] = await fault();
    expect(code).toMatch(/^(gh|glab)_not_logged_in$/);
    expect(text).toContain(`glab auth login --hostname ${gitlab.host}`);
    // gh has asked without a token.
    expect(gitlab.calls.filter((call) => !call.startsWith('GET /api/v3/'))).toEqual([]);
    expect([...gitlab.tokens]).toEqual([]);
  });

  test('a missing program is named, with the way to install it', async () => {
    only('git');
    expect(await fault()).toEqual(['gh_not_found', expect.stringContaining('glab auth login')]);
    gitlab.logIn({ token: null });
    only('git', 'glab');
    expect(await fault()).toEqual(['glab_not_logged_in', expect.stringContaining('install gh (https:')]);
  });
});
