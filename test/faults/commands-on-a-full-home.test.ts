import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BroadcastResult, Session, StashedResponse } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { call } from '../harness/faces.ts';
import { signInAsPage } from '../harness/signed-in-page.ts';
import { waitFor } from '../harness/wait-for.ts';
import { mountSmallDisk } from './harness/disk.ts';

let world: ClaudeWorld;
beforeEach(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
});
afterEach(() => world.dispose());

/** Returns what a signed-in browser can request. */
async function signInBrowser({ url, token }: Cbos) {
  const port = Number(new URL(url).port);
  const page = await signInAsPage({ port, call: (path, options) => call({ port }, path, options) }, { token });
  const ask = (method: string, path: string) => call({ port }, path, { method, token: null, headers: page.headers });
  return {
    signOut: () => ask('DELETE', '/sign-in'),
    isSignedIn: async () => (await ask('GET', '/sessions')).status === 200,
  };
}

/** Returns everything that a command could have changed. */
async function stateOf(cbos: Cbos): Promise<unknown> {
  const { body } = await cbos.call<Session[]>('GET', '/sessions');
  return {
    sessions: body.map(({ slug, type, path, adopted, state, screen_id, pid }) => {
      return { slug, type, path, adopted, state, screen_id, pid };
    }),
    sockets: readdirSync(world.screenDir),
    recordings: readdirSync(world.streamDir),
    // SQLite creates and grows its log on its own.
    home: ['.', 'hooks', 'run', 'json'].map((dir) =>
      readdirSync(`${world.cbosHome}/${dir}`).filter((name) => !/-(wal|shm|journal)$/.test(name)),
    ),
    stash: (await cbos.call<StashedResponse[]>('GET', '/stash')).body.map(({ applied }) => applied),
    prompts: world.promptsReceived().length,
  };
}

test('a turn and a question that run while the home is full: what cannot be recorded is refused, what needs no room is done', async (context) => {
  const disk = mountSmallDisk(world, world.cbosHome, '3m');
  if (disk === null) return context.skip('nothing may be mounted here');
  const cbos = await startCbos(world);
  for (const [slug, type] of [
    ['TURN', 'screen'],
    ['ASKS', 'json'],
    ['RUNS', 'json'],
  ])
    expect((await cbos.call('POST', '/sessions', { slug, type, path: world.projectDir })).error).toBeNull();
  await cbos.untilStatus('TURN', 'idle/ready');
  for (const [slug, text] of [
    ['TURN', 'scene:long turn'],
    ['ASKS', 'scene:permission'],
    ['RUNS', 'scene:silent'],
  ])
    expect((await cbos.call('POST', `/sessions/${slug}/send`, { text })).error).toBeNull();
  await cbos.until('TURN', ({ status }) => status.primary === 'active', 'works');
  const { status } = await cbos.untilStatus('ASKS', 'waiting/permission');
  await cbos.untilStatus('RUNS', 'active/thinking');
  const browser = await signInBrowser(cbos);
  const subscription = { endpoint: 'https://push.example/1', keys: { p256dh: 'YWJj', auth: 'YWJj' } };
  disk.fill();

  const refused: [method: string, path: string, body?: unknown][] = [
    ['POST', '/sessions/TURN/resize', { cols: 91, rows: 31 }],
    ['POST', '/sessions/ASKS/answer', { choice: 'yes' }],
    ['POST', '/sessions/RUNS/interrupt'],
    ['POST', '/push/subscriptions', subscription],
  ];
  for (const [method, path, body] of refused) {
    const { status, error } = await cbos.call(method, path, body);
    expect([status, error?.code], `${method} ${path}`).toEqual([507, 'disk_full']);
  }
  expect(await browser.signOut()).toMatchObject({ status: 507 });
  expect(await browser.isSignedIn()).toBe(true);
  expect((await cbos.session('TURN')).cols).not.toBe(91);
  expect((await cbos.session('ASKS')).status.question?.id).toBe(status.question?.id);
  expect((await cbos.session('RUNS')).status.primary).toBe('active');

  // Esc needs no room on the disk.
  expect((await cbos.call('POST', '/sessions/TURN/interrupt')).error).toBeNull();
  await cbos.until('TURN', (one) => one.status.primary === 'idle', 'is interrupted');

  disk.free();
  expect((await cbos.call<Session>('POST', '/sessions/TURN/resize', { cols: 91, rows: 31 })).body.cols).toBe(91);
  expect((await cbos.call('POST', '/sessions/ASKS/answer', { choice: 'yes' })).error).toBeNull();
  await cbos.untilStatus('ASKS', 'idle/waiting_input');
  expect((await cbos.call('POST', '/sessions/RUNS/interrupt')).error).toBeNull();
  await cbos.until('RUNS', (one) => one.status.primary === 'idle', 'is interrupted');
  expect((await cbos.call('POST', '/push/subscriptions', subscription)).error).toBeNull();
  expect(await browser.signOut()).toMatchObject({ status: 200 });
  expect(await browser.isSignedIn()).toBe(false);
});

