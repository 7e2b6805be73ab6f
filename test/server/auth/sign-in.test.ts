import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readToken, rotateTokenFile } from '../../../src/server/auth/token.ts';
import { type Answered, call, type FacesUnderTest, startFaces, TOKEN } from '../../harness/faces.ts';
import { ManualClock } from '../../harness/manual-clock.ts';
import { cookieIn, passRequest, type SignedInPage, signInAsPage } from '../../harness/signed-in-page.ts';
import { waitFor } from '../../harness/wait-for.ts';

const TEN_MINUTES_MS = 600_000;
const MONTH_MS = 30 * 86_400_000;

let clock: ManualClock;
let server: FacesUnderTest;
beforeEach(async () => {
  clock = new ManualClock();
  server = await startFaces({ clock });
  server.sessions.add('AUTH');
});
afterEach(() => server[Symbol.asyncDispose]());

const origin = (): string => `http://127.0.0.1:${server.port}`;

async function newLink(): Promise<string> {
  const answer = await call({ socketPath: server.faces.address.socket }, '/sign-in/links', { method: 'POST' });
  expect(answer.status).toBe(201);
  return (answer.json() as { code: string }).code;
}

/** Sends a request as a page does: without a token, with the Origin that a browser adds. */
function asPage(path: string, options: { method?: string; body?: unknown; headers?: object } = {}) {
  const { method, body, headers } = options;
  return server.call(path, {
    token: null,
    ...(method === undefined ? {} : { method }),
    ...(body === undefined ? {} : { body }),
    headers: { origin: origin(), ...headers },
  });
}

const signIn = (body: object): Promise<Answered> => asPage('/sign-in', { method: 'POST', body });

