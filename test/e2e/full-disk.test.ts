import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseHeader, parseTiming } from '../../src/core/recording/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { mountSmallDisk, type SmallDisk } from '../harness/small-disk.ts';
import { waitFor } from '../harness/wait-for.ts';

let world: ClaudeWorld;
let disk: SmallDisk | null;
let cbos: Cbos;
beforeEach(async () => {
  world = await claudeWorld();
  disk = mountSmallDisk(world, world.streamDir, '1m');
});
afterEach(() => world.dispose());

/** What the timing counts of output, and what there is. */
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

test('a session whose recording stops on a full disk says so, is not read from an old screen, and is seen again afterwards', async (context) => {
  if (disk === null) return context.skip('nothing may be mounted here');
  cbos = await startCbos(world);
  expect((await cbos.cli(['new', 'AUTH', '--cols', '100', '--rows', '30'])).code).toBe(0);
  await cbos.until('AUTH', (one) => one.status.primary === 'idle', 'is idle');
  const watcher = await cbos.watch();
  watcher.send({ type: 'subscribe', sessions: ['AUTH'] });
  disk.fill();
  const sizeBefore = statSync(join(world.streamDir, 'AUTH.typescript')).size;

  // It asks while nothing of it is recorded: the hook tells, and the options are not known.
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
  // What was lost is not counted any more, so everything after it has its time.
  await waitFor(() => bytesOf('AUTH').counted === bytesOf('AUTH').recorded, {
    describe: 'the timing counts what is recorded',
    actual: () => bytesOf('AUTH'),
  });
});
