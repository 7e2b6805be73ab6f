import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Delivery } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld, type World } from '../harness/world.ts';

const AGENT = fileURLToPath(new URL('../harness/late-agent.mjs', import.meta.url));

let world: World;
let cbos: Cbos;
let received: string;
beforeAll(async () => {
  world = createWorld();
  received = join(world.dir, 'received');
  const command = join(world.dir, 'agent');
  writeFileSync(command, `#!/bin/sh\nLATE_AGENT_RECEIVED='${received}' exec '${process.execPath}' '${AGENT}' "$@"\n`, {
    mode: 0o755,
  });
  cbos = await startCbos(world, { CBOS_CLAUDE_COMMAND: command });
});
afterAll(() => world.dispose());

const send = (slug: string, text: string, queue = false) =>
  cbos.call<Delivery>('POST', `/sessions/${slug}/send`, { text, ...(queue ? { queue } : {}) });
const prompts = (): string[] =>
  readFileSync(received, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

async function start(slug: string): Promise<void> {
  await cbos.call('POST', '/sessions', { slug, type: 'screen', path: world.projectDir });
  await cbos.untilStatus(slug, 'idle/ready');
}

/** Lets the agent take the next step. */
const tell = (what: 'closes' | 'draws'): void => writeFileSync(`${received}.${what}`, '');

function untilDelivered(slug: string, id: string) {
  let last: Delivery[] = [];
  return waitFor(
    async () => {
      last = (await cbos.call<Delivery[]>('GET', `/sessions/${slug}/deliveries`)).body;
      return last.find((one) => one.id === id)?.status === 'delivered';
    },
    { describe: `${id} is delivered`, actual: () => last },
  );
}

test('a text that appears in the prompt only long after the view over it was closed is not typed again next to it', async () => {
  await start('LATE');
  const { body } = await send('LATE', 'late: shown after the view');
  expect(body).toMatchObject({ status: 'queued', note: expect.stringContaining('view') });
  await cbos.until('LATE', ({ view }) => view?.name === 'transcript', 'shows the view');
  tell('closes');
  await cbos.until('LATE', ({ view }) => view === undefined, 'shows the empty prompt');
  tell('draws');
  await untilDelivered('LATE', body.id);
  expect(prompts().filter((prompt) => prompt.includes('late:'))).toEqual(['late: shown after the view']);
});

test('a text that its hook reports while it is removed from the box was taken: it is not sent again', async () => {
  await start('STUCK');
  const { body } = await send('STUCK', 'stuck: taken and shown still');
  expect(body.status).toBe('sent');
  const next = (await send('STUCK', 'the next one', true)).body;
  await untilDelivered('STUCK', next.id);
  await untilDelivered('STUCK', body.id);
  expect(prompts().filter((prompt) => !prompt.includes('late:'))).toEqual([
    'stuck: taken and shown still',
    'the next one',
  ]);
});
