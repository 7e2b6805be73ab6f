import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { call, TOKEN } from '../harness/faces.ts';
import { type PageUnderTest, startPage } from '../harness/page.ts';
import { DONE } from '../harness/some-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';
import { type Overheard, type Stranger, startStranger } from './harness/stranger.ts';

/**
 * Attacks by other programs of this machine on a signed-in browser: from another port, from another loopback address,
 * or from our own port.
 */
const world = createWorld();
let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser(world, { isWhole: true });
});
afterAll(() => world.dispose());

const start = (): Promise<PageUnderTest> =>
  startPage(browser, { prepare: ({ sessions }) => void sessions.add('AUTH', DONE) });

const row = ({ page }: PageUnderTest) =>
  page.getByRole('navigation', { name: 'Sessions' }).getByRole('link', { name: 'AUTH' });

/**
 * Sends what a stranger has intercepted, from a program that forges every header. None of it may change or reveal
 * anything.
 */
async function replay({ server }: PageUnderTest, overheard: readonly Overheard[]): Promise<void> {
  const origin = `http://127.0.0.1:${server.port}`;
  for (const heard of overheard) {
    const headers: Record<string, string> = { origin };
    for (const name of ['cookie', 'authorization', 'cbos-pass']) {
      const value = heard.headers[name];
      if (typeof value === 'string') headers[name] = value;
    }
    const protocol = heard.headers['sec-websocket-protocol'];
    const refused = [
      await server.call('/sessions', { token: null, headers }),
      await server.call('/sessions/AUTH/keys', { token: null, headers, body: { keys: 'x' } }),
      await server.call('/sign-in/links', { token: null, headers, method: 'POST' }),
    ];
    if (heard.method === 'POST' && heard.path.startsWith('/sign-in')) {
      const again = await server.call(heard.path, { token: null, headers, body: JSON.parse(heard.body) as unknown });
      expect(again.headers['set-cookie'], heard.path).toBeUndefined();
    }
    for (const { status, text } of refused) expect(status, `${JSON.stringify(heard)} → ${text}`).toBe(401);
    const { cookie = '' } = headers;
    await expect(
      server.connectStream({
        token: null,
        origin,
        headers: { cookie },
        ...(protocol === undefined ? {} : { protocols: protocol.split(',').map((one) => one.trim()) }),
      }),
    ).rejects.toThrow(/401/);
  }
  expect(server.sessions.typed.size).toBe(0);
}

describe('a program on another port', () => {
  const neighbour = (): Promise<Stranger> =>
    startStranger(world, { answer: () => ({ body: '<!doctype html><title>neighbour</title>' }) });

  test('receives the cookie from the browser, and can do nothing with it', async () => {
    await using one = await start();
    const other = await neighbour();
    const page = await one.watched.context.newPage();
    await page.goto(other.url);
    await waitFor(() => other.overheard.some(({ headers }) => headers.cookie?.includes('cbos_')), {
      describe: 'the cookie goes to the other port',
    });
    await replay(one, other.overheard);
    await page.close();
  });

  test('that sets or removes our cookie signs nobody out', async () => {
    await using one = await start();
    const [cookie] = await one.watched.context.cookies();
    const name = cookie?.name ?? '';
    const page = await one.watched.context.newPage();
    for (const set of [
      [`${name}=x; Path=/`],
      [`${name}=x; Path=/; Max-Age=0`],
      [`${name}=x; Path=/sessions`, `${name}=y; Path=/ws`, `${name}=z; Path=/sign-in`],
    ]) {
      const other = await startStranger(world, { answer: () => ({ body: 'hi', headers: { 'set-cookie': set } }) });
      await page.goto(other.url);
      await other.stop();
      // The open page continues to work, and so does a page that is opened now.
      await one.visit('#/settings');
      await one.page.getByText('Signed in until').waitFor();
      await one.page.reload();
      await row(one).waitFor();
      await one.visit('#/');
    }
    await page.close();
  });
});

