import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { startCbos } from '../harness/cbos.ts';
import { createWorld } from '../harness/world.ts';

const STUB = fileURLToPath(new URL('../harness/stub-agent.sh', import.meta.url));
/** Enough descriptors for a request and a file, too few for the pipes to a program. */
const LEFT = 4;
const MANY = 1_024;

test('a server that can hardly open a file keeps running, reports the limit, and recovers afterwards', async ({
  skip,
}) => {
  await using world = createWorld();
  const cbos = await startCbos(world, { CBOS_CLAUDE_COMMAND: STUB });
  const create = (slug: string) =>
    cbos.call<Session>('POST', '/sessions', { slug, type: 'screen', path: world.projectDir });
  expect((await create('RUNS')).error).toBeNull();
  const limit = (most: number) => spawnSync('prlimit', ['--pid', String(cbos.pid), `--nofile=${most}:${MANY}`]).status;
  if (limit(MANY) !== 0) return skip('no limit may be set here');

  expect(limit(readdirSync(`/proc/${cbos.pid}/fd`).length + LEFT)).toBe(0);
  const refused = await create('NEW');
  expect(refused).toMatchObject({
    status: 503,
    error: { code: 'process_limit', hint: expect.stringContaining('ulimit -n') },
  });
  expect((await cbos.call('PATCH', '/sessions/RUNS', { slug: 'RENAMED' })).error?.code).toBe('process_limit');
  expect((await cbos.call<Session[]>('GET', '/sessions')).body.map(({ slug }) => slug)).toEqual(['RUNS']);

  expect(limit(MANY)).toBe(0);
  expect((await create('NEW')).error).toBeNull();
  expect((await cbos.call('PATCH', '/sessions/RUNS', { slug: 'RENAMED' })).error).toBeNull();
});
