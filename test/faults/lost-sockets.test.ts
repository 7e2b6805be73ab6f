import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Delivery, Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';
import {
  isRunning,
  putFileInPlaceOfDirectory,
  removeSocket,
  removeSocketDirectory,
  socketsOf,
} from './harness/sockets.ts';

/** A session that has been idle for longer is at the end of its turn, not before its beginning. */
const LONG_IDLE_MS = 1_000;
/** Longer than the server takes to look at its sessions again. */
const LONG_STOPPED_MS = 4_000;

let world: ClaudeWorld;
let cbos: Cbos;
let session: Session;
let id: string;
/** the pid of Screen's daemon */
let daemon: number;

beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  cbos = await startCbos(world);
  await cbos.call('POST', '/sessions', { slug: 'LOST', type: 'screen', path: world.projectDir });
  session = await cbos.untilStatus('LOST', 'idle/ready');
  id = session.screen_id ?? '';
  daemon = Number.parseInt(id, 10);
});
afterAll(() => world.dispose());
beforeEach(() => expect(isRunning(daemon)).toBe(true));

const backAgain = (): Promise<unknown> =>
  waitFor(() => existsSync(world.screenDir) && socketsOf(world).includes(id), {
    describe: "the session's socket is back",
  });

async function expectToTakeText(text: string): Promise<void> {
  const sent = await cbos.call<Delivery>('POST', '/sessions/LOST/send', { text });
  expect(sent.body).toMatchObject({ status: 'delivered' });
  await waitFor(() => world.promptsReceived().at(-1) === text, {
    describe: 'the prompt arrives',
    actual: world.promptsReceived,
  });
  await cbos.untilStatus('LOST', 'idle/waiting_input');
}

test('a removed socket of a session is made again, as often as it disappears', async () => {
  for (const text of ['scene:hello one', 'scene:hello two']) {
    removeSocket(world, id);
    await backAgain();
    await expectToTakeText(text);
  }
  expect((await cbos.cli(['doctor', '--json'])).stdout).not.toContain('without a socket');
});

test('nobody has to use the session between two losses', async () => {
  const timesNoticed = (): number =>
    readFileSync(join(world.cbosHome, 'server.log'), 'utf8').split('created it again').length;
  for (let time = 0; time < 3; time += 1) {
    const before = timesNoticed();
    removeSocket(world, id);
    await waitFor(() => timesNoticed() > before, { describe: 'the server has its socket made again' });
  }
  await backAgain();
  expect((await cbos.session('LOST')).status.primary).toBe('idle');
});

test('a text that is sent right after the loss arrives', async () => {
  removeSocket(world, id);
  await expectToTakeText('scene:hello at once');
});

test('the whole directory is made again, private, and its changes are noticed as before', async () => {
  removeSocketDirectory(world);
  await backAgain();
  expect(statSync(world.screenDir).mode & 0o777).toBe(0o700);
  await expectToTakeText('scene:hello after the directory');
  removeSocket(world, id);
  await backAgain();
  expect(await cbos.session('LOST')).toMatchObject({ screen_id: id });
});

test('it is found again after a restart of the server, even if the socket disappeared without a server', async () => {
  await cbos.stop('SIGKILL');
  removeSocketDirectory(world);
  cbos = await startCbos(world);
  await backAgain();
  await cbos.until('LOST', (one) => one.status.primary === 'idle', 'is known again');
  await expectToTakeText('scene:hello after a restart');
});

