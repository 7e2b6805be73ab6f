import { readFileSync } from 'node:fs';
import { playRestless } from '../test/harness/restless-clients.ts';
import { createWorld } from '../test/harness/world.ts';
import type { Figure } from './figures.mjs';
import { memoryMegabytes, startGrowing } from './growing-recordings.ts';

export const about =
  '20 sessions write 50 MB in all, 10 clients lose their connection at random and continue by offset: every frame and the stream as a file compared with the recording, byte for byte';

const SESSIONS = 20;
const CLIENTS = 10;
const TOTAL_BYTES = 50_000_000;
/** The default seed. BENCH_SEED overrides it. */
const SEED = 20_261_121;

export async function measure(): Promise<Figure[]> {
  await using world = createWorld();
  const { cbos, slugs, files } = await startGrowing(world, SESSIONS);
  const recordings = files.map((file, index) => ({
    slug: slugs[index] ?? '',
    file,
    start: readFileSync(file).indexOf('\n') + 1,
  }));
  const before = memoryMegabytes(cbos.pid);
  const startedAt = performance.now();
  const { reconnects, snapshots } = await playRestless({
    world,
    url: cbos.url,
    token: cbos.token,
    recordings,
    clients: CLIENTS,
    totalBytes: TOTAL_BYTES,
    seed: Number(process.env.BENCH_SEED ?? SEED),
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = memoryMegabytes(cbos.pid);
  let different = 0;
  for (const { slug, file } of recordings) {
    const answer = await fetch(`${cbos.url}/sessions/${slug}/stream`, {
      headers: { authorization: `Bearer ${cbos.token}` },
    });
    if (!Buffer.from(await answer.arrayBuffer()).equals(readFileSync(file))) different++;
  }
  return [
    // The first difference would have ended the benchmark.
    { name: 'bytes in which a client differed from the file', value: 0, unit: 'bytes', limit: 0 },
    { name: 'streams that differed from their file', value: different, unit: 'of 20', limit: 0 },
    { name: 'written', value: TOTAL_BYTES / 1e6, unit: 'MB' },
    { name: 'connections lost and resumed', value: reconnects, unit: 'times' },
    { name: 'of these for being too slow', value: snapshots, unit: 'times' },
    { name: 'all output received by all clients after', value: seconds, unit: 's' },
    { name: 'server, memory above the start, at the end', value: after - before, unit: 'MB' },
  ];
}
