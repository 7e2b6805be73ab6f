import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld, type World } from '../harness/world.ts';
import { makeEndedSessions } from './harness/ended-sessions.ts';

const COUNT = 20;
const RECORDING_BYTES = 200_000;
/** So little is read in so long that there is nothing left to do: only what looks after sessions reads. */
const REST_MS = 2_000;
const REST_BYTES = 20_000;

/** Starts a server, lets it come to rest when it has read at least so much, and ends it. */
async function run(world: World, leastBytes: number, look?: (cbos: Cbos) => Promise<void>): Promise<number> {
  const cbos = await startCbos(world);
  await look?.(cbos);
  let read = bytesRead(cbos.pid);
  await waitFor(
    async () => {
      await delay(REST_MS);
      const before = read;
      read = bytesRead(cbos.pid);
      return read - before < REST_BYTES && read >= leastBytes;
    },
    { describe: 'the server rests', timeoutMs: 90_000 },
  );
  await cbos.stop();
  return read;
}

/** What all threads of a process have read so far, from whatever it was. */
function bytesRead(pid: number): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);
}

test('a start reads nothing again of sessions that have ended and were indexed, and lists them all', async () => {
  await using empty = createWorld();
  await using world = createWorld();
  const ownBytes = await run(empty, 0);
  makeEndedSessions(world, { count: COUNT, changes: 20, recordingBytes: RECORDING_BYTES });
  const first = await run(world, ownBytes + COUNT * RECORDING_BYTES);
  const again = await run(world, 0, async (cbos) => {
    const { body } = await cbos.call<Session[]>('GET', '/sessions');
    expect(body.map(({ state }) => state)).toEqual(Array.from({ length: COUNT }, () => 'dead'));
  });
  expect(first - ownBytes).toBeGreaterThan(COUNT * RECORDING_BYTES);
  expect(again - ownBytes).toBeLessThan((COUNT * RECORDING_BYTES) / 10);
});