test('if no socket can be made, the session is shown as unreachable with its cure, and no signal ends its daemon', async () => {
  // A SIGCHLD would end the daemon here (Screen 4.9.0).
  putFileInPlaceOfDirectory(world);
  const lost = await cbos.until('LOST', (one) => one.status.because.rule === 'process.unreachable', 'is unreachable');
  expect(lost).toMatchObject({ state: 'unknown', status: { primary: null, because: { source: 'process' } } });
  expect(lost.status.because.evidence).toContain('cbos doctor');
  const refused = await cbos.call('POST', '/sessions/LOST/keys', { keys: 'x' });
  expect(refused).toMatchObject({ status: 503, error: { code: 'screen_unreachable' } });
  const cure = `mkdir -p ${world.screenDir} && chmod 700 ${world.screenDir}`;
  expect(refused.error?.hint).toContain(cure);
  const held = await cbos.call<Delivery>('POST', '/sessions/LOST/send', { text: 'scene:hello held' });
  expect(held.body).toMatchObject({ status: 'queued' });

  rmSync(world.screenDir);
  mkdirSync(world.screenDir);
  chmodSync(world.screenDir, 0o755);
  const checks = JSON.parse((await cbos.cli(['doctor', '--json'])).stdout) as { name: string }[];
  expect(checks.find(({ name }) => name === 'Screen sessions')).toMatchObject({
    outcome: 'fault',
    detail: expect.stringContaining(String(daemon)),
    cure: `${cure} && cbos up`,
  });
  expect(isRunning(daemon)).toBe(true);
  chmodSync(world.screenDir, 0o700);
  await backAgain();
  await cbos.until('LOST', (one) => one.status.primary === 'idle', 'can be reached again');
  await waitFor(() => world.promptsReceived().includes('scene:hello held'), { describe: 'the held text is typed' });
});

test('a daemon that somebody stops is shown with its cure, and the session is as before once it continues', async () => {
  await cbos.until('LOST', ({ status }) => status.primary === 'idle' && status.unchanged_ms > LONG_IDLE_MS, 'is idle');
  process.kill(daemon, 'SIGSTOP');
  const stopped = await cbos.until('LOST', ({ status }) => status.because.rule === 'process.stopped', 'is stopped');
  expect(stopped).toMatchObject({ state: 'unknown', status: { primary: null, because: { source: 'process' } } });
  expect(stopped.status.because.evidence).toContain(`kill -CONT ${daemon}`);
  expect((await cbos.cli(['show', 'LOST'])).stdout).toContain(`kill -CONT ${daemon}`);
  const held = await cbos.call<Delivery>('POST', '/sessions/LOST/send', { text: 'scene:hello stopped' });
  expect(held.body).toMatchObject({ status: 'queued' });
  process.kill(daemon, 'SIGCONT');
  await waitFor(() => world.promptsReceived().includes('scene:hello stopped'), { describe: 'the held text is typed' });
});

test('a stopped daemon stays shown as stopped, also if a wrapper has started Claude Code', async () => {
  await using other = await claudeWorld({ agent: 'stand-in' });
  const wrapper = join(other.dir, 'wrapper');
  writeFileSync(wrapper, `#!/bin/sh\n'${other.claude}' "$@"\n`, { mode: 0o755 });
  const server = await startCbos(other, { CBOS_CLAUDE_COMMAND: wrapper });
  const created = await server.call<Session>('POST', '/sessions', {
    slug: 'W',
    type: 'screen',
    path: other.projectDir,
  });
  await server.untilStatus('W', 'idle/ready');
  const pid = Number(created.body.screen_id?.split('.')[0]);
  process.kill(pid, 'SIGSTOP');
  const { status } = await server.until(
    'W',
    (one) => one.status.because.rule === 'process.stopped' && one.status.unchanged_ms > LONG_STOPPED_MS,
    'stays stopped',
  );
  expect(status.primary).toBeNull();
  process.kill(pid, 'SIGCONT');
  await server.untilStatus('W', 'idle/ready');
});

test('its end is noticed and cleaned up as usual, after its socket was made again', async () => {
  await cbos.until('LOST', (one) => one.status.primary === 'idle', 'is done');
  expect((await cbos.cli(['kill', 'LOST'])).code).toBe(0);
  await cbos.untilStatus('LOST', 'dead/null');
  expect(isRunning(daemon)).toBe(false);
  expect(socketsOf(world)).toEqual([]);
});
