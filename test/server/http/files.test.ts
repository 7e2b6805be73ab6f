import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Delivery, ROUTES, type StoredFile } from '../../../src/protocol/index.ts';
import { mountSmallDisk } from '../../faults/harness/disk.ts';
import { type Answered, type FacesUnderTest, startFaces, TOKEN } from '../../harness/faces.ts';
import { callRoute, expectAsDescribed } from '../../harness/rest.ts';
import { waitFor } from '../../harness/wait-for.ts';

const LIMIT = 200_000;

let server: FacesUnderTest;
beforeEach(async () => {
  server = await startFaces({ settings: { max_file_size: LIMIT } });
  server.sessions.add('AUTH');
});
afterEach(() => server[Symbol.asyncDispose]());

async function upload(
  name: string,
  raw: string | Uint8Array,
  { slug = 'AUTH', headers = {} }: { slug?: string; headers?: Record<string, string> } = {},
): Promise<Answered> {
  const answer = await server.call(`/sessions/${slug}/files?name=${encodeURIComponent(name)}`, { raw, headers });
  expectAsDescribed(ROUTES.uploadFile, answer);
  return answer;
}
const store = async (name: string, raw: string | Uint8Array, slug = 'AUTH'): Promise<StoredFile> =>
  (await upload(name, raw, { slug })).json() as StoredFile;
const list = async (slug = 'AUTH'): Promise<StoredFile[]> =>
  (await callRoute(server, 'listFiles', { params: { slug } })).json() as StoredFile[];
