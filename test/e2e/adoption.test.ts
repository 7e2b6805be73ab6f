import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Delivery, Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

let world: ClaudeWorld;
let cbos: Cbos;
beforeEach(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
});
afterEach(() => world.dispose());

/** Starts a Screen session as a person does, without CBOS. */
async function startForeign(name: string, command: readonly string[] = [world.claude]): Promise<void> {
  const screen = spawn('screen', ['-U', '-dmS', name, ...command], {
    env: world.env,
    cwd: world.projectDir,
    stdio: 'ignore',
  });
  await once(screen, 'exit');
}

async function listed(slug: string): Promise<Session> {
  await waitFor(async () => (await cbos.call('GET', `/sessions/${slug}`)).status === 200, {
    describe: `${slug} is listed`,
  });
  return cbos.session(slug);
}

describe('a Screen session that something else started', () => {
  test('is listed automatically, whether it or the server started first, and only observed', async () => {
    await startForeign('before!');
    cbos = await startCbos(world);
    await startForeign('later');
    expect(await listed('before')).toMatchObject({ adopted: false, path: world.projectDir, type: 'screen' });
    await listed('later');
    await cbos.until('later', (one) => one.status.primary === 'idle', 'is idle by the registry');
    expect((await cbos.session('later')).status.because.source).toBe('registry');
    const refused = await cbos.call('POST', '/sessions/later/send', { text: 'hi' });
    expect(refused).toMatchObject({ status: 409, error: { code: 'not_adopted' } });
    expect(readdirSync(world.streamDir)).toEqual([]);
  });

  test('has a status even if Claude Code has reported it before the session was found', async () => {
    await startForeign('hidden');
    const registry = join(world.home, '.claude', 'sessions');
    const isIdle = (file: string): boolean => readFileSync(join(registry, file), 'utf8').includes('"idle"');
    await waitFor(() => existsSync(registry) && readdirSync(registry).some(isIdle), {
      describe: 'Claude Code is idle',
    });
    const [socket = ''] = readdirSync(world.screenDir);
    renameSync(join(world.screenDir, socket), join(world.temporary, socket));
    cbos = await startCbos(world);
    expect((await cbos.call<Session[]>('GET', '/sessions')).body).toEqual([]);
    renameSync(join(world.temporary, socket), join(world.screenDir, socket));
    await listed('hidden');
    await cbos.until('hidden', (one) => one.status.primary === 'idle', 'is idle by the registry');
  });

  test('without Claude Code in it does not concern CBOS', async () => {
    cbos = await startCbos(world);
    await startForeign('shell', ['/bin/sh']);
    await startForeign('claude');
    await listed('claude');
    expect((await cbos.call<Session[]>('GET', '/sessions')).body.map((one) => one.slug)).toEqual(['claude']);
  });

  test('is recorded and accepts texts once it is adopted', async () => {
    cbos = await startCbos(world);
    await startForeign('mine');
    const session = await listed('mine');
    await cbos.until('mine', (one) => one.status.primary === 'idle', 'is idle');
    const adopted = await cbos.cli(['adopt', session.screen_id ?? '', 'TAKEN', '--json']);
    expect(adopted.code, adopted.stderr).toBe(0);
    await cbos.until('TAKEN', (one) => one.status.because.source === 'screen', 'is read from its screen');
    const sent = await cbos.call<Delivery>('POST', '/sessions/TAKEN/send', { text: 'scene:permission' });
    expect(sent.body.status).toBe('delivered');
    const asks = await cbos.untilStatus('TAKEN', 'waiting/permission');
    expect(asks.status.question?.options.map((option) => option.key)).toContain('1');
    expect(readFileSync(join(world.streamDir, 'TAKEN.typescript'), 'utf8')).toContain('proceed');
    expect((await cbos.call('POST', '/sessions/adopt', { screen_id: session.screen_id })).error?.code).toBe(
      'already_adopted',
    );
    expect((await cbos.cli(['kill', 'TAKEN'])).code).toBe(0);
    await waitFor(() => readdirSync(world.screenDir).length === 0, { describe: "Screen's socket is gone" });
  });

  test('that does not exist cannot be adopted, and an invalid slug changes nothing', async () => {
    cbos = await startCbos(world);
    expect((await cbos.call('POST', '/sessions/adopt', { screen_id: '1.none' })).error?.code).toBe('no_such_screen');
    await startForeign('kept');
    const session = await listed('kept');
    const refused = await cbos.call('POST', '/sessions/adopt', { screen_id: session.screen_id, slug: '../x' });
    expect(refused.error?.code).toBe('invalid_slug');
    expect(await cbos.session('kept')).toMatchObject({ adopted: false });
    expect(existsSync(join(world.streamDir, 'kept.typescript'))).toBe(false);
  });
});
