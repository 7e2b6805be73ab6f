import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ChangeCounts, Session } from '../../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces } from '../../harness/faces.ts';
import { createRepository, type TestRepository } from '../../harness/git-repository.ts';
import { ManualClock } from '../../harness/manual-clock.ts';
import { someSession } from '../../harness/some-session.ts';
import { waitFor } from '../../harness/wait-for.ts';

let server: FacesUnderTest;
let clock: ManualClock;
let repository: TestRepository;
let made = 0;
beforeAll(async () => {
  clock = new ManualClock();
  server = await startFaces({ settings: { turn_checkpoints: false }, clock });
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  for (const { slug } of server.sessions.list()) await server.sessions.remove(slug);
  repository = createRepository(server.world, `repository-${++made}`);
  repository.write('a.txt', 'one\n');
  repository.commit();
});

const IDLE = someSession('X').status;
function become(primary: Session['status']['primary'], detail: Session['status']['detail'] = null, slug = 'AUTH') {
  server.sessions.change(slug, { status: { ...IDLE, primary, detail } });
}
async function countsOf(slug = 'AUTH'): Promise<ChangeCounts | undefined> {
  return ((await server.call(`/sessions/${slug}`)).json() as Session).changes;
}
async function expectCounts(expected: readonly number[] | null, slug = 'AUTH'): Promise<void> {
  let last: unknown;
  await waitFor(
    async () => {
      const found = await countsOf(slug);
      last = found;
      const seen = found === undefined ? null : [found.files, found.added, found.removed];
      return JSON.stringify(seen) === JSON.stringify(expected);
    },
    { describe: `${slug} has the counts ${JSON.stringify(expected)}`, actual: () => last },
  );
}