test('what a full home refuses was not done: no process has ended, no name, type or file has changed', async (context) => {
  const disk = mountSmallDisk(world, world.cbosHome, '3m');
  if (disk === null) return context.skip('nothing may be mounted here');
  let cbos = await startCbos(world);
  expect((await cbos.cli(['new', 'AUTH', '--cols', '100', '--rows', '30'])).code).toBe(0);
  expect((await cbos.cli(['new', 'J', '--type', 'json'])).code).toBe(0);
  const screen = spawn('screen', ['-U', '-dmS', 'mine', world.claude], { env: world.env, cwd: world.projectDir });
  await once(screen, 'exit');
  await waitFor(async () => (await cbos.call('GET', '/sessions/mine')).status === 200, { describe: 'it is listed' });
  await cbos.until('mine', (one) => one.status.primary === 'idle', 'is idle');
  await cbos.untilStatus('AUTH', 'idle/ready');
  const stash = { session_slug: 'AUTH', response: 'scene:hello' };
  const stashed = (await cbos.call<StashedResponse>('POST', '/stash', stash)).body;
  await cbos.stop();
  // A clean stop has written everything. From here on the disk has no room at all.
  disk.fill();
  cbos = await startCbos(world);
  await cbos.untilStatus('AUTH', 'idle/ready');
  await cbos.until('mine', (one) => one.status.primary === 'idle', 'is idle');
  const link = (await cbos.call<{ code: string }>('POST', '/sign-in/links')).body;
  const before = await stateOf(cbos);

  const refused: [method: string, path: string, body?: unknown][] = [
    ['DELETE', '/sessions/AUTH'],
    ['DELETE', '/sessions/J'],
    ['PATCH', '/sessions/AUTH', { slug: 'OTHER' }],
    ['PATCH', '/sessions/J', { slug: 'OTHER' }],
    ['PUT', '/sessions/AUTH/path', { path: world.dir }],
    ['POST', '/sessions/AUTH/convert', { type: 'json' }],
    ['POST', '/sessions/J/convert', { type: 'screen' }],
    ['POST', '/sessions/adopt', { screen_id: 'mine', slug: 'MINE' }],
    ['POST', '/sessions', { slug: 'NEW', type: 'screen', path: world.projectDir }],
    ['POST', '/sessions', { slug: 'NEW', type: 'json', path: world.projectDir, prompt: 'scene:hello' }],
    ['POST', '/sessions/AUTH/send', { text: 'scene:hello' }],
    ['POST', '/sessions/J/send', { text: 'scene:hello' }],
    ['POST', '/sessions/J/invoke', { prompt: 'scene:hello' }],
    ['POST', '/sessions/AUTH/keys', { keys: 'x' }],
    ['POST', '/stash', { session_slug: 'AUTH', response: 'later' }],
    ['POST', `/stash/${stashed.id}/apply`],
    ['DELETE', `/stash/${stashed.id}`],
    ['POST', '/sign-in', { code: link.code }],
  ];
  for (const [method, path, body] of refused) {
    const { status, error } = await cbos.call(method, path, body);
    expect([status, error?.code], `${method} ${path}`).toEqual([507, 'disk_full']);
    expect(await stateOf(cbos), `${method} ${path}`).toEqual(before);
  }
  const sent = await cbos.call<BroadcastResult[]>('POST', '/send', { slugs: ['AUTH', 'J'], text: 'scene:hello' });
  expect(sent.body.map((one) => ('error' in one ? one.error?.code : one.delivery?.status))).toEqual([
    'disk_full',
    'disk_full',
  ]);
  expect(await cbos.cli(['token', '--rotate'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^cbos: The disk that holds the home directory/),
  });
  expect(await stateOf(cbos)).toEqual(before);

  // A session that somebody kills is dead, even if the server can keep that only in memory.
  expect((await cbos.call<Session>('POST', '/sessions/AUTH/kill')).body).toMatchObject({ state: 'dead', pid: null });
  const dead = await stateOf(cbos);
  expect((await cbos.call('POST', '/sessions/AUTH/restart')).error?.code).toBe('disk_full');
  expect((await cbos.call('DELETE', '/sessions/AUTH')).error?.code).toBe('disk_full');
  expect(await stateOf(cbos)).toEqual(dead);

  disk.free();
  expect((await cbos.call('POST', '/sign-in', { code: link.code })).status).toBe(200);
  expect((await cbos.call<Session>('POST', '/sessions/adopt', { screen_id: 'mine', slug: 'MINE' })).error).toBe(null);
  expect((await cbos.call<Session>('PATCH', '/sessions/MINE', { slug: 'OURS' })).body.screen_id).toMatch(/\.OURS$/);
  expect((await cbos.call('POST', '/sessions/AUTH/restart')).error).toBe(null);
  for (const slug of ['AUTH', 'J', 'OURS']) expect((await cbos.call('DELETE', `/sessions/${slug}`)).error).toBe(null);
  expect((await cbos.call<Session[]>('GET', '/sessions')).body).toEqual([]);
  expect(readdirSync(world.screenDir)).toEqual([]);
});
