import { existsSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Delivery } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { garble } from './harness/disk.ts';
import { logOf } from './harness/files.ts';

/**
 * The sizes of the log's header, and of a frame with its header and one page. See
 * https://sqlite.org/fileformat2.html#walformat
 */
const HEADER = 32;
const FRAME = 24 + 4_096;

let world: ClaudeWorld;
let cbos: Cbos;
let slugs = 0;
beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  cbos = await startCbos(world);
  expect(
    (await cbos.call('POST', '/sessions', { slug: 'AUTH', type: 'screen', path: world.projectDir })).error,
  ).toBeNull();
  await cbos.untilStatus('AUTH', 'idle/ready');
});
afterAll(() => world.dispose());

const log = (): string => join(world.cbosHome, 'cbos.db-wal');
const putAside = (): string => `${log()}.damaged`;
const frames = (): number => Math.floor((statSync(log()).size - HEADER) / FRAME);
const timesTold = (): number => logOf(world).split("the database's log could not be read").length - 1;

/** Kills the server right after it has written to the database, so that the log is not empty. */
async function killAfterWriting(): Promise<void> {
  slugs += 1;
  for (const slug of [`J${slugs}`, `K${slugs}`])
    expect((await cbos.call('POST', '/sessions', { slug, type: 'json', path: world.projectDir })).error).toBeNull();
  await cbos.stop('SIGKILL');
}

test.each([
  [
    'in its frames, with its header intact',
    () => garble(log(), { from: HEADER, bytes: statSync(log()).size - HEADER }),
  ],
  ['in the middle', () => garble(log(), { from: HEADER + (frames() - 3) * FRAME + 500, bytes: 2_000 })],
  ['by losing its end', () => truncateSync(log(), HEADER + (frames() - 2) * FRAME)],
  ['in its header', () => garble(log(), { from: 8, bytes: 4 })],
])('a log that is damaged %s is set aside and reported, and its sessions are listed', async (_, damage) => {
  await killAfterWriting();
  damage();
  const before = timesTold();
  cbos = await startCbos(world);
  expect(timesTold()).toBe(before + 1);
  expect((await cbos.cli(['doctor'])).stdout).toMatch(/Database: .*cbos\.db-wal\.damaged could not be read/);
  rmSync(putAside());
  for (const slug of [`J${slugs}`, `K${slugs}`]) expect((await cbos.session(slug)).type).toBe('json');
  await cbos.until('AUTH', ({ status }) => status.primary === 'idle', 'is idle');
  const sent = await cbos.call<Delivery>('POST', '/sessions/AUTH/send', { text: `scene:hello ${slugs}` });
  expect(sent.body).toMatchObject({ status: 'delivered' });
  await cbos.until('AUTH', ({ status }) => status.primary === 'idle', 'has answered');
});

test('a log that a killed server left, whole or with an unfinished transaction, is not called damaged', async () => {
  for (const cut of [0, 100]) {
    await killAfterWriting();
    if (cut > 0) garble(log(), { from: statSync(log()).size, bytes: cut });
    const before = timesTold();
    cbos = await startCbos(world);
    expect([timesTold(), existsSync(putAside())]).toEqual([before, false]);
    for (const slug of [`J${slugs}`, `K${slugs}`]) expect((await cbos.session(slug)).slug).toBe(slug);
  }
});
