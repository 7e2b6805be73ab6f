import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Delivery, Session, StashedResponse } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

let world: ClaudeWorld;
let cbos: Cbos;
beforeEach(async () => {
  world = await claudeWorld();
  cbos = await startCbos(world);
});
afterEach(() => world.dispose());

async function launch(slug: string): Promise<void> {
  const created = await cbos.call<Session>('POST', '/sessions', { slug, type: 'screen', path: world.projectDir });
  expect(created.status).toBe(201);
  await cbos.untilStatus(slug, 'idle/ready');
}

const send = (slug: string, text: string) => cbos.call<Delivery>('POST', `/sessions/${slug}/send`, { text });
const keep = async (session_slug: string, response: string, when?: string): Promise<StashedResponse> => {
  const kept = await cbos.call<StashedResponse>('POST', '/stash', {
    session_slug,
    response,
    ...(when === undefined ? {} : { when }),
  });
  expect(kept.error).toBeNull();
  return kept.body;
};
const stash = async (): Promise<StashedResponse[]> => (await cbos.call<StashedResponse[]>('GET', '/stash')).body;
const received = (count: number): Promise<true> =>
  waitFor(() => world.promptsReceived().length >= count, {
    describe: `${count} prompts arrive`,
    actual: () => world.promptsReceived(),
    timeoutMs: 30_000,
  });

describe('a stashed reply', () => {
  test('is applied by hand once, follows its session through a rename, and goes with it', async () => {
    await launch('OLD');
    const kept = await keep('OLD', 'scene:hello later');
    await cbos.call('PATCH', '/sessions/OLD', { slug: 'NEW' });
    expect(await stash()).toEqual([{ ...kept, session_slug: 'NEW' }]);

    const applied = await cbos.cli(['stash', 'apply', kept.id.slice(0, 8)]);
    expect(applied).toMatchObject({ code: 0, stderr: '' });
    await cbos.untilStatus('NEW', 'idle/waiting_input');
    const again = await cbos.call('POST', `/stash/${kept.id}/apply`);
    expect([again.status, again.error?.code]).toEqual([409, 'already_applied']);
    expect(world.promptsReceived()).toEqual(['scene:hello later']);
    const [reply] = await stash();
    const delivery = await cbos.call<Delivery>('GET', `/sessions/NEW/deliveries/${reply?.delivery_id}`);
    expect(delivery.body).toMatchObject({ status: 'delivered', text: 'scene:hello later' });

    await keep('NEW', 'never');
    await cbos.cli(['rm', 'NEW', '--yes']);
    expect(await stash()).toEqual([]);
  });

  test('is refused in a dialog and kept, with the question that it answers', async () => {
    await launch('ASKS');
    await send('ASKS', 'scene:permission');
    const { status } = await cbos.untilStatus('ASKS', 'waiting/permission');
    const kept = await keep('ASKS', 'scene:hello after that', 'next_waiting');
    expect(kept.question).toBe(status.question?.text);
    const refused = await cbos.call('POST', `/stash/${kept.id}/apply`);
    expect(refused).toMatchObject({ status: 409, error: { code: 'not_accepting_text' } });
    expect(await stash()).toMatchObject([{ applied: false }]);

    await cbos.call('POST', '/sessions/ASKS/answer', { choice: 'yes' });
    await received(2);
    expect(await stash()).toMatchObject([{ applied: true }]);
    expect(world.promptsReceived()).toEqual(['scene:permission', 'scene:hello after that']);
  });

  test('for the next waiting is applied after the turn, oldest first, one per turn', async () => {
    await launch('TURNS');
    await send('TURNS', 'scene:slow first');
    await cbos.untilStatus('TURNS', 'active/thinking');
    for (const name of ['one', 'two', 'three']) await keep('TURNS', `scene:hello ${name}`, 'next_waiting');
    expect((await stash()).map(({ applied }) => applied)).toEqual([false, false, false]);
    await received(4);
    await cbos.untilStatus('TURNS', 'idle/waiting_input');
    expect(world.promptsReceived()).toEqual([
      'scene:slow first',
      'scene:hello one',
      'scene:hello two',
      'scene:hello three',
    ]);
    const replies = await stash();
    expect(replies.map(({ applied }) => applied)).toEqual([true, true, true]);
    const times = replies.map(({ applied_at }) => applied_at);
    expect(times).toEqual([...times].sort());
  });

  test('is applied once at most through kills of the server, before it is due and while it is being typed', async () => {
    await launch('CRASH');
    await send('CRASH', 'scene:slow first');
    await cbos.untilStatus('CRASH', 'active/thinking');
    await keep('CRASH', 'scene:hello kept', 'next_waiting');
    const manual = await keep('CRASH', 'scene:hello by hand');
    await cbos.stop('SIGKILL');
    await waitFor(() => world.apiEvents.some((event) => event.kind === 'end'), {
      describe: 'the first turn ends',
      timeoutMs: 20_000,
    });

    cbos = await startCbos(world);
    // From the mark on, the text is on its way.
    await waitFor(async () => (await stash())[0]?.applied === true, { describe: 'it is applied' });
    await cbos.stop('SIGKILL');
    cbos = await startCbos(world);
    await cbos.until('CRASH', ({ status }) => status.primary === 'idle', 'is ready again');
    const apply = () => cbos.call('POST', `/stash/${manual.id}/apply`);
    const first = await apply();
    if (first.status !== 200) {
      // The kill came between the text and its Enter. What is in the prompt then is neither sent nor cleared by CBOS; a
      // person does.
      expect(first.error).toMatchObject({
        code: 'not_accepting_text',
        message: expect.stringContaining('begun to type'),
      });
      await cbos.call('POST', '/sessions/CRASH/keys', { keys: '\u0003' });
      await waitFor(async () => (await apply()).status === 200, { describe: 'it is taken once the prompt is clear' });
    }
    await waitFor(() => world.promptsReceived().some((text) => text.includes('by hand')), {
      describe: 'the one that was kept for a person arrives',
      actual: () => world.promptsReceived(),
    });
    const kept = world.promptsReceived().filter((text) => text.includes('scene:hello kept'));
    expect(kept.length).toBeLessThanOrEqual(1);
    expect((await stash()).map(({ applied }) => applied)).toEqual([true, true]);
  });
});

describe('a broadcast at the command line', () => {
  test('reaches those that are ready and nobody else, with a line for each', async () => {
    await launch('READY');
    await launch('BUSY');
    await launch('ENDED');
    await send('BUSY', 'scene:silent');
    await cbos.untilStatus('BUSY', 'active/thinking');
    await cbos.cli(['kill', 'ENDED']);
    const sent = await cbos.cli(['send', '--yes', '--state', 'ready', 'scene:hello', 'all']);
    expect(sent).toEqual({ code: 0, stdout: 'Sent to READY\n', stderr: '' });
    // Its hook confirms a prompt before the request for it is made.
    await received(2);
    expect(world.promptsReceived()).toEqual(['scene:silent', 'scene:hello all']);
    const mixed = await cbos.cli(['send', '--all', '--yes', '/clear', '--json']);
    expect(mixed.code).toBe(4);
    expect(JSON.parse(mixed.stdout)).toMatchObject([
      { session: 'READY', error: { code: 'command_prefix' } },
      { session: 'BUSY', error: { code: 'command_prefix' } },
    ]);
  });
});
