import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../../src/protocol/index.ts';
import { type FacesUnderTest, startFaces, TOKEN } from '../../harness/faces.ts';
import { callRoute } from '../../harness/rest.ts';
import { someSession } from '../../harness/some-session.ts';
import { asking } from '../../harness/some-sessions.ts';

let server: FacesUnderTest;
beforeEach(async () => {
  server = await startFaces();
});
afterEach(() => server[Symbol.asyncDispose]());

const { status } = someSession('X');
const WAITING: Partial<Session> = { state: 'waiting', status: { ...status, primary: 'idle', detail: 'waiting_input' } };
const QUESTION = asking();

describe('sessions', () => {
  const at = (second: number): string => `2026-11-20T15:04:${String(second).padStart(2, '0')}.000Z`;
  const slugs = async (path: string) => ((await server.call(path)).json() as Session[]).map(({ slug }) => slug);
  beforeEach(() => {
    server.sessions.add('READY');
    server.sessions.add('LATER', { ...QUESTION, status: { ...status, ...QUESTION.status, since: at(30) } });
    server.sessions.add('BUSY', { state: 'working', status: { ...status, primary: 'active', detail: 'using_tools' } });
    server.sessions.add('FIRST', { ...WAITING, status: { ...status, ...WAITING.status, since: at(10) } });
    server.sessions.add('STUCK', { state: 'thinking', status: { ...status, primary: 'stuck', detail: null } });
  });

  test('are listed in the order of their creation', async () => {
    expect(await slugs('/sessions')).toEqual(['READY', 'LATER', 'BUSY', 'FIRST', 'STUCK']);
  });

  test.each([
    ['waiting', ['LATER', 'FIRST']],
    ['ready', ['READY', 'FIRST']],
    ['stuck', ['STUCK']],
    ['thinking', ['STUCK']],
    ['waiting/permission', ['LATER']],
    ['active', ['BUSY']],
    ['active/', ['BUSY']],
    ['dead', []],
  ])('?state=%s selects', async (state, expected) => {
    expect(await slugs(`/sessions?state=${encodeURIComponent(state)}`)).toEqual(expected);
  });

  test('an unknown state is refused with the list of states', async () => {
    for (const query of ['state=sleeping', 'state=', 'state=idle/permission', 'state=idle&state=dead', 'status=idle']) {
      const answer = await server.call(`/sessions?${query}`);
      expect(answer.status, query).toBe(422);
      expect(answer.code()).toBe('invalid_request');
    }
    expect((await server.call('/sessions?state=sleeping')).text).toContain('waiting/permission');
  });

  test('those that wait come first, with the longest first', async () => {
    expect(await slugs('/sessions/waiting')).toEqual(['FIRST', 'LATER']);
  });

  test('are counted by state, with a number for every state', async () => {
    const counts = { waiting: 2, thinking: 1, working: 1, idle: 1, error: 0, dead: 0, unknown: 0 };
    expect((await server.call('/sessions/status')).json()).toMatchObject({
      total: 5,
      by_state: counts,
      by_attention: { needs_you: 2, done: 1, working: 1, new: 1, snoozed: 0, unknown: 0, stopped: 0 },
    });
  });

  test('a refused prompt carries the open question', async () => {
    const answer = await callRoute(server, 'send', { params: { slug: 'LATER' }, body: { text: 'hello' } });
    expect(answer.status).toBe(409);
    expect(answer.json()).toMatchObject({ error: { code: 'not_accepting_text', question: { id: 'q1' } } });
  });
});