describe('the changes of a session', () => {
  test('are counted when it is listed, after each turn and after a tool: committed, staged, unstaged, untracked', async () => {
    repository.git('checkout', '--quiet', '-b', 'task');
    repository.write('b.txt', 'b\nb\n');
    repository.commit();
    server.sessions.add('AUTH', { path: repository.dir });
    await expectCounts([1, 2, 0]);
    become('active', 'thinking');
    repository.write('staged.txt', 's\n');
    repository.git('add', 'staged.txt');
    become('idle', 'waiting_input');
    await expectCounts([2, 3, 0]);
    become('active', 'using_tools');
    repository.write('a.txt', 'two\n');
    repository.write('new.txt', 'n\n');
    become('active', 'thinking');
    clock.advance(5_000);
    await expectCounts([4, 5, 1]);
    expect((await countsOf())?.base).toMatchObject({ kind: 'started_from', ref: 'main' });
  });

  test('reach every face: the list, /ws and /ws/stream, and no count is repeated without a change', async () => {
    const socket = await server.connectStream();
    const lists = await server.connectSessions();
    repository.write('b.txt', 'b\n');
    server.sessions.add('AUTH', { path: repository.dir });
    const reported = () => socket.of('session_updated').flatMap(({ session }) => session.changes ?? []);
    await waitFor(() => reported().length > 0, { describe: 'a frame has the counts' });
    expect(reported()[0]).toMatchObject({ files: 1, added: 1, removed: 0 });
    await waitFor(
      () => {
        clock.advance(250);
        return lists.of('refresh').some((frame) => frame.sessions[0]?.changes?.files === 1);
      },
      { describe: 'a refresh shows the counts' },
    );
    const listed = (await server.call('/sessions')).json() as Session[];
    expect(listed.map(({ changes }) => changes?.files)).toEqual([1]);
    become('active', 'thinking');
    become('idle', 'waiting_input');
    repository.write('c.txt', 'c\n');
    become('active', 'thinking');
    become('idle', 'waiting_input');
    await expectCounts([2, 2, 0]);
    await waitFor(() => reported().length > 1, { describe: 'a frame has the new counts' });
    expect(reported().map(({ files }) => files)).toEqual([1, 2]);
  });

  test('are counted with what a client requests, and shared by sessions in the same folder', async () => {
    server.sessions.add('AUTH', { path: repository.dir });
    server.sessions.add('DOCS', { path: repository.dir });
    await expectCounts([0, 0, 0]);
    repository.write('b.txt', 'b\n');
    await server.call('/sessions/AUTH/changes?base=main');
    await expectCounts([0, 0, 0]);
    await server.call('/sessions/AUTH/changes');
    await expectCounts([1, 1, 0]);
    await expectCounts([1, 1, 0], 'DOCS');
  });

  test('follow the session through a rename and into another folder', async () => {
    server.sessions.add('AUTH', { path: repository.dir });
    repository.write('b.txt', 'b\n');
    await expectCounts([1, 1, 0]);
    await server.sessions.patch('AUTH', { slug: 'LOGIN' });
    await expectCounts([1, 1, 0], 'LOGIN');
    const other = createRepository(server.world, `repository-${++made}`);
    server.sessions.change('LOGIN', { path: other.dir });
    expect(await countsOf('LOGIN')).toBeUndefined();
    await expectCounts([0, 0, 0], 'LOGIN');
  });

  test('have no figure outside of a repository, in a folder that is gone, and if git fails', async () => {
    server.sessions.add('PLAIN', { path: server.world.dir });
    server.sessions.add('NOWHERE', { path: null });
    server.sessions.add('AUTH', { path: repository.dir });
    await expectCounts([0, 0, 0]);
    repository.write('.git/index', 'no index');
    become('active', 'thinking');
    become('idle', 'waiting_input');
    await expectCounts(null);
    rmSync(join(repository.dir, '.git/index'));
    repository.git('read-tree', 'HEAD');
    become('active', 'thinking');
    become('idle', 'waiting_input');
    await expectCounts([0, 0, 0]);
    rmSync(repository.dir, { recursive: true });
    become('active', 'thinking');
    become('idle', 'waiting_input');
    await expectCounts(null);
    expect(await countsOf('PLAIN')).toBeUndefined();
    expect(await countsOf('NOWHERE')).toBeUndefined();
  });

  test('have no figure as soon as the repository is gone, and every face hears of it', async () => {
    const socket = await server.connectStream();
    const last = () => socket.of('session_updated').at(-1)?.session;
    repository.write('b.txt', 'b\n');
    server.sessions.add('AUTH', { path: repository.dir });
    await waitFor(() => last()?.changes?.files === 1, { describe: 'a frame has the counts' });
    rmSync(join(repository.dir, '.git'), { recursive: true });
    expect(await countsOf()).toBeUndefined();
    const refused = await server.call('/sessions/AUTH/changes');
    expect(refused.json()).toMatchObject({ error: { code: 'not_a_repository' } });
    expect(JSON.stringify(refused.json())).toContain(repository.dir);
    await waitFor(() => last() !== undefined && last()?.changes === undefined, { describe: 'a frame has no counts' });
  });

  test('are not those of the main checkout if a worktree in it has lost its .git file', async () => {
    const path = join(repository.dir, '.claude/worktrees/TASK');
    repository.git('worktree', 'add', '--quiet', path, '-b', 'task');
    const worktree = { path, repository: repository.dir, branch: 'task', base: null, new_branch: true, left_out: [] };
    server.sessions.add('AUTH', { path, worktree });
    server.sessions.add('MOVED', { path: repository.dir, place: path });
    await expectCounts([0, 0, 0]);
    await expectCounts([0, 0, 0], 'MOVED');
    rmSync(join(path, '.git'));
    repository.write('b.txt', 'b\n');
    for (const slug of ['AUTH', 'MOVED']) {
      become('active', 'thinking', slug);
      become('idle', 'waiting_input', slug);
    }
    await expectCounts(null);
    await expectCounts(null, 'MOVED');
  });

  test('have no figure if there are more untracked files than are compared', async () => {
    for (let at = 0; at <= 2_000; at++) repository.write(`new/${at}.txt`, '');
    server.sessions.add('AUTH', { path: repository.dir });
    const { left_out } = (await server.call('/sessions/AUTH/changes')).json() as { left_out: { untracked: number } };
    expect(left_out.untracked).toBe(1);
    expect(await countsOf()).toBeUndefined();
  });
});