describe('a link', () => {
  test('signs in with a cookie that no script reads and no other site sends', async () => {
    const answer = await signIn({ code: await newLink() });
    expect(answer.status).toBe(200);
    const header = String(answer.headers['set-cookie']);
    for (const flag of ['HttpOnly', 'SameSite=Strict', 'Path=/']) expect(header).toContain(flag);
    expect(header).not.toContain('Secure');
    expect(answer.text).not.toContain(cookieIn(answer).split('=')[1]);
    const { headers } = await signInAsPage(server, { code: await newLink() });
    expect((await asPage('/sessions', { headers })).status).toBe(200);
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

  test('expires after ten minutes, and reports it', async () => {
    const code = await newLink();
    clock.advance(TEN_MINUTES_MS);
    expect((await signIn({ code })).code()).toBe('link_expired');
  });

  test('cannot be requested by somebody who is not signed in', async () => {
    expect((await asPage('/sign-in/links', { method: 'POST' })).code()).toBe('unauthorized');
    const { headers } = await signInAsPage(server);
    expect((await asPage('/sign-in/links', { method: 'POST', headers })).status).toBe(201);
  });

  test('that was guessed does not exist', async () => {
    for (const code of ['x', 'A'.repeat(43), '__proto__', '../x']) {
      expect((await signIn({ code })).code()).toBe('link_expired');
    }
  });

  test('and the token never appear in logs', async () => {
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
    const { headers } = await signInAsPage(server, { token: TOKEN });
    expect((await asPage('/sessions', { headers })).status).toBe(200);
  });

  test.each([[{}], [{ code: 'x', token: 'y' }], [{ token: 'x', more: 1 }], [{ token: '' }]])(
    '%j does not sign in',
    async (body) => {
      expect((await signIn(body)).code()).toBe('invalid_request');
    },
  );
});

const passOf = async (page: SignedInPage): Promise<Answered> =>
  asPage('/sign-in/pass', { body: await passRequest(server, page) });
const passIn = (answer: Answered): string => (answer.json() as { pass: string }).pass;

describe('a sign-in', () => {
  test('lasts for a month, even through a restart of the server, and is stored only in a form that signs nobody in', async () => {
    const page = await signInAsPage(server);
    const file = join(server.world.cbosHome, 'sign-ins.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const kept = readFileSync(file, 'utf8');
    for (const secret of [page.cookie.split('=')[1], page.key, page.pass]) expect(kept).not.toContain(secret);
    await server.stop();
    await server.startAgain();
    expect((await asPage('/sessions', { headers: page.headers })).status, 'a pass ends with its server').toBe(401);
    clock.advance(MONTH_MS - 1);
    const again = await passOf(page);
    expect(again.status).toBe(200);
    expect((await asPage('/sessions', { headers: { ...page.headers, 'cbos-pass': passIn(again) } })).status).toBe(200);
    clock.advance(1);
    const over = await asPage('/sessions', { headers: { ...page.headers, 'cbos-pass': passIn(again) } });
    expect(over.code()).toBe('unauthorized');
    expect(over.text).toContain('cbos open');
    expect((await passOf(page)).code()).toBe('unauthorized');
  });

  test('opens nothing by its cookie alone, by its pass alone, or by parts of both', async () => {
    const [one, other] = [await signInAsPage(server), await signInAsPage(server)];
    for (const shown of [
      { cookie: one.cookie },
      { 'cbos-pass': one.pass },
      { cookie: one.cookie, 'cbos-pass': other.pass },
      { cookie: one.cookie, 'cbos-pass': `${one.pass}x` },
      { cookie: one.cookie, 'cbos-pass': one.key },
    ]) {
      const answer = await asPage('/sessions', { headers: shown });
      expect(answer.code(), JSON.stringify(shown)).toBe('unauthorized');
    }
    expect((await asPage('/sessions', { headers: one.headers })).status).toBe(200);
  });

  test('gives no pass without its key: a proof is for one challenge, one sign-in and one page', async () => {
    const page = await signInAsPage(server);
    const asked = await passRequest(server, page);
    for (const wrong of [
      { ...asked, proof: '0'.repeat(64) },
      { ...asked, nonce: 'x'.repeat(32) },
      { ...asked, server_nonce: `x${asked.server_nonce}` },
      { ...asked, id: 'other' },
    ]) {
      const answer = await asPage('/sign-in/pass', { body: wrong });
      expect(answer.code(), JSON.stringify(wrong)).toBe('unauthorized');
      expect(cookieIn(answer)).toBe('');
    }
    expect((await server.call('/sign-in/pass', { token: null, body: asked })).code()).toBe('forbidden_origin');
    clock.advance(60_000);
    expect((await asPage('/sign-in/pass', { body: asked })).code(), 'the challenge is too old').toBe('unauthorized');
  });

  test('gets a new pass after an hour, and the cookie again that another port replaced', async () => {
    const page = await signInAsPage(server);
    clock.advance(3_600_000);
    expect((await asPage('/sessions', { headers: page.headers })).status).toBe(401);
    const answer = await passOf(page);
    expect(cookieIn(answer)).toBe(page.cookie);
    const [name = ''] = page.cookie.split('=');
    // Several cookies have the same name. The others belong to other ports.
    const headers = { 'cbos-pass': passIn(answer), cookie: `${name}=x; ${page.cookie}; ${name}=` };
    expect((await asPage('/sessions', { headers })).status).toBe(200);
  });

  test('does nothing without an Origin: no write, no WebSocket', async () => {
    const { cookie, pass, headers } = await signInAsPage(server);
    const { origin: _, ...bare } = headers;
    const write = await server.call('/sessions/AUTH/keys', { token: null, headers: bare, body: { keys: 'x' } });
    expect(write.code()).toBe('forbidden_origin');
    const protocols = ['cbos', `pass.${pass}`];
    await expect(server.connectStream({ token: null, headers: { cookie }, protocols })).rejects.toThrow(/403/);
    expect(server.sessions.typed.get('AUTH')).toBeUndefined();
    const socket = await server.connectStream({ token: null, headers: { cookie }, protocols, origin: origin() });
    expect(socket.closed).toBeNull();
    expect(socket.ws.protocol).toBe('cbos');
    await expect(server.connectStream({ token: null, headers: { cookie }, origin: origin() })).rejects.toThrow(/401/);
  });

  test.each([
    ['another site', 'https://evil.example'],
    ['another port of this machine', 'http://127.0.0.1:1'],
    ['a sandboxed page', 'null'],
    ['a name that begins like ours', 'http://127.0.0.1.evil.example'],
  ])('does nothing for a page of %s', async (_, foreign) => {
    const { headers, cookie, pass } = await signInAsPage(server);
    for (const path of ['/sessions', '/sessions/AUTH/keys']) {
      const answer = await server.call(path, {
        token: null,
        headers: { ...headers, origin: foreign },
        ...(path === '/sessions' ? {} : { body: { keys: 'x' } }),
      });
      expect(answer.code()).toBe('forbidden_origin');
    }
    const protocols = ['cbos', `pass.${pass}`];
    await expect(
      server.connectStream({ token: null, headers: { cookie }, protocols, origin: foreign }),
    ).rejects.toThrow(/403/);
    expect(
      (await server.call('/sign-in', { token: null, headers: { origin: foreign }, body: { token: TOKEN } })).code(),
    ).toBe('forbidden_origin');
  });

  test('does nothing under a foreign name, as after DNS rebinding', async () => {
    const { headers } = await signInAsPage(server);
    const host = `evil.example:${server.port}`;
    const answer = await server.call('/sessions', {
      token: null,
      headers: { ...headers, host, origin: `http://${host}` },
    });
    expect(answer.code()).toBe('forbidden_host');
  });

  test.each(['cross-site', 'same-site'])('does nothing if the browser reports that the request is %s', async (site) => {
    const { headers } = await signInAsPage(server);
    const { origin: _, ...bare } = headers;
    const answer = await server.call('/sessions', { token: null, headers: { ...bare, 'sec-fetch-site': site } });
    expect(answer.code()).toBe('forbidden_origin');
    expect((await asPage('/sessions', { headers: { ...headers, 'sec-fetch-site': 'same-origin' } })).status).toBe(200);
  });

  test('together with a wrong token does not help it', async () => {
    const { headers } = await signInAsPage(server);
    expect((await asPage('/sessions', { headers: { ...headers, authorization: 'Bearer wrong' } })).status).toBe(401);
  });

  test('ends with a sign-out, on this browser only, together with its WebSockets', async () => {
    const [page, other] = [await signInAsPage(server), await signInAsPage(server)];
    const [socket, stays] = await Promise.all(
      [page, other].map(({ cookie, pass }) =>
        server.connectStream({
          token: null,
          headers: { cookie },
          origin: origin(),
          protocols: ['cbos', `pass.${pass}`],
        }),
      ),
    );
    const answer = await asPage('/sign-in', { method: 'DELETE', headers: page.headers });
    expect(answer.json()).toEqual({ status: 'signed_out' });
    socket?.ws.send(JSON.stringify({ type: 'keys', session: 'AUTH', keys: 'x' }));
    await waitFor(() => socket?.closed === 4401, { describe: 'the connection is closed, with the reason' });
    expect(stays?.closed).toBeNull();
    expect(server.sessions.typed.size).toBe(0);
    expect(String(answer.headers['set-cookie'])).toContain('Max-Age=0');
    expect((await asPage('/sessions', { headers: page.headers })).status).toBe(401);
    // The server still proves itself to the page, so the page can believe that it is signed out.
    expect((await passOf(page)).code()).toBe('unauthorized');
    expect((await asPage('/sessions', { headers: other.headers })).status).toBe(200);
  });

  test('of a server that knew only a cookie is no longer valid', async () => {
    await server.stop();
    const file = join(server.world.cbosHome, 'sign-ins.json');
    writeFileSync(file, JSON.stringify([{ key: 'ab'.repeat(32), expires_at: clock.now() + MONTH_MS }]));
    await server.startAgain();
    const cookie = `${(await signInAsPage(server)).cookie.split('=')[0]}=old`;
    const answer = await asPage('/sessions', { headers: { cookie } });
    expect(answer.code()).toBe('unauthorized');
    expect(answer.text).toContain('cbos open');
  });
});

test('under `localhost`, which is two addresses, nobody signs in; the page redirects to the server', async () => {
  for (const name of ['localhost', '[::1]']) {
    const host = `${name}:${server.port}`;
    const headers = { host, origin: `http://${host}` };
    for (const [path, body] of [
      ['/sign-in', { token: TOKEN }],
      ['/sign-in/challenge', { id: 'x', nonce: 'n'.repeat(20) }],
    ] as const) {
      const answer = await server.call(path, { token: null, headers, body });
      expect(answer.code()).toBe('forbidden_origin');
      expect(answer.text).toContain(`${origin()}`);
    }
    const page = await server.call('/?x=1', { token: null, headers: { host, accept: 'text/html' } });
    expect(page.status).toBe(307);
    expect(page.headers.location).toBe(`${origin()}/?x=1`);
  }
  // A host name that is in the settings is allowed.
  await using named = await startFaces({ settings: { allowed_hosts: ['localhost'] } });
  expect((await signInAsPage(named, { token: TOKEN }, `http://localhost:${named.port}`)).pass).not.toBe('');
});

test('a rotated token signs every browser out', async () => {
  await using rotating = await startFaces({ settings: { token: null } });
  const file = join(rotating.world.cbosHome, 'token');
  const { headers } = await signInAsPage(rotating, { token: readToken(file) });
  expect((await rotating.call('/sessions', { token: null, headers })).status).toBe(200);
  rotateTokenFile(file);
  expect((await rotating.call('/sessions', { token: null, headers })).status).toBe(401);
});

test('behind a proxy, the page proves itself under its public address, and not under that name over plain HTTP', async () => {
  const public_url = 'https://box.example';
  await using proxied = await startFaces({ settings: { public_url } });
  const { headers } = await signInAsPage(proxied, { token: TOKEN }, public_url);
  const ask = (more: object) =>
    proxied.call('/sessions', { token: null, headers: { ...headers, host: 'box.example', ...more } });
  expect((await ask({})).status).toBe(200);
  expect((await ask({ origin: 'http://box.example' })).code()).toBe('forbidden_origin');
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
