import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { runCbos } from '../test/harness/cbos.ts';
import { waitFor } from '../test/harness/wait-for.ts';
import { createWorld, type World } from '../test/harness/world.ts';
import { type Figure, median } from './figures.mjs';
import { memoryMegabytes, startGrowing } from './growing-recordings.ts';

export const about =
  'a session whose recording is 1 GB, real turns of Claude Code repeated: how soon `cbos up` is ready, what is shown then, and what the server uses in the minute after';

const SOURCE = 'test/fixtures/recordings/2.1.329/long';
const BYTES = 1_000_000_000;
const STARTS = 5;
/** How long to watch the server. In this time, the recording is packed and indexed without any request. */
const WATCHED_MS = 45_000;

export async function measure(): Promise<Figure[]> {
  await using world = createWorld();
  const { cbos, slugs, files, timings } = await startGrowing(world, 1);
  const [slug = ''] = slugs;
  await cbos.stop();
  grow(files[0] ?? '', timings[0] ?? '');
  const port = await world.freePort();
  const env = { CBOS_PORT: String(port) };
  const ready: number[] = [];
  for (let count = 0; count < STARTS; count++) {
    if (count > 0) await down(world, env);
    const startedAt = performance.now();
    const { code, stderr } = await runCbos(world, ['up'], { env });
    ready.push(performance.now() - startedAt);
    if (code !== 0) throw new Error(stderr);
  }
  world.onDispose(() => down(world, env));
  const pid = await serverPid(world);
  const atStart = memoryMegabytes(pid);
  const buffer = await timed(async () => {
    const { stdout } = await runCbos(world, ['buffer', slug], { env });
    if (stdout.trim() === '') throw new Error('nothing is shown');
  });
  let peak = atStart;
  const until = performance.now() + WATCHED_MS;
  while (performance.now() < until) {
    peak = Math.max(peak, memoryMegabytes(pid));
    await delay(100);
  }
  return [
    { name: 'cbos up, median', value: median(ready), unit: 'ms', limit: 1_000 },
    { name: 'cbos up, slowest', value: Math.max(...ready), unit: 'ms', limit: 1_000 },
    { name: 'its screen, by cbos buffer, right after', value: buffer, unit: 'ms' },
    { name: 'server, memory when it is ready', value: atStart, unit: 'MB' },
    { name: 'server, memory while it indexes and packs, at most', value: peak, unit: 'MB', limit: 500 },
  ];
}

/** Appends the turns one after another to what the session itself wrote. */
function grow(typescript: string, timing: string): void {
  const source = readFileSync(`${SOURCE}.typescript`);
  const rows = readFileSync(`${SOURCE}.timing`, 'utf8');
  const output = rows
    .trimEnd()
    .split('\n')
    .reduce((sum, row) => sum + Number(/^(?:O )?[\d.]+ (\d+)$/.exec(row)?.[1] ?? 0), 0);
  const begin = source.indexOf('\n') + 1;
  const body = source.subarray(begin, begin + output);
  const files = [openSync(typescript, 'a'), openSync(timing, 'a')] as const;
  // Converts the rows to script's advanced format.
  const advanced = rows.replace(/^(?=\d)/gm, 'O ');
  for (let written = 0; written < BYTES; written += body.length) {
    writeSync(files[0], body);
    writeSync(files[1], advanced);
  }
  files.forEach(closeSync);
}

async function down(world: World, env: Record<string, string>): Promise<void> {
  await runCbos(world, ['down'], { env });
}

async function serverPid(world: World): Promise<number> {
  return waitFor(() => world.processes().find(({ command }) => command.includes('serve'))?.pid, {
    describe: 'the server is found',
  });
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
