import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld, type World } from '../harness/world.ts';
import { makeEndedSessions } from './harness/ended-sessions.ts';

const COUNT = 20;
const RECORDING_BYTES = 200_000;
/**
 * A server that reads less than this in this time is idle: only the regular checks of the sessions read anything.
 */
const REST_MS = 2_000;
const REST_BYTES = 20_000;
/**
 * The thread that reads recordings gives this many answers without looking into its index. A server that gets no
 * processor time also reads little, so reading little alone does not prove rest.
 */
const REST_ANSWERS = 20;

/** Starts a server, waits until it is idle, and ends it. @returns the number of bytes that it read */
async function run(world: World, look?: (cbos: Cbos) => Promise<void>): Promise<number> {
  const cbos = await startCbos(world);
  await look?.(cbos);
  let read = bytesRead(cbos.pid);
  await waitFor(
    async () => {
      await delay(REST_MS);
      for (let answer = 0; answer < REST_ANSWERS; answer += 1) await cbos.call('GET', '/search?q=.');
      const before = read;
      read = bytesRead(cbos.pid);
      return read - before < REST_BYTES;
    },
    { describe: 'the server is idle', timeoutMs: 90_000 },
  );
  await cbos.stop();
  return read;
}

/** Returns the bytes that all threads of a process have read so far, from any file. */
function bytesRead(pid: number): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);
}

/** Returns how many recordings are indexed completely, according to the index. */
function doneRecordings({ cbosHome }: World): number {
  const database = new DatabaseSync(join(cbosHome, 'search.db'), { readOnly: true });
  try {
    return (database.prepare('SELECT count(*) AS done FROM done').get() as { done: number }).done;
  } finally {
    database.close();
  }
}

test('a start reads nothing again of sessions that have ended and were indexed, and lists them all', async () => {
  await using empty = createWorld();
  await using world = createWorld();
  const ownBytes = await run(empty);
  makeEndedSessions(world, { count: COUNT, changes: 20, recordingBytes: RECORDING_BYTES });
  const first = await run(world, async () => {
    await waitFor(() => doneRecordings(world) === COUNT, {
      describe: 'all recordings are indexed',
      actual: () => doneRecordings(world),
      timeoutMs: 90_000,
    });
  });
  const again = await run(world, async (cbos) => {
    const { body } = await cbos.call<Session[]>('GET', '/sessions');
    expect(body.map(({ state }) => state)).toEqual(Array.from({ length: COUNT }, () => 'dead'));
  });
  expect(first - ownBytes).toBeGreaterThan(COUNT * RECORDING_BYTES);
  // The server also reads other things, and how much depends on the time that it takes to come to rest.
  expect(again - ownBytes).toBeLessThan((first - ownBytes) / 10);
});
