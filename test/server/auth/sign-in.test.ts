import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readToken, rotateTokenFile } from '../../../src/server/auth/token.ts';
import { type Answered, call, type FacesUnderTest, startFaces, TOKEN } from '../../harness/faces.ts';
import { ManualClock } from '../../harness/manual-clock.ts';
import { waitFor } from '../../harness/wait-for.ts';

const TEN_MINUTES_MS = 600_000;
const MONTH_MS = 30 * 86_400_000;

let clock: ManualClock;
let server: FacesUnderTest;
beforeEach(async () => {
  clock = new ManualClock();
  server = await startFaces({ clock, pingIntervalMs: 20 });
  server.sessions.add('AUTH');
});
afterEach(() => server[Symbol.asyncDispose]());

const origin = (): string => `http://127.0.0.1:${server.port}`;

async function newLink(): Promise<string> {
  const answer = await call({ socketPath: server.faces.address.socket }, '/sign-in/links', { method: 'POST' });
  expect(answer.status).toBe(201);
  return (answer.json() as { code: string }).code;
}

/** What a page sends: no token, and the Origin that a browser adds. */
function asPage(path: string, options: { method?: string; body?: unknown; cookie?: string; headers?: object } = {}) {
  const { method, body, cookie, headers } = options;
  return server.call(path, {
    token: null,
    ...(method === undefined ? {} : { method }),
    ...(body === undefined ? {} : { body }),
    headers: { origin: origin(), ...(cookie === undefined ? {} : { cookie }), ...headers },
  });
}

const signIn = (body: object): Promise<Answered> => asPage('/sign-in', { method: 'POST', body });

function cookieOf(answer: Answered): string {
  const [header = ''] = answer.headers['set-cookie'] ?? [];
  return header.split(';', 1)[0] ?? '';
}

async function signedInCookie(): Promise<string> {
  return cookieOf(await signIn({ code: await newLink() }));
}

describe('a link', () => {
  test('signs in by a cookie that no script reads and no other site sends', async () => {
    const answer = await signIn({ code: await newLink() });
    expect(answer.status).toBe(200);
    const header = String(answer.headers['set-cookie']);
    for (const flag of ['HttpOnly', 'SameSite=Strict', 'Path=/']) expect(header).toContain(flag);
    expect(header).not.toContain('Secure');
    expect(answer.text).not.toContain(cookieOf(answer).split('=')[1]);
    expect((await asPage('/sessions', { cookie: cookieOf(answer) })).status).toBe(200);
  });

  test('signs in once', async () => {
    const code = await newLink();
    expect((await signIn({ code })).status).toBe(200);
    const again = await signIn({ code });
    expect(again.status).toBe(410);
    expect(again.code()).toBe('link_expired');
    expect(again.text).toContain('cbos open');
    expect(again.headers['set-cookie']).toBeUndefined();
  });

  test('is over after ten minutes, and says so', async () => {
    const code = await newLink();
    clock.advance(TEN_MINUTES_MS);
    expect((await signIn({ code })).code()).toBe('link_expired');
  });

  test('cannot be asked for by somebody who is not signed in', async () => {
    expect((await asPage('/sign-in/links', { method: 'POST' })).code()).toBe('unauthorized');
    expect((await asPage('/sign-in/links', { method: 'POST', cookie: await signedInCookie() })).status).toBe(201);
  });

  test('made by guessing does not exist', async () => {
    for (const code of ['x', 'A'.repeat(43), '__proto__', '../x']) {
      expect((await signIn({ code })).code()).toBe('link_expired');
    }
  });

  test('and the token never stand in what is logged', async () => {
    const code = await newLink();
    await signIn({ code });
    await signIn({ code });
    await signIn({ token: 'wrong-token-of-a-person' });
    const logged = JSON.stringify(server.log);
    expect(logged).not.toContain(code);
    expect(logged).not.toContain('wrong-token-of-a-person');
  });
});

describe('the token on the form', () => {
  test('signs in', async () => {
    const answer = await signIn({ token: TOKEN });
    expect(answer.status).toBe(200);
    expect((await asPage('/sessions', { cookie: cookieOf(answer) })).status).toBe(200);
  });

  test('cannot be guessed for long: after ten wrong ones a minute passes, for the right one as well', async () => {
    for (let attempt = 0; attempt < 10; attempt++) {
      expect((await signIn({ token: `wrong-${attempt}-0123456789` })).code()).toBe('unauthorized');
    }
    const refused = await signIn({ token: TOKEN });
    expect(refused.status).toBe(429);
    expect(refused.code()).toBe('too_many_attempts');
    // The person is not locked out by somebody who guesses.
    expect((await signIn({ code: await newLink() })).status).toBe(200);
    clock.advance(60_000);
    expect((await signIn({ token: TOKEN })).status).toBe(200);
  });

  test.each([[{}], [{ code: 'x', token: 'y' }], [{ token: 'x', more: 1 }], [{ token: '' }]])(
    '%j is no sign-in',
    async (body) => {
      expect((await signIn(body)).code()).toBe('invalid_request');
    },
  );
});