const send = (body: unknown): Promise<Answered> => callRoute(server, 'send', { params: { slug: 'AUTH' }, body });
const filesDir = (): string => join(server.world.cbosHome, 'files');
/** Everything that is on the disk, whatever its name. */
const onDisk = (): string[] =>
  existsSync(filesDir())
    ? readdirSync(filesDir(), { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/'))
    : [];
const settled = () => waitFor(() => onDisk().length === 0, { describe: 'nothing is left', actual: onDisk });

describe('a stored file', () => {
  test('has its bytes, a safe name, a private copy, and a place in the list', async () => {
    const bytes = randomBytes(150_000);
    const file = await store('My shot (1).png', bytes, 'AUTH');
    expect(file).toMatchObject({ name: 'My-shot-1.png', size: 150_000, type: 'image/png' });
    expect(readFileSync(file.path).equals(bytes)).toBe(true);
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file.path)).mode & 0o777).toBe(0o700);
    expect(file.path).toMatch(/\/files\/[\w-]+\/[0-9a-f]{8}-My-shot-1\.png$/);
    const other = await store('b.txt', 'b');
    expect(await list()).toEqual([file, other]);
    expect(onDisk()).toHaveLength(2);
  });

  test('is served as a download, whatever it contains', async () => {
    const page = '<script>alert(1)</script>';
    const { id } = await store('page.html', page);
    const answer = await callRoute(server, 'readFile', { params: { slug: 'AUTH', id } });
    expect(answer.text).toBe(page);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="page.html"`,
      'x-content-type-options': 'nosniff',
    });
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    const head = await server.call(`/sessions/AUTH/files/${id}`, { method: 'HEAD' });
    expect([head.headers['content-length'], head.text]).toEqual([String(page.length), '']);
  });

  test('is deleted on request, and then is no longer there', async () => {
    const file = await store('a.txt', 'a');
    const params = { slug: 'AUTH', id: file.id };
    expect((await callRoute(server, 'removeFile', { params })).json()).toEqual(file);
    expect(existsSync(file.path)).toBe(false);
    expect((await callRoute(server, 'removeFile', { params })).code()).toBe('file_not_stored');
    expect((await callRoute(server, 'readFile', { params })).code()).toBe('file_not_stored');
    expect(await list()).toEqual([]);
  });

  test('belongs to its session: it follows a rename, and no other session has it', async () => {
    server.sessions.add('OTHER');
    const file = await store('a.txt', 'a');
    await callRoute(server, 'patchSession', { params: { slug: 'AUTH' }, body: { slug: 'LOGIN' } });
    expect(await list('LOGIN')).toEqual([file]);
    for (const name of ['readFile', 'removeFile'] as const) {
      expect((await callRoute(server, name, { params: { slug: 'OTHER', id: file.id } })).code()).toBe(
        'file_not_stored',
      );
    }
    const answer = await callRoute(server, 'send', {
      params: { slug: 'OTHER' },
      body: { text: 'x', files: [file.id] },
    });
    expect(answer.code()).toBe('file_not_stored');
  });

  test('goes with its session', async () => {
    server.sessions.add('OTHER');
    const kept = await store('b.txt', 'b', 'OTHER');
    await store('a.txt', 'a');
    await callRoute(server, 'deleteSession', { params: { slug: 'AUTH' } });
    expect(onDisk()).toEqual([kept.path.slice(filesDir().length + 1)]);
  });
});

describe('an upload', () => {
  test.each([
    '../../../etc/passwd',
    '/etc/passwd',
    'a\0b',
    'a\nb: c',
    '\u202Egnp.exe',
    'x'.repeat(900),
    '%2e%2e%2f',
    '"; rm -rf /',
    '.part',
    '',
  ])('under the name %j stays in the directory of its session', async (name) => {
    const file = await store(name, 'content');
    expect(file.name).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]{0,70}$/);
    expect(dirname(file.path)).toBe(join(filesDir(), server.sessions.idOf('AUTH')));
    expect(await list()).toEqual([file]);
  });

  test('is refused beyond the limit, whether or not its length is announced, and leaves nothing', async () => {
    const raw = randomBytes(LIMIT + 1);
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
      const answer = await upload('big.bin', raw, { headers });
      expect([answer.status, answer.code()]).toEqual([413, 'file_too_large']);
      expect(answer.text).toContain('200,000');
      expect(answer.text.includes('200,001')).toBe(!('transfer-encoding' in headers));
    }
    expect(onDisk()).toEqual([]);
    expect((await upload('fits.bin', raw.subarray(0, LIMIT))).status).toBe(201);
  });

  test.each([
    ['big.bin', 'AUTH', 'file_too_large'],
    ['big.bin', 'NONE', 'no_such_session'],
    ['x'.repeat(2_000), 'AUTH', 'invalid_request'],
  ])('of many times the limit gets the error, not a broken connection (%#)', async (name, slug, code) => {
    for (const headers of [{}, { connection: 'close' }]) {
      expect((await upload(name, Buffer.alloc(60 * LIMIT), { slug, headers })).code()).toBe(code);
    }
  });

  test('is refused at once if its announced length is beyond the limit, and the connection is closed', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes;
    });
    await once(socket, 'connect');
    const head = `host: 127.0.0.1:${server.port}\r\nauthorization: Bearer ${TOKEN}\r\ncontent-length: 3000000000`;
    socket.write(`POST /sessions/AUTH/files?name=huge.iso HTTP/1.1\r\n${head}\r\n\r\n`);
    await waitFor(() => received.endsWith('}'), { describe: 'the answer has arrived', actual: () => received });
    expect(received).toMatch(/^HTTP\/1\.1 413 /);
    expect(received).toContain('3,000,000,000 bytes, and the server accepts at most 200,000');
    expect(existsSync(filesDir())).toBe(false);
    // A client that sends regardless of the answer cannot send all of it.
    let sent = 0;
    const part = Buffer.alloc(1_000_000);
    for (; !socket.destroyed && sent < 300_000_000; sent += part.length) {
      await new Promise<unknown>((resolve) => socket.write(part, resolve));
    }
    expect(sent).toBeLessThan(300_000_000);
  });

  test('may be larger than any other body', async () => {
    await server[Symbol.asyncDispose]();
    server = await startFaces({ settings: { max_file_size: 10_000_000 } });
    server.sessions.add('AUTH');
    expect(await store('big.bin', Buffer.alloc(6_000_000))).toMatchObject({ size: 6_000_000 });
  });

  test.each(['content-length: 100000', 'transfer-encoding: chunked'])(
    'that breaks off (%s) leaves nothing',
    async (length) => {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      const head = [
        'POST /sessions/AUTH/files?name=a.png HTTP/1.1',
        `host: 127.0.0.1:${server.port}`,
        `authorization: Bearer ${TOKEN}`,
      ];
      const part = length.includes('chunked') ? `4000\r\n${'x'.repeat(0x4000)}\r\n` : 'x'.repeat(0x4000);
      socket.write(`${[...head, length].join('\r\n')}\r\n\r\n${part}`);
      await waitFor(() => onDisk().length === 1, { describe: 'a part is written', actual: onDisk });
      expect(onDisk()[0]).toMatch(/\/\.[^/]+$/);
      expect(await list()).toEqual([]);
      socket.destroy();
      await settled();
      expect(await list()).toEqual([]);
    },
  );

  test('without bytes is refused', async () => {
    expect((await upload('empty.txt', '')).code()).toBe('invalid_request');
    expect(onDisk()).toEqual([]);
  });

  test('at the same time as others, and with the same name, becomes a file of its own', async () => {
    const contents = Array.from({ length: 8 }, (_, at) => String(at).repeat(50_000));
    const files = await Promise.all(contents.map((content) => store('same.txt', content)));
    expect(new Set(files.map(({ path }) => path)).size).toBe(8);
    expect(files.map(({ path }) => readFileSync(path, 'utf8'))).toEqual(contents);
  });

  test('is refused once a session has a hundred files, also if many come at once', async () => {
    const answers = await Promise.all(Array.from({ length: 103 }, (_, at) => upload(`${at}.txt`, 'x')));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(100);
    expect(answers.find(({ status }) => status !== 201)?.code()).toBe('too_many_files');
    expect(await list()).toHaveLength(100);
  });

  test('to a session that is not there is refused before anything is stored', async () => {
    expect((await upload('a.txt', 'a', { slug: 'NONE' })).code()).toBe('no_such_session');
    for (const name of ['listFiles', 'readFile', 'removeFile'] as const) {
      expect((await callRoute(server, name, { params: { slug: 'NONE', id: 'x' } })).code()).toBe('no_such_session');
    }
    expect(existsSync(filesDir())).toBe(false);
  });

  test('on a full disk is refused as such, leaves nothing, and works again afterwards', async (context) => {
    const disk = mountSmallDisk(server.world, filesDir(), '1m');
    if (disk === null) return context.skip('nothing may be mounted here');
    await store('first.txt', 'a');
    disk.fill();
    const answer = await upload('shot.png', randomBytes(100_000));
    expect([answer.status, answer.code()]).toEqual([507, 'disk_full']);
    expect(onDisk()).toHaveLength(1);
    disk.free();
    expect((await upload('shot.png', randomBytes(100_000))).status).toBe(201);
  });

  test('needs the token', async () => {
    const answer = await server.call('/sessions/AUTH/files?name=a', { raw: 'a', token: null });
    expect([answer.status, onDisk()]).toEqual([401, []]);
  });

  test('to a home whose path Claude Code cannot read in a mention is refused with the cure', async () => {
    await server[Symbol.asyncDispose]();
    server = await startFaces();
    const home = join(server.world.cbosHome, 'my home');
    mkdirSync(home);
    await server[Symbol.asyncDispose]();
    server = await startFaces({ settings: { home } });
    server.sessions.add('AUTH');
    const answer = await upload('a.txt', 'a');
    expect(answer.code()).toBe('files_unavailable');
    expect(answer.text).toContain('CBOS_HOME');
  });
});

describe('a prompt with files', () => {
  test('mentions each by its path, after the text', async () => {
    const [shot, log] = [await store('shot.png', 'p'), await store('test.log', 'l')];
    const delivery = (await send({ text: 'why?', files: [shot.id, log.id, shot.id] })).json() as Delivery;
    expect(delivery.text).toBe(`why?\n\n@${shot.path}\n@${log.path}`);
  });

  test('needs no text', async () => {
    const shot = await store('shot.png', 'p');
    expect(((await send({ files: [shot.id] })).json() as Delivery).text).toBe(`@${shot.path}`);
    for (const body of [{}, { text: '' }, { files: [] }, { text: '', files: [] }]) {
      expect((await send(body)).code()).toBe('invalid_request');
    }
  });

  test('is one delivery under one key', async () => {
    const { id } = await store('shot.png', 'p');
    const body = { text: 'why?', files: [id], idempotency_key: 'k' };
    const [first, second] = [await send(body), await send(body)];
    expect(first.json()).toEqual(second.json());
  });

  test('is refused if a file was deleted in between, or was never there, and nothing is sent', async () => {
    const file = await store('shot.png', 'p');
    rmSync(file.path);
    for (const id of [file.id, 'ffffffff', '../x', '']) {
      expect(['file_not_stored', 'invalid_request']).toContain((await send({ text: 'x', files: [id] })).code());
    }
    expect((await callRoute(server, 'listDeliveries', { params: { slug: 'AUTH' } })).json()).toEqual([]);
  });

  test('keeps its files until the session has read it', async () => {
    const file = await store('shot.png', 'p');
    const held = (await send({ text: 'later', files: [file.id], queue: true })).json() as Delivery;
    expect(held.status).toBe('queued');
    const params = { slug: 'AUTH', id: file.id };
    expect((await callRoute(server, 'removeFile', { params })).code()).toBe('file_in_use');
    expect(existsSync(file.path)).toBe(true);
    await callRoute(server, 'cancelDelivery', { params: { slug: 'AUTH', id: held.id } });
    expect((await callRoute(server, 'removeFile', { params })).status).toBe(200);
  });
});

test('a file stays during a turn, because the text that mentions it may be in the queue of Claude Code', async () => {
  const file = await store('shot.png', 'p');
  expect(((await send({ text: 'x', files: [file.id] })).json() as Delivery).status).toBe('delivered');
  const { status } = server.sessions.get('AUTH');
  const params = { slug: 'AUTH', id: file.id };
  server.sessions.change('AUTH', { status: { ...status, primary: 'active', detail: 'using_tools' } });
  expect((await callRoute(server, 'removeFile', { params })).code()).toBe('file_in_use');
  const other = await store('other.png', 'p');
  expect((await callRoute(server, 'removeFile', { params: { ...params, id: other.id } })).status).toBe(200);
  server.sessions.change('AUTH', { status });
  expect((await callRoute(server, 'removeFile', { params })).status).toBe(200);
});

test('a server that starts removes what a killed server was writing, and keeps the rest', async () => {
  const file = await store('a.txt', 'a');
  await server.stop();
  const unfinished = join(dirname(file.path), '.00000000-b.txt');
  writeFileSync(unfinished, 'half');
  await server.startAgain();
  await waitFor(() => !existsSync(unfinished), { describe: 'the part is removed' });
  expect(await list()).toEqual([file]);
  utimesSync(file.path, 0, 0);
  expect((await list())[0]?.added_at).toBe('1970-01-01T00:00:00.000Z');
});
