import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../../src/protocol/index.ts';
import { statusOf, WAITS_FOR_INPUT, WAITS_FOR_PERMISSION } from '../../cli/some-questions.ts';
import { type FacesUnderTest, startFaces } from '../../harness/faces.ts';
import { createRepository } from '../../harness/git-repository.ts';
import { callRoute } from '../../harness/rest.ts';
import { SINCE } from '../../harness/some-session.ts';
import { waitFor } from '../../harness/wait-for.ts';

const DEAD = { state: 'dead', status: statusOf({ primary: 'dead', detail: null, health: 'DEAD' }) } as const;

let server: FacesUnderTest;
beforeEach(async () => {
  server = await startFaces();
});
afterEach(() => server[Symbol.asyncDispose]());

const list = async (query: Record<string, string> = {}): Promise<string[]> =>
  ((await callRoute(server, 'listSessions', { query })).json() as Session[]).map(({ slug }) => slug);
const read = async (slug: string): Promise<Session> =>
  (await callRoute(server, 'getSession', { params: { slug } })).json() as Session;
const tag = (slug: string, body: object) => callRoute(server, 'tagSession', { params: { slug }, body });
const archive = (slug: string) => callRoute(server, 'archiveSession', { params: { slug } });
const unarchive = (slug: string) => callRoute(server, 'unarchiveSession', { params: { slug } });

describe('tags', () => {
  test('are reported to every client, select sessions, and survive a rename and a new server', async () => {
    for (const slug of ['AUTH', 'DOCS', 'REST']) server.sessions.add(slug);
    const page = await server.connectStream();
    await page.next('sessions');
    expect((await tag('AUTH', { add: ['night', 'web'] })).json()).toMatchObject({ tags: ['night', 'web'] });
    expect((await page.next('session_updated')).session).toMatchObject({ slug: 'AUTH', tags: ['night', 'web'] });
    await tag('DOCS', { add: ['night'] });
    expect(await list({ tag: 'night' })).toEqual(['AUTH', 'DOCS']);
    expect(await list({ tag: 'night,web' })).toEqual(['AUTH']);
    await callRoute(server, 'patchSession', { params: { slug: 'AUTH' }, body: { slug: 'LOGIN' } });
    await server.stop();
    await server.startAgain();
    expect(await list({ tag: 'night' })).toEqual(['DOCS', 'LOGIN']);
    await tag('LOGIN', { remove: ['night'], add: ['day'] });
    expect((await read('LOGIN')).tags).toEqual(['web', 'day']);
  });

  test.each([[{ add: ['-old'] }], [{ add: ['a b'] }], [{}], [{ add: [] }], [{ tags: ['a'] }]])(
    '%j is refused, and changes nothing',
    async (body) => {
      server.sessions.add('AUTH');
      expect((await tag('AUTH', body)).status).toBe(422);
      expect((await read('AUTH')).tags).toEqual([]);
    },
  );

  test('a new session has them at once, and a broadcast reaches the sessions that have them', async () => {
    const body = { slug: 'NEW', path: server.world.dir, tags: ['night'] };
    expect((await callRoute(server, 'createSession', { body })).json()).toMatchObject({ tags: ['night'] });
    server.sessions.add('OTHER');
    const sent = await callRoute(server, 'broadcast', { body: { text: 'stop', tags: ['night'] } });
    expect((sent.json() as { session: string }[]).map(({ session }) => session)).toEqual(['NEW']);
    const both = { text: 'stop', tags: ['night'], all: true };
    expect((await callRoute(server, 'broadcast', { body: both })).status).toBe(422);
  });
});

describe('the repository of a session', () => {
  test('is known as soon as the session is created, is the same for all worktrees, and follows its path', async () => {
    const repository = createRepository(server.world, 'shop');
    repository.write('a.txt', 'a');
    repository.commit();
    const aside = join(server.world.dir, 'aside');
    repository.git('worktree', 'add', '--quiet', aside);
    const made = await callRoute(server, 'createSession', { body: { slug: 'MAIN', path: repository.dir } });
    expect(made.json()).toMatchObject({ repository: repository.dir });
    server.sessions.add('ASIDE', { path: aside });
    await waitFor(async () => (await list({ repo: 'shop' })).length === 2, { describe: 'both are of one repository' });
    expect(await list({ repo: aside })).toEqual(['ASIDE']);
    const other = join(server.world.dir, 'other');
    mkdirSync(other);
    const { dir } = createRepository(server.world, 'other');
    await callRoute(server, 'setPath', { params: { slug: 'ASIDE' }, body: { path: dir } });
    await waitFor(async () => (await read('ASIDE')).repository === dir, { describe: 'its repository follows' });
  });

  test('that it creates during a turn is found when the turn ends', async () => {
    const path = join(server.world.dir, 'fresh');
    mkdirSync(path);
    server.sessions.add('AUTH', { path });
    createRepository(server.world, 'fresh');
    server.sessions.change('AUTH', WAITS_FOR_INPUT);
    await waitFor(async () => (await read('AUTH')).repository === path, { describe: 'the repository is seen' });
  });
});