describe('an invalid request is refused with 422 and the field, and nothing changes', () => {
  test.each([
    ['no body', undefined, /body/],
    ['no path', { slug: 'A' }, /body\.path/],
    ['an unknown field', { slug: 'A', path: '/tmp', colour: 'red' }, /unknown field "colour"/],
    ['a wrong type', { slug: 1, path: '/tmp' }, /body\.slug/],
    ['a size that no terminal has', { slug: 'A', path: '/tmp', cols: 3 }, /body\.cols/],
    ['an invalid variable', { slug: 'A', path: '/tmp', env: { 'A B': 'x' } }, /body\.env\.A B/],
    ['a list', [], /body/],
    ['null', null, /body/],
    ['an unknown type', { slug: 'A', path: '/tmp', type: 'shell' }, /body\.type/],
  ])('%s', async (_, body, message) => {
    const answer = await callRoute(server, 'createSession', { body });
    expect(answer.status).toBe(422);
    expect(answer.code()).toBe('invalid_request');
    expect(answer.json()).toMatchObject({ error: { message: expect.stringMatching(message) } });
    expect(server.sessions.created).toEqual([]);
  });

  test.each(['', '../x', '-X', 'a\nb', '$(id)', 'x'.repeat(200), 'status', 'a b', 'AUTH\u0000', 'é'])(
    'the slug %j is refused by the rule for slugs',
    async (slug) => {
      expect((await callRoute(server, 'createSession', { body: { slug, path: '/tmp' } })).code()).toBe('invalid_slug');
      expect(server.sessions.created).toEqual([]);
    },
  );

  test.each([
    ['broken JSON', '{"slug": "A",', 'application/json', 'valid JSON'],
    ['JSON as text', '{"slug":"A","path":"/tmp"}', 'text/plain', 'Content-Type'],
    ['a form', 'slug=A&path=/tmp', 'application/x-www-form-urlencoded', 'Content-Type'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0xfe]), 'application/json', 'valid JSON'],
  ])('%s', async (_, raw, type, message) => {
    const answer = await server.call('/sessions', { raw, headers: { 'content-type': type } });
    expect(answer.status).toBe(422);
    expect(answer.code()).toBe('invalid_request');
    expect(answer.text).toContain(message);
    expect(server.sessions.created).toEqual([]);
  });

  test('a body without a content type', async () => {
    expect((await server.call('/sessions', { raw: '{"slug":"A","path":"/tmp"}' })).code()).toBe('invalid_request');
  });

  test('JSON with a charset is accepted', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect((await server.call('/sessions', { raw: '{"slug":"A","path":"/tmp"}', headers })).status).toBe(201);
  });

  test('a field named like a property of every object is as unknown as any other', async () => {
    const raw = '{"slug":"A","path":"/tmp","__proto__":{"type":"json"},"constructor":1}';
    const answer = await server.call('/sessions', { raw, headers: { 'content-type': 'application/json' } });
    expect(answer.code()).toBe('invalid_request');
  });

  test('an empty answer, a broadcast to nobody or to two kinds of sessions', async () => {
    server.sessions.add('AUTH', QUESTION);
    expect((await callRoute(server, 'answer', { params: { slug: 'AUTH' }, body: {} })).code()).toBe('invalid_request');
    for (const body of [{ text: 'x' }, { text: 'x', all: true, slugs: ['AUTH'] }]) {
      expect((await callRoute(server, 'broadcast', { body })).code()).toBe('invalid_request');
    }
  });

  test('a body in pieces, without its length, is accepted', async () => {
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
    expect((await server.call('/sessions', { raw: '{"slug":"A","path":"/tmp"}', headers })).status).toBe(201);
  });

  test('a body beyond the limit, whether or not its length is announced', async () => {
    server.sessions.add('AUTH');
    const raw = JSON.stringify({ text: 'x'.repeat(5 * 1024 * 1024) });
    const headers = { 'content-type': 'application/json' };
    const announced = await server.call('/sessions/AUTH/send', { raw, headers });
    const chunked = await server.call('/sessions/AUTH/send', {
      raw,
      headers: { ...headers, 'transfer-encoding': 'chunked' },
    });
    for (const answer of [announced, chunked]) {
      expect(answer.status).toBe(413);
      expect(answer.code()).toBe('payload_too_large');
    }
    expect(server.sessions.deliveries('AUTH')).toEqual([]);
    expect(
      (await callRoute(server, 'send', { params: { slug: 'AUTH' }, body: { text: 'x'.repeat(900_000) } })).status,
    ).toBe(200);
  });
});

describe('addresses', () => {
  test.each(['/nothing', '/sessions/', '//sessions', '/sessions/AUTH/nothing', '/sessions/AUTH/send/', '/Sessions'])(
    '%s is no_such_route',
    async (path) => {
      const answer = await server.call(path);
      expect(answer.status).toBe(404);
      expect(answer.code()).toBe('no_such_route');
    },
  );

  test('another method is refused with the supported ones', async () => {
    for (const [method, path, allow] of [
      ['PUT', '/sessions', 'GET, HEAD, POST'],
      ['OPTIONS', '/sessions/AUTH', 'DELETE, GET, HEAD, PATCH'],
      ['GET', '/sessions/AUTH/send', 'POST'],
      ['HEAD', '/send', 'POST'],
      ['POST', '/health', 'GET, HEAD'],
      ['POST', '/openapi.json', 'GET, HEAD'],
      ['TRACE', '/sessions', 'GET, HEAD, POST'],
    ] as const) {
      const answer = await server.call(path, { method });
      expect(answer.status, `${method} ${path}`).toBe(405);
      expect(answer.headers.allow).toBe(allow);
      if (method !== 'HEAD') expect(answer.code()).toBe('method_not_allowed');
    }
  });

  test('HEAD is GET without its body', async () => {
    const answer = await server.call('/sessions', { method: 'HEAD' });
    expect(answer.status).toBe(200);
    expect(answer.bytes.length).toBe(0);
  });

  test('a slash in a slug is part of the slug', async () => {
    expect((await server.call('/sessions/a%2fsend', { method: 'POST' })).code()).toBe('method_not_allowed');
    expect((await server.call('/sessions/a%2fsend')).code()).toBe('no_such_session');
    expect((await server.call('/sessions/..%2f..%2fetc')).code()).toBe('no_such_session');
  });

  test('a broken escape and a backslash are answered too', async () => {
    expect((await server.call('/sessions/%zz')).code()).toBe('no_such_session');
    expect((await server.call('/sessions\\AUTH')).code()).toBe('invalid_request');
  });

  test('the welcome explains how to sign in and nothing else', async () => {
    const answer = await server.call('/', { token: null });
    expect(answer.headers['content-type']).toContain('text/plain');
    expect(answer.text).toContain('cbos token');
    expect(answer.text).not.toContain(TOKEN);
  });
});

describe('an unexpected error', () => {
  test('is logged in full and not shown to the client at all', async () => {
    server.sessions.fault = new Error('secret /home/someone/.ssh');
    const answer = await callRoute(server, 'getSession', { params: { slug: 'AUTH' } });
    expect(answer.status).toBe(500);
    expect(answer.code()).toBe('internal');
    expect(answer.text).not.toMatch(/secret|\.ts|at /);
    const [line] = server.log.filter(({ level }) => level === 'error');
    expect(line?.fields).toMatchObject({ err: server.sessions.fault, method: 'GET', path: '/sessions/AUTH' });
  });
});