describe('the cookie', () => {
  test('holds for a month, over a restart of the server, and is kept only as a key that signs nobody in', async () => {
    const cookie = await signedInCookie();
    const file = join(server.world.cbosHome, 'sign-ins.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain(cookie.split('=')[1]);
    const stolen = (JSON.parse(readFileSync(file, 'utf8')) as { key: string }[])[0]?.key ?? '';
    expect((await asPage('/sessions', { cookie: `${cookie.split('=')[0]}=${stolen}` })).status).toBe(401);
    clock.advance(MONTH_MS - 1);
    expect((await asPage('/sessions', { cookie })).status).toBe(200);
    clock.advance(1);
    const over = await asPage('/sessions', { cookie });
    expect(over.code()).toBe('unauthorized');
    expect(over.text).toContain('cbos open');
  });

  test('does nothing without an Origin: not for a write, not for a WebSocket', async () => {
    const cookie = await signedInCookie();
    const write = await server.call('/sessions/AUTH/keys', { token: null, headers: { cookie }, body: { keys: 'x' } });
    expect(write.code()).toBe('forbidden_origin');
    await expect(server.connectStream({ token: null, headers: { cookie } })).rejects.toThrow(/403/);
    expect(server.sessions.typed.get('AUTH')).toBeUndefined();
    const socket = await server.connectStream({ token: null, headers: { cookie }, origin: origin() });
    expect(socket.closed).toBeNull();
  });

  test.each([
    ['another site', 'https://evil.example'],
    ['another port of this machine', 'http://127.0.0.1:1'],
    ['a sandboxed page', 'null'],
    ['a name that begins like ours', 'http://127.0.0.1.evil.example'],
  ])('does nothing for a page of %s', async (_, foreign) => {
    const cookie = await signedInCookie();
    for (const path of ['/sessions', '/sessions/AUTH/keys']) {
      const answer = await server.call(path, {
        token: null,
        headers: { cookie, origin: foreign },
        ...(path === '/sessions' ? {} : { body: { keys: 'x' } }),
      });
      expect(answer.code()).toBe('forbidden_origin');
    }
    await expect(server.connectStream({ token: null, headers: { cookie }, origin: foreign })).rejects.toThrow(/403/);
    expect(
      (await server.call('/sign-in', { token: null, headers: { origin: foreign }, body: { token: TOKEN } })).code(),
    ).toBe('forbidden_origin');
  });

  test('does nothing under a foreign name, as after DNS rebinding', async () => {
    const cookie = await signedInCookie();
    const host = `evil.example:${server.port}`;
    const answer = await server.call('/sessions', {
      token: null,
      headers: { cookie, host, origin: `http://${host}` },
    });
    expect(answer.code()).toBe('forbidden_host');
  });

  test.each(['cross-site', 'same-site'])('does nothing where the browser says that the request is %s', async (site) => {
    const cookie = await signedInCookie();
    const answer = await server.call('/sessions', { token: null, headers: { cookie, 'sec-fetch-site': site } });
    expect(answer.code()).toBe('forbidden_origin');
    expect((await asPage('/sessions', { cookie, headers: { 'sec-fetch-site': 'same-origin' } })).status).toBe(200);
  });

  test('set a second time by somebody else counts as none', async () => {
    const cookie = await signedInCookie();
    const [name = ''] = cookie.split('=');
    expect((await asPage('/sessions', { cookie: `${name}=x; ${cookie}` })).status).toBe(401);
  });

  test('beside a wrong token does not help it', async () => {
    const cookie = await signedInCookie();
    const headers = { cookie, origin: origin(), authorization: 'Bearer wrong' };
    expect((await server.call('/sessions', { token: null, headers })).status).toBe(401);
  });

  test('is over after signing out, here only, and its WebSockets end with it', async () => {
    const [cookie, other] = [await signedInCookie(), await signedInCookie()];
    const socket = await server.connectStream({ token: null, headers: { cookie }, origin: origin() });
    const answer = await asPage('/sign-in', { method: 'DELETE', cookie });
    expect(answer.json()).toEqual({ status: 'signed_out' });
    expect(String(answer.headers['set-cookie'])).toContain('Max-Age=0');
    expect((await asPage('/sessions', { cookie })).status).toBe(401);
    expect((await asPage('/sessions', { cookie: other })).status).toBe(200);
    await waitFor(() => socket.closed === 4401, { describe: 'the connection is closed, with the reason' });
  });
});

test('a rotated token signs every browser out', async () => {
  await using rotating = await startFaces({ settings: { token: null } });
  const file = join(rotating.world.cbosHome, 'token');
  const headers = { origin: `http://127.0.0.1:${rotating.port}` };
  const answer = await rotating.call('/sign-in', { token: null, headers, body: { token: readToken(file) } });
  const cookie = cookieOf(answer);
  expect((await rotating.call('/sessions', { token: null, headers: { ...headers, cookie } })).status).toBe(200);
  rotateTokenFile(file);
  expect((await rotating.call('/sessions', { token: null, headers: { ...headers, cookie } })).status).toBe(401);
});

test('over HTTPS the cookie is sent over HTTPS only', async () => {
  await using proxied = await startFaces({ settings: { public_url: 'https://box.example' } });
  const answer = await proxied.call('/sign-in', {
    token: null,
    headers: { host: 'box.example', origin: 'https://box.example' },
    body: { token: TOKEN },
  });
  expect(String(answer.headers['set-cookie'])).toContain('; Secure');
});