describe('an archived session', () => {
  const counts = async (): Promise<unknown> => (await callRoute(server, 'countSessions')).json();

  test('is in no list and no count of any face, and is still available by its name', async () => {
    server.sessions.add('AUTH', { ...DEAD });
    server.sessions.add('DOCS');
    const page = await server.connectStream();
    await page.next('sessions');
    expect((await archive('AUTH')).json()).toMatchObject({ slug: 'AUTH' });
    expect(await page.next('session_removed')).toEqual({ type: 'session_removed', session: 'AUTH', archived: true });
    expect(await list()).toEqual(['DOCS']);
    expect(await list({ archived: 'true' })).toEqual(['AUTH']);
    expect(await counts()).toMatchObject({ total: 1, by_attention: { stopped: 0 } });
    expect((await callRoute(server, 'health')).json()).toMatchObject({ sessions: 1 });
    expect((await read('AUTH')).archived_at).not.toBeNull();
    expect((await callRoute(server, 'history', { params: { slug: 'AUTH' } })).status).toBe(200);
    const later = await server.connectStream();
    expect((await later.next('sessions')).sessions.map(({ slug }) => slug)).toEqual(['DOCS']);
    expect((await later.next('available_streams')).sessions).toEqual(['DOCS']);
  });

  test('stays archived for a new server, and is listed again as before', async () => {
    server.sessions.add('AUTH', { ...DEAD });
    await tag('AUTH', { add: ['night'] });
    await archive('AUTH');
    await server.stop();
    await server.startAgain();
    expect(await list()).toEqual([]);
    const page = await server.connectStream();
    await page.next('sessions');
    await unarchive('AUTH');
    expect((await page.next('session_added')).session).toMatchObject({ slug: 'AUTH', tags: ['night'] });
    expect(await list()).toEqual(['AUTH']);
  });

  test('that is started again is listed automatically: a running session is never hidden', async () => {
    server.sessions.add('AUTH', { ...DEAD });
    await archive('AUTH');
    await callRoute(server, 'restartSession', { params: { slug: 'AUTH' } });
    expect(await list()).toEqual(['AUTH']);
    expect((await read('AUTH')).archived_at).toBeNull();
  });

  test('that is parked gets no broadcast, and is listed again when it is woken', async () => {
    server.sessions.add('AUTH', { ...WAITS_FOR_INPUT, parked_at: SINCE });
    server.sessions.add('DOCS');
    await archive('AUTH');
    const sent = await callRoute(server, 'broadcast', { body: { text: 'hello', all: true } });
    expect((sent.json() as { session: string }[]).map(({ session }) => session)).toEqual(['DOCS']);
    await callRoute(server, 'wakeSession', { params: { slug: 'AUTH' } });
    expect(await list()).toContain('AUTH');
  });

  test('that was lost is not brought back with the others', async () => {
    server.sessions.add('AUTH', { ...DEAD, lost: 'reboot' });
    server.sessions.add('DOCS', { ...DEAD, lost: 'reboot' });
    await archive('AUTH');
    const { sessions } = (await callRoute(server, 'restore', { body: { dry_run: true } })).json() as {
      sessions: { session: string }[];
    };
    expect(sessions.map(({ session }) => session)).toEqual(['DOCS']);
  });

  test('keeps its name: a new session cannot take it, and the error explains where it is', async () => {
    server.sessions.add('AUTH', { ...DEAD });
    await archive('AUTH');
    const answer = await callRoute(server, 'createSession', { body: { slug: 'AUTH', path: server.world.dir } });
    expect(answer.status).toBe(409);
    expect(answer.json()).toMatchObject({ error: { code: 'slug_taken', hint: expect.stringContaining('unarchive') } });
    await callRoute(server, 'deleteSession', { params: { slug: 'AUTH' } });
    expect(await list({ archived: 'true' })).toEqual([]);
  });

  test('a running one is refused, with the ways to end it', async () => {
    server.sessions.add('AUTH', WAITS_FOR_PERMISSION);
    const answer = await archive('AUTH');
    expect(answer.status).toBe(409);
    expect(answer.json()).toMatchObject({
      error: { code: 'session_alive', hint: expect.stringMatching(/cbos stop AUTH.*cbos park AUTH/) },
    });
    expect(await list()).toEqual(['AUTH']);
  });
});
