import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseHeader, parseTiming } from '../../src/core/recording/index.ts';
import { mountSmallDisk } from '../faults/harness/disk.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

let world: ClaudeWorld;
let cbos: Cbos;
beforeEach(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
});
afterEach(() => world.dispose());

/** Returns the number of output bytes according to the timing, and the number that is in the recording. */
function bytesOf(slug: string): { counted: number; recorded: number } {
  const [typescript, timing] = ['typescript', 'timing'].map((ending) => join(world.streamDir, `${slug}.${ending}`));
  const bytes = readFileSync(typescript ?? '');
  const header = parseHeader(bytes);
  const { entries } = parseTiming(readFileSync(timing ?? '', 'latin1'));
  return {
    counted: entries.reduce((sum, entry) => sum + (entry.kind === 'output' ? entry.bytes : 0), 0),
    recorded: bytes.length - (header.kind === 'header' ? header.header.end : 0),
  };
}

test('a session whose recording stops on a full disk reports it, is not judged by an old screen, and is seen again afterwards', async (context) => {
  const disk = mountSmallDisk(world, world.streamDir, '1m');
  if (disk === null) return context.skip('nothing may be mounted here');
  cbos = await startCbos(world);
  expect((await cbos.cli(['new', 'AUTH', '--cols', '100', '--rows', '30'])).code).toBe(0);
  await cbos.until('AUTH', (one) => one.status.primary === 'idle', 'is idle');
  const watcher = await cbos.watch();
  watcher.send({ type: 'subscribe', sessions: ['AUTH'] });
  disk.fill();
  const sizeBefore = statSync(join(world.streamDir, 'AUTH.typescript')).size;

  // The session asks while nothing is recorded. The hook reports the question, but the options are unknown.
  expect((await cbos.cli(['send', 'AUTH', 'scene:permission'])).code).toBe(0);
  await cbos.until('AUTH', (one) => one.recording_stopped_at !== null, 'is known to be not recorded');
  const asking = await cbos.untilStatus('AUTH', 'waiting/permission');
  expect(asking.status.because.source).toBe('hook');
  expect(statSync(join(world.streamDir, 'AUTH.typescript')).size - sizeBefore).toBeLessThan(4_096);
  for (const args of [['show', 'AUTH'], ['ls'], ['status']]) {
    expect((await cbos.cli(args)).stdout, args.join(' ')).toMatch(/not recorded/);
  }

  disk.free();
  await cbos.until('AUTH', (one) => one.recording_stopped_at === null, 'is recorded again');
  const seen = await cbos.until('AUTH', (one) => (one.status.question?.options.length ?? 0) > 1, 'has its options');
  expect(seen.status.question?.options.map((option) => option.label)).toContain('Yes');
  expect(watcher.frames.some((frame) => frame.type === 'reset' && frame.session === 'AUTH')).toBe(true);
  expect((await cbos.cli(['answer', 'AUTH', 'yes'])).code).toBe(0);
  await cbos.untilStatus('AUTH', 'idle/waiting_input');
  // The timing no longer counts the lost bytes, so all later output has the right time.
  await waitFor(() => bytesOf('AUTH').counted === bytesOf('AUTH').recorded, {
    describe: 'the timing counts what is recorded',
    actual: () => bytesOf('AUTH'),
  });
});

test('an adopted session, which Screen records and no hook reports, shows it too, and is seen again afterwards', async (context) => {
  const disk = mountSmallDisk(world, world.streamDir, '1m');
  if (disk === null) return context.skip('nothing may be mounted here');
  cbos = await startCbos(world);
  const screen = spawn('screen', ['-U', '-dmS', 'mine', world.claude], { env: world.env, cwd: world.projectDir });
  await once(screen, 'exit');
  await waitFor(async () => (await cbos.call('GET', '/sessions/mine')).status === 200, { describe: 'it is listed' });
  await cbos.until('mine', (one) => one.status.primary === 'idle', 'is idle');
  expect((await cbos.cli(['adopt', 'mine'])).code).toBe(0);
  await cbos.until('mine', (one) => one.status.because.source === 'screen', 'is read from its screen');
  const recording = join(world.streamDir, 'mine.typescript');
  disk.fill();
  const sizeBefore = statSync(recording).size;

  expect((await cbos.cli(['send', 'mine', 'scene:permission'])).code).toBe(0);
  await cbos.until('mine', (one) => one.recording_stopped_at !== null, 'is known to be not recorded');
  const asking = await cbos.until('mine', (one) => one.status.primary === 'waiting', 'waits');
  expect(asking.status.because.source).toBe('registry');
  expect(statSync(recording).size - sizeBefore).toBeLessThan(4_096);
  expect((await cbos.cli(['show', 'mine'])).stdout).toMatch(/not recorded/);

  disk.free();
  await cbos.until('mine', (one) => one.recording_stopped_at === null, 'is recorded again');
  const seen = await cbos.until('mine', (one) => (one.status.question?.options.length ?? 0) > 1, 'has its options');
  expect(seen.status.question?.options.map((option) => option.label)).toContain('Yes');
  // CBOS has the dialog drawn again, and no hook tells that it is still the same. Until then, its id may change.
  const answered = async (): Promise<boolean> => {
    const { code, stderr } = await cbos.cli(['answer', 'mine', 'yes']);
    if (code !== 0) expect(stderr).toContain('Another question is open now');
    return code === 0;
  };
  await waitFor(answered, { describe: 'the answer is taken' });
  await cbos.untilStatus('mine', 'idle/waiting_input');
  expect(readFileSync(recording, 'utf8')).toContain('proceed');
});

test('a server whose home has no room left stays up, refuses what it could not record, and continues when there is room', async (context) => {
  const disk = mountSmallDisk(world, world.cbosHome, '2m');
  if (disk === null) return context.skip('nothing may be mounted here');
  cbos = await startCbos(world);
  expect((await cbos.cli(['new', 'J', '--type', 'json'])).code).toBe(0);
  disk.fill();
  const reply = { session_slug: 'J', response: 'x'.repeat(20_000) };
  // The last block of the write-ahead log may have room for a little more.
  await waitFor(async () => (await cbos.call('POST', '/stash', reply)).status === 507, { describe: 'it is full' });
  const kept = (await cbos.call<unknown[]>('GET', '/stash')).body.length;
  const refused = await cbos.cli(['new', 'B']);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('disk that holds the home directory') });
  expect((await cbos.call('POST', '/sessions/J/send', { text: 'hello' })).error?.code).toBe('disk_full');
  expect((await cbos.call<unknown[]>('GET', '/sessions')).body).toHaveLength(1);
  expect((await cbos.cli(['doctor'])).stdout).toMatch(/Home: .* free\n/);
  // The server continues although its log cannot be written.
  process.kill(cbos.pid, 0);

  disk.free();
  expect((await cbos.call('POST', '/stash', reply)).error).toBe(null);
  expect((await cbos.call<unknown[]>('GET', '/stash')).body).toHaveLength(kept + 1);
  expect((await cbos.cli(['send', 'J', 'scene:hello'])).code).toBe(0);
  await cbos.untilStatus('J', 'idle/waiting_input');
  const history = await cbos.call<{ state: string }[]>('GET', '/sessions/J/history');
  expect(history.body.map(({ state }) => state)).toContain('thinking');
});
