import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseHeader, parseTiming, parseTrailer } from '../../../src/core/recording/index.ts';
import { endsAtBlock, writeFault } from '../../../src/platform/files/write-fault.ts';
import { followTiming, watchLosses } from '../../../src/platform/recorder/index.ts';
import { mountSmallDisk, type SmallDisk } from '../../faults/harness/disk.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorld, type World } from '../../harness/world.ts';

/** Far more than the room in the last page of a full disk. */
const LOST_BYTES = 40_000;

let world: World;
let disk: SmallDisk | null;
let output: string;
let timing: string;
beforeEach(() => {
  world = createWorld();
  disk = mountSmallDisk(world, join(world.dir, 'tiny-disk'), '256k');
  output = join(disk?.dir ?? '', 'AUTH.typescript');
  timing = join(disk?.dir ?? '', 'AUTH.timing');
});
afterEach(() => world.dispose());

const say = (name: string): void => writeFileSync(join(world.dir, name), '');
const untilSaid = (name: string): string => `until [ -e ${join(world.dir, name)} ]; do sleep 0.02; done`;

/** Records a command as sessions are recorded, and reads what it shows. */
function record(command: string): { script: ChildProcess; seen: () => number } {
  const log = ['--log-out', output, '--log-timing', timing, '--logging-format', 'advanced'];
  const script = spawn('script', ['-q', '-f', '-e', ...log, '-c', command], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env.PATH, SHELL: '/bin/sh' },
  });
  let seen = 0;
  script.stdout.on('data', (bytes: Buffer) => {
    seen += bytes.length;
  });
  return { script, seen: () => seen };
}

const recorded = (): string => readFileSync(output, 'utf8');

test('on a full disk script lets its command continue, loses the output, and writes again when there is room', async (context) => {
  if (disk === null) return context.skip('no file system may be mounted here');
  const { script, seen } = record(
    `echo BEFORE; ${untilSaid('full')}; head -c ${LOST_BYTES} /dev/zero | tr '\\0' x; ${untilSaid('freed')}; echo AFTER; exit 3`,
  );
  const ended = once(script, 'exit');
  await waitFor(() => recorded().includes('\nBEFORE'), { describe: 'it records' });
  expect(await writeFault(disk.dir)).toBe(null);
  disk.fill();
  expect(await writeFault(disk.dir)).toBe('ENOSPC');
  say('full');
  await waitFor(() => seen() > LOST_BYTES, { describe: 'the command ran on, on the full disk' });
  expect(statSync(output).size).toBeLessThan(LOST_BYTES / 2);
  expect(await endsAtBlock(output)).toBe(true);
  disk.free();
  say('freed');
  expect((await ended)[0]).toBe(3);
  expect(recorded()).toContain('AFTER\r\n');
  expect(statSync(output).size).toBeLessThan(LOST_BYTES / 2);
});

test('lost output is noticed by the timing, which gives the right times again afterwards', async (context) => {
  if (disk === null) return context.skip('no file system may be mounted here');
  // Each line has its own row in the timing. The long lines fill the last block of the recording while the timing still
  // has room.
  const lines = (word: string) => `for i in $(seq 100 160); do echo ${word}$i; sleep 0.01; done`;
  const long = `LOST${'x'.repeat(100)}`;
  const { script } = record(
    `${lines('BEFORE')}; ${untilSaid('full')}; ${lines(long)}; ${untilSaid('freed')}; ${lines('AFTER')}; sleep 0.5`,
  );
  const ended = once(script, 'exit');
  await waitFor(() => recorded().includes('BEFORE160'), { describe: 'it records' });
  let isLost = false;
  const losses = watchLosses({
    typescript: output,
    timing,
    onLost: () => {
      isLost = true;
    },
    onError: (error) => expect.unreachable(String(error)),
  });
  const times = await followTiming(timing, { onSize: () => undefined, onRows: losses.rows });
  world.onDispose(() => {
    times.dispose();
    losses.dispose();
  });
  await waitFor(losses.isWatching, { describe: 'both files are compared' });
  disk.fill();
  say('full');
  await waitFor(() => isLost, { describe: 'the loss is noticed' });
  disk.free();
  say('freed');
  await ended;
  const bytes = readFileSync(output);
  const header = parseHeader(bytes);
  const start = header.kind === 'header' ? header.header.end : 0;
  const end = parseTrailer(bytes)?.start ?? bytes.length;
  const outputRows = () => parseTiming(readFileSync(timing, 'latin1')).entries.filter(({ kind }) => kind === 'output');
  const counted = () => outputRows().reduce((sum, row) => sum + (row.kind === 'output' ? row.bytes : 0), 0);
  await waitFor(() => counted() === end - start, { describe: 'the timing counts what is recorded', actual: counted });
  // Each of the last lines begins at the offset that its own row names.
  const places = new Set([start]);
  let at = start;
  for (const row of outputRows()) {
    at += row.kind === 'output' ? row.bytes : 0;
    places.add(at);
  }
  for (const line of ['AFTER100', 'AFTER130', 'AFTER160']) expect([...places]).toContain(bytes.indexOf(line));
});
