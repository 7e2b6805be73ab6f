import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Changes, Rewound, Session, Turns } from '../../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces, TOKEN } from '../../harness/faces.ts';
import { createRepository, type TestRepository } from '../../harness/git-repository.ts';
import { someSession } from '../../harness/some-session.ts';
import { waitFor } from '../../harness/wait-for.ts';

let server: FacesUnderTest;
let repository: TestRepository;
let made = 0;
beforeAll(async () => {
  server = await startFaces({ settings: { turns_kept: 2 } });
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(async () => {
  for (const { slug } of server.sessions.list()) await server.sessions.remove(slug);
  repository = createRepository(server.world, `repository-${++made}`);
  repository.write('a.txt', 'one\n');
  repository.commit();
  server.sessions.add('AUTH', { path: repository.dir });
});

const IDLE = someSession('X').status;
type Primary = Session['status']['primary'];
function become(primary: Primary, slug = 'AUTH', detail: Session['status']['detail'] = null): void {
  const since = new Date().toISOString();
  server.sessions.change(slug, { status: { ...IDLE, primary, detail, since } });
}
function prompt(text: string, slug = 'AUTH'): void {
  server.sessions.prompts.set(slug, { at: Date.now(), text });
  become('active', slug);
}
const turns = async (slug = 'AUTH'): Promise<Turns> => (await server.call(`/sessions/${slug}/turns`)).json() as Turns;
const write = (name: string, text: string): void => writeFileSync(join(repository.dir, name), text);
const read = (name: string): string => readFileSync(join(repository.dir, name), 'utf8');
/** Plays a whole turn. The files at its beginning are saved before it changes anything. */
async function turn(text: string, work: () => void, slug = 'AUTH'): Promise<void> {
  prompt(text, slug);
  await turns(slug);
  work();
  become('idle', slug, 'waiting_input');
}
const rewind = (body: object, slug = 'AUTH') => server.call(`/sessions/${slug}/rewind`, { method: 'POST', body });

describe('the turns of a session', () => {
  test('are listed with the words of their prompt and what they changed, even while they run', async () => {
    await turn('Write   the\nb file', () => write('b.txt', 'b\nb\n'));
    prompt('x'.repeat(200));
    const running = (await turns()).turns;
    expect(running).toMatchObject([
      { number: 1, kind: 'turn', prompt: 'Write the b file', files: 1, added: 2, removed: 0 },
      { number: 2, ended_at: null, prompt: `${'x'.repeat(99)}…` },
    ]);
    write('a.txt', 'two\n');
    const now = (await server.call('/sessions/AUTH/changes?turn=last')).json() as Changes;
    expect(now.files.map(({ path }) => path)).toEqual(['a.txt']);
    become('waiting', 'AUTH', 'permission');
    become('stuck');
    become(null);
    become('dead');
    expect((await turns()).turns.map(({ files, ended_at }) => [files, ended_at !== null])).toEqual([
      [1, true],
      [1, true],
    ]);
    const first = (await server.call('/sessions/AUTH/changes?turn=1')).json() as Changes;
    expect(first).toMatchObject({ base: { kind: 'turn', ref: '1' }, total: { files: 1, added: 2, removed: 0 } });
    expect((await server.call('/sessions/AUTH/changes/patch?turn=1&file=b.txt')).text).toContain('+b');
  });

  test('hold the tools of the session until the files are saved, and no longer', async () => {
    prompt('do it');
    expect(server.sessions.held).toBe(1);
    await turns();
    expect(server.sessions.held).toBe(0);
    expect((await turns()).turns).toMatchObject([{ late_ms: 0 }]);
  });

  test('stay with it through a rename, and no other session of its name has them', async () => {
    await turn('one', () => write('b.txt', 'b\n'));
    await server.sessions.patch('AUTH', { slug: 'LOGIN' });
    await turn('two', () => write('c.txt', 'c\n'), 'LOGIN');
    expect((await turns('LOGIN')).turns.map(({ number, ref }) => [number, ref])).toEqual([
      [1, 'refs/cbos/turns/AUTH/1'],
      [2, 'refs/cbos/turns/LOGIN/2'],
    ]);
    server.sessions.add('AUTH', { path: repository.dir });
    expect((await turns('AUTH')).turns).toEqual([]);
    await turn('three', () => write('d.txt', 'd\n'), 'AUTH');
    expect((await turns('AUTH')).turns.map(({ number }) => number)).toEqual([2]);
  });

  test('are kept up to the setting: the oldest are forgotten, which is logged', async () => {
    for (const text of ['one', 'two', 'three', 'four']) await turn(text, () => write('a.txt', `${text}\n`));
    expect((await turns()).turns.map((one) => one.prompt)).toEqual(['three', 'four']);
    expect(server.log.map(({ message }) => message)).toContain('turns beyond the limits were deleted');
    expect((await server.call('/sessions/AUTH/changes?turn=1')).code()).toBe('no_such_turn');
    expect(repository.git('for-each-ref', '--format=%(refname)', 'refs/cbos').trim().split('\n')).toHaveLength(2);
  });

  test('of a server that was stopped in the middle continue with the next one', async () => {
    prompt('long');
    await turns();
    await server.stop();
    write('b.txt', 'b\n');
    await server.startAgain();
    become('idle', 'AUTH', 'waiting_input');
    expect((await turns()).turns).toMatchObject([{ number: 1, prompt: 'long', files: 1 }]);
  });

  test('that could not be saved are reported with the reason, and cost the session nothing', async () => {
    for (const name of ['1', '2', '3', '4', '5', '6']) {
      write(name, '');
      truncateSync(join(repository.dir, name), 49 * 1024 * 1024);
    }
    prompt('do it');
    expect(await turns()).toMatchObject({
      turns: [],
      fault: 'No checkpoint was saved: 308 MB are neither tracked nor ignored',
    });
    expect(server.sessions.held).toBe(0);
  });

  test('do not exist in a folder without a repository, which is an error with its cure', async () => {
    server.sessions.change('AUTH', { path: server.world.dir });
    prompt('do it');
    expect(server.sessions.held).toBe(0);
    expect((await server.call('/sessions/AUTH/turns')).code()).toBe('not_a_repository');
  });
});

describe('a rewind', () => {
  test('restores the files, keeps the former ones, and is undone by its own number', async () => {
    await turn('one', () => write('a.txt', 'two\n'));
    await turn('two', () => write('b.txt', 'b\n'));
    const answer = await rewind({ turn: 1, to: 'begin' });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json()).toMatchObject({
      written: 1,
      deleted: 1,
      left: [],
      saved: { number: 3, kind: 'rewind', prompt: 'rewind to before turn 1', files: 2 },
    });
    expect([read('a.txt'), existsSync(join(repository.dir, 'b.txt'))]).toEqual(['one\n', false]);
    const { saved } = (await rewind({ turn: 3, to: 'begin' })).json() as Rewound;
    expect([read('a.txt'), read('b.txt')]).toEqual(['two\n', 'b\n']);
    expect(saved.number).toBe(4);
    expect((await rewind({ turn: 1, to: 'end' })).status).toBe(200);
    expect([read('a.txt'), existsSync(join(repository.dir, 'b.txt'))]).toEqual(['two\n', false]);
  });

  test('is refused while a turn runs there, of this session or of another, and changes nothing', async () => {
    await turn('one', () => write('a.txt', 'two\n'));
    server.sessions.add('OTHER', { path: join(repository.dir, '.git') });
    become('active', 'OTHER');
    const other = await rewind({ turn: 1, to: 'begin' });
    expect([other.code(), other.text]).toEqual(['already_running', expect.stringContaining('OTHER')]);
    become('idle', 'OTHER', 'waiting_input');
    prompt('two');
    expect((await rewind({ turn: 1, to: 'begin' })).code()).toBe('already_running');
    expect(read('a.txt')).toBe('two\n');
  });

  test.each([
    [{ turn: 9, to: 'begin' }, 'no_such_turn'],
    [{ turn: 0, to: 'begin' }, 'invalid_request'],
    [{ turn: 1, to: 'now' }, 'invalid_request'],
    [{ turn: 1 }, 'invalid_request'],
  ])('%j is %s', async (body, code) => {
    await turn('one', () => write('a.txt', 'two\n'));
    expect((await rewind(body)).code()).toBe(code);
  });

  test.each(['0', 'x', '-1', '1.5', ''])('turn=%s is refused, and so is a base together with a turn', async (word) => {
    expect((await server.call(`/sessions/AUTH/changes?turn=${word}`)).code()).toBe('invalid_request');
    expect((await server.call('/sessions/AUTH/changes?turn=1&base=HEAD')).code()).toBe('invalid_request');
  });
});

describe('a server that ends waits for git', () => {
  async function startWithRepository(): Promise<FacesUnderTest & { own: string }> {
    const ending = await startFaces();
    const { dir, write: writeIn, commit } = createRepository(ending.world, 'repository');
    writeIn('a.txt', 'one\n');
    commit();
    ending.sessions.add('AUTH', { path: dir });
    return { ...ending, own: join(ending.world.cbosHome, 'turns') };
  }
  const isWorking = (own: string) => waitFor(() => existsSync(own), { describe: 'git is at work' });
  const indexes = (own: string) => readdirSync(own).map((name) => existsSync(join(own, name, 'index')));

  test('on behalf of a session that was removed', async () => {
    await using ending = await startWithRepository();
    await isWorking(ending.own);
    await ending.sessions.remove('AUTH');
    await ending.stop();
    expect(indexes(ending.own)).toEqual([true]);
  });

  test('on behalf of a client that disconnected', async () => {
    await using ending = await startWithRepository();
    ending.sessions.change('AUTH', { status: { ...IDLE, primary: 'active', since: new Date().toISOString() } });
    expect((await ending.call('/sessions/AUTH/turns')).json()).toMatchObject({ turns: [{ number: 1 }] });
    rmSync(ending.own, { recursive: true });
    const socket = connect(ending.port, '127.0.0.1');
    socket.write(
      `GET /sessions/AUTH/changes?turn=1 HTTP/1.1\r\nHost: 127.0.0.1:${ending.port}\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`,
    );
    await isWorking(ending.own);
    socket.destroy();
    await ending.stop();
    expect(indexes(ending.own)).toEqual([true]);
  });
});
