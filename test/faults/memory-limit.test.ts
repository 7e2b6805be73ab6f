import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Session } from '../../src/protocol/index.ts';
import { startCbos } from '../harness/cbos.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';
import { makeLimitedGroup } from './harness/cgroups.ts';

/** An idle server takes about 130 MB. */
const LIMIT_BYTES = 250_000_000;
const FLOOD_BYTES = 60_000_000;

test('a server that is limited to 250 MB stays within the limit, whatever a session writes and whoever does not read; its sessions are not limited', async ({
  skip,
}) => {
  await using world = createWorld();
  const group = makeLimitedGroup(world, 'memory');
  if (group === null) return skip('no control group may be made here');
  const go = join(world.dir, 'go');
  const agent = join(world.dir, 'agent');
  const flood = `head -c ${FLOOD_BYTES} /dev/urandom | base64 -w 150 | tr '\\n' '\\r\\n'`;
  writeFileSync(
    agent,
    [
      '#!/bin/sh',
      'if [ "$1" = --version ]; then echo "2.1.330 (Claude Code)"; exit; fi',
      `while [ ! -e '${go}' ]; do sleep 0.1; done`,
      `${flood}; printf '\\r\\nall was written\\r\\n'; exec sleep 1000`,
    ].join('\n'),
    { mode: 0o755 },
  );
  const before = await startCbos(world, { CBOS_CLAUDE_COMMAND: agent });
  const created = await before.call<Session>('POST', '/sessions', {
    slug: 'FLOOD',
    type: 'screen',
    path: world.projectDir,
  });
  expect(created.error).toBeNull();
  await before.stop();

  group.limit(LIMIT_BYTES);
  const cbos = await startCbos(world, {}, group.through);
  expect(group.used()).toBeGreaterThan(0);
  const reader = await cbos.watch();
  reader.send({ type: 'subscribe', sessions: ['*'] });
  const idler = new WebSocket(`${cbos.url.replace('http', 'ws')}/ws/stream`, ['cbos', `bearer.${cbos.token}`]);
  world.onDispose(() => idler.terminate());
  await once(idler, 'open');
  idler.send(JSON.stringify({ type: 'subscribe', sessions: ['*'] }));
  idler.pause();
  writeFileSync(go, '');
  await waitFor(
    async () => {
      const { body } = await cbos.call<{ buffer: string }>('GET', '/sessions/FLOOD/buffer?lines=5');
      return body.buffer.includes('all was written');
    },
    { describe: 'the flood is over', timeoutMs: 90_000 },
  );
  expect((await cbos.call<Session[]>('GET', '/sessions')).body).toHaveLength(1);
  // The server that answers is still the one that was started in the group.
  process.kill(cbos.pid, 0);
  expect(group.used()).toBeLessThanOrEqual(LIMIT_BYTES);
});
