import { waitFor } from '../test/harness/wait-for.ts';
import { createWorld } from '../test/harness/world.ts';
import type { Figure } from './figures.mjs';
import { appendOutput, followAll, startGrowing } from './growing-recordings.ts';
import { inspected, type SettledMemory } from './settled-server.ts';
import { sizeFrom } from './sizes.ts';

export const about =
  'resident memory of the server before and after floods and a client that reads nothing, and per idle session; each after the server was idle and V8 was told to collect';

const IDLE_SESSIONS = sizeFrom('BENCH_SESSIONS', 100);
/** What a server takes for its first sessions, such as compiled code, is not the cost of one more session. */
const FIRST_SESSIONS = Math.min(10, Math.floor(IDLE_SESSIONS / 2));

const FLOODED_SESSIONS = 4;
const FLOODS = 3;
const FLOOD = { bytesPerSecond: 30_000_000, writeBytes: 4_096, seconds: sizeFrom('BENCH_FLOOD_SECONDS', 5) };
/** 100 MB in a minute, as in the benchmark `slow-client`. */
const SLOW = { bytesPerSecond: 100_000_000 / 60, writeBytes: 1_500, seconds: sizeFrom('BENCH_SLOW_SECONDS', 60) };
/** This much output brings every session's scrollback and every cache to its full size. */
const WARM_UP = { ...SLOW, seconds: 6 };

export async function measure(): Promise<Figure[]> {
  const perSession = await measureIdle();
  const { before, afterFloods, afterSlow } = await measureFloods();
  return [
    { name: 'floods: resident before', value: before.collectedMb, unit: 'MB' },
    { name: 'floods: resident after', value: afterFloods.collectedMb, unit: 'MB' },
    { name: 'floods: kept', value: afterFloods.collectedMb - before.collectedMb, unit: 'MB', limit: 30 },
    { name: 'a client that reads nothing: resident after', value: afterSlow.collectedMb, unit: 'MB' },
    {
      name: 'a client that reads nothing: kept',
      value: afterSlow.collectedMb - before.collectedMb,
      unit: 'MB',
      limit: 30,
    },
    { name: 'kept without forced collection', value: afterSlow.residentMb - before.residentMb, unit: 'MB' },
    { name: "of it in V8's heap", value: afterSlow.heapMb - before.heapMb, unit: 'MB' },
    { name: 'of it in buffers', value: afterSlow.buffersMb - before.buffersMb, unit: 'MB' },
    ...perSession,
  ];
}

async function measureIdle(): Promise<Figure[]> {
  const first = await idleMemory(FIRST_SESSIONS);
  const all = await idleMemory(IDLE_SESSIONS);
  const more = IDLE_SESSIONS - FIRST_SESSIONS;
  return [
    { name: `${FIRST_SESSIONS} idle sessions: resident`, value: first.collectedMb, unit: 'MB' },
    { name: `${IDLE_SESSIONS} idle sessions: resident`, value: all.collectedMb, unit: 'MB' },
    { name: 'each idle session', value: (all.collectedMb - first.collectedMb) / more, unit: 'MB', limit: 1 },
    {
      name: 'each idle session, without forced collection',
      value: (all.residentMb - first.residentMb) / more,
      unit: 'MB',
    },
    { name: "each idle session, in V8's heap", value: (all.heapMb - first.heapMb) / more, unit: 'MB' },
  ];
}

async function idleMemory(sessions: number): Promise<SettledMemory> {
  await using world = createWorld();
  const server = await inspected(world);
  const { cbos } = await startGrowing(world, sessions, server.env);
  // Without `await`, the world would end first.
  return await server.settledMemory(cbos.pid);
}

async function measureFloods(): Promise<Record<'before' | 'afterFloods' | 'afterSlow', SettledMemory>> {
  await using world = createWorld();
  const server = await inspected(world);
  const growing = await startGrowing(world, FLOODED_SESSIONS, server.env);
  const { files, timings, cbos } = growing;
  await appendOutput({ files, timings, ...WARM_UP });
  const before = await server.settledMemory(cbos.pid);

  const reader = await followAll(world, growing);
  for (let flood = 0; flood < FLOODS; flood++) await appendOutput({ files, timings, ...FLOOD });
  reader.ws.close();
  const afterFloods = await server.settledMemory(cbos.pid);

  const slow = await followAll(world, growing);
  const other = await followAll(world, growing);
  slow.ws.pause();
  await appendOutput({ files, timings, ...SLOW });
  slow.ws.resume();
  await waitFor(() => slow.offset() === other.offset(), { describe: 'the slow client is where the other one is' });
  for (const { ws } of [slow, other]) ws.close();
  const afterSlow = await server.settledMemory(cbos.pid);
  return { before, afterFloods, afterSlow };
}
