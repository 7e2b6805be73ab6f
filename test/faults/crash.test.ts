import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let claudePid: number;
let slug = '';
let sessions = 0;
beforeAll(async () => {
  world = await claudeWorld();
  cbos = await startCbos(world);
});
afterAll(() => world.dispose());
beforeEach(async () => {
  sessions += 1;
  slug = `CRASH-${sessions}`;
  await cbos.call('POST', '/sessions', { slug, type: 'screen', path: world.projectDir });
  claudePid = (await cbos.untilStatus(slug, 'idle/ready')).pid ?? 0;
});

const send = (body: object) => cbos.call<Delivery>('POST', `/sessions/${slug}/send`, body);
const prompts = (mark: string): string[] => world.promptsReceived().filter((prompt) => prompt.includes(mark));

/** Kills the server as soon as it has written down that a text has got so far. */
async function killWhen(phase: 'typing' | 'entering', body: { text: string }): Promise<void> {
  const sending = send(body).catch(() => null);
  await waitFor(() => phaseOf(body.text) === phase, {
    describe: `${body.text} has got to ${phase}`,
    actual: () => phaseOf(body.text),
  });
  await cbos.stop('SIGKILL');
  await sending;
}

function phaseOf(text: string): string | null {
  const database = new DatabaseSync(join(world.cbosHome, 'cbos.db'), { readOnly: true });
  try {
    const row = database.prepare('SELECT phase FROM deliveries WHERE text = ?').get(text);
    return (row as { phase: string } | undefined)?.phase ?? null;
  } finally {
    database.close();
  }
}

async function restart(): Promise<void> {
  cbos = await startCbos(world);
}

function untilTold(body: object, status: Delivery['status']): Promise<Delivery> {
  let last: Delivery | null = null;
  return waitFor(
    async () => {
      last = (await send(body)).body;
      return last.status === status ? last : null;
    },
    { describe: `a client that asks again is told ${status}`, actual: () => last },
  );
}

describe('a server that is killed while it sends a text', () => {
  test('before Enter: the text with a key is sent once, and the same key tells so', async () => {
    const body = { text: 'scene:hello typed', idempotency_key: 'typed' };
    await killWhen('typing', body);
    await restart();
    await untilTold(body, 'delivered');
    await cbos.untilStatus(slug, 'idle/waiting_input');
    expect(prompts('typed')).toEqual(['scene:hello typed']);
  });

  test('as it types Enter: the text is sent once, whether Claude Code took it or not', async () => {
    const body = { text: 'scene:hello entered', idempotency_key: 'entered' };
    await killWhen('entering', body);
    await restart();
    await untilTold(body, 'delivered');
    await cbos.untilStatus(slug, 'idle/waiting_input');
    expect(prompts('entered')).toEqual(['scene:hello entered']);
  });

  test('before Enter, and nobody can ask for it again: it has failed, says so, and is not in the way of the next', async () => {
    await killWhen('typing', { text: 'scene:hello keyless' });
    await restart();
    const failed = (await cbos.call<Delivery[]>('GET', `/sessions/${slug}/deliveries`)).body[0];
    expect(failed).toMatchObject({ status: 'failed', note: expect.stringContaining('Send it again') });
    await untilTold({ text: 'scene:hello once more', idempotency_key: 'more' }, 'delivered');
    await cbos.untilStatus(slug, 'idle/waiting_input');
    expect(prompts('keyless')).toEqual([]);
    expect(prompts('once more')).toEqual(['scene:hello once more']);
  });

  test('before Enter, of a text that fills the window: it is sent once', async () => {
    const text = `scene:hello filling ${'words over words '.repeat(500)}end`;
    const body = { text, idempotency_key: 'filling' };
    await killWhen('typing', body);
    await restart();
    await untilTold(body, 'delivered');
    await cbos.untilStatus(slug, 'idle/waiting_input');
    expect(prompts('filling')).toEqual([text]);
  });

  test('before Enter, and the session ends with it: the text has failed, and the same key tells so', async () => {
    const body = { text: 'scene:hello lost', idempotency_key: 'lost' };
    await killWhen('typing', body);
    process.kill(claudePid, 'SIGKILL');
    await restart();
    expect(await untilTold(body, 'failed')).toMatchObject({ note: expect.stringContaining('did not arrive') });
    expect(prompts('lost')).toEqual([]);
  });
});
