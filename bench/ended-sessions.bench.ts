import { setTimeout as delay } from 'node:timers/promises';
import { makeEndedSessions } from '../test/faults/harness/ended-sessions.ts';
import { startCbos } from '../test/harness/cbos.ts';
import { createWorld, type World } from '../test/harness/world.ts';
import type { Figure } from './figures.mjs';
import { processorSeconds } from './processor-time.ts';

export const about =
  '1,000 ended sessions, each with a recording of a real turn repeated to 0.5 MB and 200 changes of its status: how long a server takes to answer, and the processor time it uses until it is idle, on the first start and on each later one';

/**
 * How long the server must use less than a tenth of a core to count as idle. By the end of this time, it has also
 * cleaned up recordings (10 s after the start).
 */
const REST_MS = 3_000;
const AT_LEAST_MS = 14_000;

export async function measure(): Promise<Figure[]> {
  const none = await startEmpty();
  await using world = createWorld();
  makeEndedSessions(world, { count: 1_000, changes: 200, recordingBytes: 500_000 });
  const first = await startAndRest(world);
  const second = await startAndRest(world);
  return [
    { name: 'the first start: it answers after', value: first.readyMs, unit: 'ms' },
    { name: 'the first start: processor time until it is idle', value: first.processorS, unit: 's' },
    { name: 'a later start: it answers after', value: second.readyMs, unit: 'ms' },
    { name: 'a later start: processor time until it is idle', value: second.processorS, unit: 's' },
    { name: 'a later start: share of the first', value: (second.processorS / first.processorS) * 100, unit: '%' },
    {
      name: 'a later start: compared with one without sessions',
      value: second.processorS / none.processorS,
      unit: '×',
    },
    {
      name: 'a later start: it answers after, compared with one without sessions',
      value: second.readyMs / none.readyMs,
      unit: '×',
    },
  ];
}

/** For comparison, measures a start on the same machine at the same time with nothing to read. */
async function startEmpty(): Promise<{ readyMs: number; processorS: number }> {
  await using world = createWorld();
  return await startAndRest(world);
}

async function startAndRest(world: World): Promise<{ readyMs: number; processorS: number }> {
  const startedAt = performance.now();
  const cbos = await startCbos(world);
  const readyMs = performance.now() - startedAt;
  let last = processorSeconds(cbos.pid);
  let lookedAt = performance.now();
  for (;;) {
    await delay(REST_MS);
    const now = processorSeconds(cbos.pid);
    const seconds = (performance.now() - lookedAt) / 1_000;
    const isResting = (now - last) / seconds < 0.1;
    last = now;
    lookedAt = performance.now();
    if (isResting && performance.now() - startedAt > AT_LEAST_MS) break;
  }
  await cbos.stop();
  return { readyMs, processorS: last };
}
