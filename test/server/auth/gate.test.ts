import { createConnection } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SessionsFrame } from '../../../src/protocol/index.ts';
import { readToken, rotateTokenFile } from '../../../src/server/auth/token.ts';
import { type Answered, call, type FacesUnderTest, startFaces, TestSocket, TOKEN } from '../../harness/faces.ts';
import { waitFor } from '../../harness/wait-for.ts';

let server: FacesUnderTest;
beforeEach(async () => {
  server = await startFaces();
  server.sessions.add('AUTH');
});
afterEach(() => server[Symbol.asyncDispose]());

const ours = (): string => `127.0.0.1:${server.port}`;
const local = (): { socketPath: string } => ({ socketPath: server.faces.address.socket });

/** Sends bytes as they are, and returns the status and the body of the answer. */
function raw(text: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = createConnection({ port: server.port, host: '127.0.0.1' }, () => socket.end(text));
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.once('error', reject);
    socket.once('close', () => {
      const [head = '', body = ''] = answer.split('\r\n\r\n', 2);
      resolve({ status: Number(head.split(' ')[1]), body });
    });
  });
}

/** Expects that no header lets a page of another origin read the answer. */
function expectNoCors(answer: Answered): void {
  expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
}

describe('the token', () => {
  test.each([
    ['none', null],
    ['a wrong one', 'wrong-token-0123456789'],
    ['the right one with an addition at its end', `${TOKEN}x`],
  ])('%s is answered with 401 and how to get one', async (_, token) => {
    const answer = await server.call('/sessions', { token });
    expect(answer.status).toBe(401);
    expect(answer.code()).toBe('unauthorized');
    expect(answer.headers['www-authenticate']).toContain('Bearer');
    expect(answer.text).toContain('cbos token');
    expectNoCors(answer);
  });

  test.each([
    ['another scheme', { authorization: `Basic ${TOKEN}` }],
    ['only the token', { authorization: TOKEN }],
    ['in the address', {}],
    ['as a subprotocol of a plain request', { 'sec-websocket-protocol': `cbos, bearer.${TOKEN}` }],
  ])('%s does not count', async (_, headers) => {
    expect((await server.call(`/sessions?token=${TOKEN}`, { token: null, headers })).status).toBe(401);
  });

  test('two Authorization headers do not count', async () => {
    const head = `GET /sessions HTTP/1.1\r\nHost: ${ours()}\r\nConnection: close\r\n`;
    const one = `Authorization: Bearer ${TOKEN}\r\n`;
    expect((await raw(`${head}${one}\r\n`)).status).toBe(200);
    expect((await raw(`${head}${one}Authorization: Bearer x\r\n\r\n`)).status).toBe(401);
  });

  test('the scheme may be written in any case', async () => {
    const answer = await server.call('/sessions', { token: null, headers: { authorization: `bearer ${TOKEN}` } });
    expect(answer.status).toBe(200);
  });

  test('without it, the server reports only that it runs, and how to sign in', async () => {
    for (const path of ['/health', '/', '/health?x=1']) {
      expect((await server.call(path, { token: null })).status).toBe(200);
    }
    const closed = [
      '/openapi.json',
      '/nothing',
      '//health',
      '/health/',
      '/health/..',
      '/./health',
      '/HEALTH',
      '/%68ealth',
    ];
    for (const path of [...closed, '/health/../sessions', '/health%2f..%2fsessions', '/sessions#/health']) {
      expect((await server.call(path, { token: null })).status, path).toBe(401);
    }
    expect((await server.call('/health', { token: null, method: 'POST' })).status).toBe(401);
  });

  test('a rotated token takes effect at once: the old one opens nothing, types nothing more, and its connections end', async () => {
    await using other = await startFaces({ settings: { token: null } });
    other.sessions.add('AUTH');
    const path = `${other.world.cbosHome}/token`;
    const old = readToken(path);
    const [types, watches] = [await other.connectStream({ token: old }), await other.connectSessions({ token: old })];
    const fresh = rotateTokenFile(path);
    types.ws.send(JSON.stringify({ type: 'keys', session: 'AUTH', keys: 'rm -rf ~' }));
    expect((await other.call('/sessions', { token: old })).status).toBe(401);
    expect((await other.call('/sessions', { token: fresh })).status).toBe(200);
    for (const socket of [types, watches]) {
      await waitFor(() => socket.closed === 4401, { describe: 'the old connection ends', timeoutMs: 5_000 });
    }
    expect(other.sessions.typed.size).toBe(0);
  });
});