describe('a program that took the port while the server was down', () => {
  /** Answers every request like a server that lets anybody in. */
  const accepting = (one: PageUnderTest): Promise<Stranger> =>
    startStranger(world, {
      port: one.server.port,
      answer: ({ path }) =>
        path.startsWith('/sign-in')
          ? {
              type: 'application/json',
              body: JSON.stringify({ nonce: 'x'.repeat(43), proof: 'a'.repeat(64), pass: 'x' }),
            }
          : { type: 'application/json', body: '[]' },
    });

  test('gets nothing useful from the open page, and the page warns; then the page continues', async () => {
    await using one = await start();
    await one.server.stop();
    const other = await accepting(one);
    await one.page.getByText('could not prove').waitFor();
    expect(await one.page.getByLabel(/paste the token/).count()).toBe(0);
    await waitFor(() => other.overheard.length >= 5, { describe: 'the page asks again and again' });
    await other.stop();
    await one.server.startAgain();
    await row(one).waitFor();
    await replay(one, other.overheard);
  });

  test('and relays to the server, which moved to another port, is not believed either', async () => {
    await using one = await start();
    await one.server.stop();
    await using moved = await one.server.startAt(0);
    const other = await startStranger(world, {
      port: one.server.port,
      answer: async ({ method, path, headers, body }) => {
        const origin = `http://127.0.0.1:${moved.port}`;
        const { host: _host, 'content-length': _length, connection: _connection, ...rest } = headers;
        const given = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)]));
        const answer = await call({ port: moved.port }, path, {
          method,
          token: null,
          headers: { ...given, ...(given.origin === undefined ? {} : { origin }) },
          ...(body === '' ? {} : { raw: body }),
        });
        return { status: answer.status, type: 'application/json', body: answer.text };
      },
    });
    await one.page.getByText('could not prove').waitFor();
    expect(other.overheard.some(({ path, headers }) => path === '/sign-in/pass' || 'cbos-pass' in headers)).toBe(false);
  });

  test('can leave no service worker behind: the next visit replaces it', async () => {
    await using one = await start();
    const { page, url } = one;
    await page.goto('about:blank');
    await one.server.stop();
    const worker = `
      addEventListener('install', () => skipWaiting());
      addEventListener('activate', (event) => event.waitUntil(clients.claim()));
      addEventListener('fetch', (event) => event.respondWith(new Response('<title>stranger</title>', { headers: { 'content-type': 'text/html' } })));`;
    const register = `<!doctype html><title>stranger</title><script>navigator.serviceWorker.register('/their-worker.js')</script>`;
    const other = await startStranger(world, {
      port: one.server.port,
      answer: ({ path }) =>
        path.endsWith('.js') ? { type: 'text/javascript', body: worker } : { type: 'text/html', body: register },
    });
    await page.goto(url);
    await waitFor(() => page.evaluate('navigator.serviceWorker.controller !== null'), {
      describe: 'the worker of the stranger has the page',
    });
    await other.stop();
    await page.goto('about:blank');
    await one.server.startAgain();
    await page.goto(`${url}/`);
    await row(one).waitFor();
    const registered = await page.evaluate(
      `navigator.serviceWorker.getRegistrations().then((all) => all.map(({ active }) => new URL(active.scriptURL).pathname))`,
    );
    expect(registered).not.toContain('/their-worker.js');
  });
});

describe('a program on the other loopback address', () => {
  test("cannot listen there while the server runs, and `localhost` leads to the server's own address", async () => {
    await using one = await start();
    await expect(
      startStranger(world, { host: '::1', port: one.server.port, answer: () => ({ body: '' }) }),
    ).rejects.toThrow('EADDRINUSE');
    for (const name of ['localhost', '[::1]']) {
      await one.page.goto('about:blank');
      await one.page.goto(`http://${name}:${one.server.port}/#/s/AUTH`);
      await row(one).waitFor();
      expect(one.page.url()).toBe(`${one.url}/#/s/AUTH`);
    }
  });

  test('that was there first gets a visit of `localhost`, but nothing that the server accepts', async () => {
    const port = await world.freePort();
    const other = await startStranger(world, {
      host: '::1',
      port,
      answer: () => ({ body: '<title>stranger</title>' }),
    });
    await using one = await startPage(browser, { server: { settings: { port } } });
    one.server.sessions.add('AUTH', DONE);
    expect(one.url).toBe(`http://127.0.0.1:${port}`);
    expect(one.server.log.map(({ message }) => message).join()).toContain('[::1]');
    await one.page.goto(`http://localhost:${port}/`);
    expect(await one.page.title()).toBe('stranger');
    expect(other.overheard.map(({ headers }) => headers.cookie)).toEqual(other.overheard.map(() => undefined));
    // The stranger could relay a request that it got from a page under this name. The server lets nobody sign in under
    // it.
    const answer = await one.server.call('/sign-in', {
      token: null,
      headers: { host: `localhost:${port}`, origin: `http://localhost:${port}` },
      body: { token: TOKEN },
    });
    expect(answer.code()).toBe('forbidden_origin');
    await other.stop();
  });
});