describe('Host', () => {
  test.each(['evil.com', '127.evil.com:32205', 'localhost.evil.com', 'localhost', 'localhost:1', ''])(
    '%j is refused, on open addresses too',
    async (host) => {
      for (const path of ['/sessions', '/health', '/']) {
        const answer = await server.call(path, { headers: { host } });
        expect(answer.status).toBe(403);
        expect(answer.code()).toBe('forbidden_host');
        expectNoCors(answer);
      }
    },
  );

  test('is checked before the token, so a rebound page learns nothing', async () => {
    const answer = await server.call('/sessions', { token: null, headers: { host: 'evil.com' } });
    expect(answer.code()).toBe('forbidden_host');
  });

  test.each(['localhost', '[::1]', '127.0.0.1', 'LocalHost'])('%s is served', async (name) => {
    expect((await server.call('/sessions', { headers: { host: `${name}:${server.port}` } })).status).toBe(200);
  });

  test('a request without it, or with several, is refused', async () => {
    const bearer = `Authorization: Bearer ${TOKEN}\r\nConnection: close\r\n\r\n`;
    expect((await raw(`GET /sessions HTTP/1.1\r\n${bearer}`)).body).toContain('forbidden_host');
    expect((await raw(`GET /sessions HTTP/1.0\r\n${bearer}`)).body).toContain('forbidden_host');
    for (const [one, other] of [
      [ours(), 'evil.com'],
      ['evil.com', ours()],
      [ours(), ours()],
    ]) {
      const answer = await raw(`GET /sessions HTTP/1.1\r\nHost: ${one}\r\nHost: ${other}\r\n${bearer}`);
      expect(answer).toMatchObject({ status: 403, body: expect.stringContaining('forbidden_host') });
    }
  });

  test('the name in an absolute request target counts as well', async () => {
    const get = (target: string) =>
      raw(`GET ${target} HTTP/1.1\r\nHost: ${ours()}\r\nAuthorization: Bearer ${TOKEN}\r\nConnection: close\r\n\r\n`);
    expect((await get(`http://${ours()}/sessions`)).status).toBe(200);
    for (const target of [
      'http://evil.com/sessions',
      `http://${ours()}@evil.com/sessions`,
      `http://x@${ours()}/sessions`,
    ]) {
      expect((await get(target)).body, target).toContain('forbidden_host');
    }
    const foreign = `GET http://${ours()}/health HTTP/1.1\r\nHost: evil.com\r\nConnection: close\r\n\r\n`;
    expect((await raw(foreign)).body).toContain('forbidden_host');
  });
});

describe('Origin', () => {
  test('counts wherever the header is: thousands of headers before it hide nothing', async () => {
    const get = (last: string) =>
      raw(
        `GET /sessions HTTP/1.1\r\nHost: ${ours()}\r\nAuthorization: Bearer ${TOKEN}\r\nConnection: close\r\n${'b:\r\n'.repeat(2_100)}${last}\r\n`,
      );
    expect((await get('')).status).toBe(200);
    expect((await get('Origin: http://evil.com\r\n')).body).toContain('forbidden_origin');
    expect((await get('Host: evil.com\r\n')).body).toContain('forbidden_host');
  });

  test('a foreign page is refused, whatever it knows', async () => {
    for (const origin of ['https://evil.com', 'null', 'http://localhost:3000', `http://evil.com:${server.port}`]) {
      for (const path of ['/sessions', '/health']) {
        const answer = await server.call(path, { headers: { origin } });
        expect(answer.status).toBe(403);
        expect(answer.code()).toBe('forbidden_origin');
        expectNoCors(answer);
      }
    }
  });

  test("the server's own page is served, without any CORS header", async () => {
    const answer = await server.call('/sessions', { headers: { origin: `http://${ours()}` } });
    expect(answer.status).toBe(200);
    expectNoCors(answer);
  });

  test('a preflight gets no permission', async () => {
    const headers = { origin: 'https://evil.com', 'access-control-request-method': 'POST' };
    const answer = await server.call('/sessions', { method: 'OPTIONS', token: null, headers });
    expect(answer.status).toBe(403);
    expectNoCors(answer);
  });
});

describe('the local socket', () => {
  test('needs no token and no particular Host', async () => {
    for (const host of ['localhost', 'anything', 'a b']) {
      expect((await call(local(), '/sessions', { headers: { host } })).status).toBe(200);
    }
  });

  test('serves no page', async () => {
    const answer = await call(local(), '/sessions', { headers: { origin: 'http://localhost' } });
    expect(answer.code()).toBe('forbidden_origin');
  });
});

describe('WebSockets', () => {
  const open = (options: ConstructorParameters<typeof TestSocket>[2], path = '/ws') => {
    const socket = new TestSocket(`ws://${ours()}${path}`, SessionsFrame, options);
    server.world.onDispose(() => socket.ws.terminate());
    return socket;
  };

  test.each([
    ['no token', { token: null }, '401', 'unauthorized'],
    ['a wrong token', { token: 'wrong-token-0123456789' }, '401', 'unauthorized'],
    ['a wrong token as a subprotocol', { token: null, protocols: ['cbos', 'bearer.wrong'] }, '401', 'unauthorized'],
    ['a foreign Host', { headers: { host: 'evil.com' } }, '403', 'forbidden_host'],
    ["another site's page that knows the token", { origin: 'https://evil.com' }, '403', 'forbidden_origin'],
  ])('%s is answered with plain HTTP and the error', async (_, options, status, code) => {
    await expect(open(options).opened()).rejects.toThrow(new RegExp(`^${status} .*"${code}"`));
  });

  test('another path is not a WebSocket', async () => {
    for (const path of ['/', '/health', '/ws/', '/ws/other', '//ws', '/sessions', '/constructor']) {
      await expect(open({}, path).opened(), path).rejects.toThrow(/^404 .*no_such_route/);
    }
  });

  test('a token as a subprotocol opens one, and is never sent back', async () => {
    const socket = open({ token: null, protocols: ['cbos', `bearer.${TOKEN}`], origin: `http://${ours()}` });
    let answered = '';
    socket.ws.once('upgrade', (response) => {
      answered = JSON.stringify(response.headers);
    });
    await socket.opened();
    expect(socket.ws.protocol).toBe('cbos');
    expect(answered).toContain('sec-websocket-protocol');
    expect(answered).not.toContain(TOKEN);
    await socket.next('init');
  });

  test('over the local socket none needs a token', async () => {
    const socket = new TestSocket(`ws+unix://${server.faces.address.socket}:/ws`, SessionsFrame, { token: null });
    server.world.onDispose(() => socket.ws.terminate());
    await socket.next('init');
  });

  test('an upgrade to something else is refused, and the server keeps running', async () => {
    const headers = { connection: 'Upgrade', upgrade: 'h2c' };
    const answer = await server.call('/ws', { headers });
    expect(answer.code()).toBe('invalid_request');
    expect((await server.call('/health')).status).toBe(200);
  });
});
