import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BroadcastResult, Delivery, Session } from '../../src/protocol/index.ts';
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

/** 2.1.329 wraps what was pasted as one piece, which is how texts over 50 kB are. */
const unwrapped = (prompt: string): string =>
  /^<pasted_content\b[^>]*>\n([\s\S]*)\n<\/pasted_content\b[^>]*>$/.exec(prompt.trim())?.[1] ?? prompt;

describe('a text for the prompt', () => {
  test('arrives whole and executes nothing, whatever is in it', async () => {
    await launch('TEXT');
    const pwned = join(world.dir, 'pwned');
    const texts = [
      'a ^C ^[ ^M literally, a $HOME, a `date` and a $(touch pwned)',
      `"; touch ${pwned} #`,
      'ends in a backslash \\',
      'tab\there, CJK 漢字かな, emoji 👩‍👩‍👧‍👦 🎉, combining é',
      'several\nlines\n\n  indented\nand a last one',
      '- begins with a dash',
      '1',
      `long ${Array.from({ length: 500 }, (_, line) => `line ${line} with some words 漢 🎉`).join('\n')}`,
    ];
    for (const [index, text] of texts.entries()) {
      const sent = await cbos.call<Delivery>('POST', '/sessions/TEXT/send', { text });
      expect(sent.body, text.slice(0, 40)).toMatchObject({ status: 'delivered', removed: 0 });
      // The hook tells of it before its turn begins.
      await waitFor(() => world.promptsReceived().length > index, { describe: `text ${index} arrives` });
      await cbos.untilStatus('TEXT', 'idle/waiting_input');
    }
    expect(world.promptsReceived()).toEqual(texts.map((text) => text.replaceAll('\t', '    ').trimEnd()));
    expect(existsSync(pwned)).toBe(false);
    expect(existsSync(join(world.projectDir, 'pwned'))).toBe(false);
  });

  test('loses control characters and the end of a paste, and says how many', async () => {
    await launch('CLEAN');
    const sent = await cbos.call<Delivery>('POST', '/sessions/CLEAN/send', {
      text: 'before\u001b[201~\u0003 after\u0000',
    });
    expect(sent.body).toMatchObject({ status: 'delivered', removed: 3, text: 'before after' });
    await cbos.untilStatus('CLEAN', 'idle/waiting_input');
    expect(world.promptsReceived()).toEqual(['before after']);
  });

  test.each([
    ['757 bytes, one more than a key stroke of Screen may have', 757],
    ['20 kB', 20_000],
    ['200 kB', 200_000],
  ])('of %s arrives identical', async (_, sizeBytes) => {
    await launch('BIG');
    const lines = Array.from({ length: sizeBytes / 40 }, (_, line) => `${line}: the quick brown fox \\ ^ $HOME 漢 🎉`);
    const text = Buffer.from(lines.join('\n')).subarray(0, sizeBytes).toString('utf8').replaceAll('\ufffd', '.');
    expect(Math.abs(Buffer.byteLength(text) - sizeBytes)).toBeLessThan(4);
    const sent = await cbos.cli(['send', 'BIG', '-', '--json'], { stdin: text });
    expect(sent.code, sent.stderr).toBe(0);
    await cbos.untilStatus('BIG', 'idle/waiting_input');
    expect(world.promptsReceived().map(unwrapped)).toEqual([text.trim()]);
  });

  test('that would be a command is refused unless it is meant as one', async () => {
    await launch('CMD');
    for (const text of ['!touch pwned', '/clear']) {
      expect((await cbos.call('POST', '/sessions/CMD/send', { text })).error?.code).toBe('command_prefix');
      expect((await cbos.cli(['send', 'CMD', text])).code).toBe(4);
    }
    const meant = await cbos.call<Delivery>('POST', '/sessions/CMD/send', { text: '/clear', command: true });
    expect(meant.body.status).toBe('delivered');
    expect(world.promptsReceived()).toEqual([]);
  });

  test('never lands in a dialog: it is refused with the open question', async () => {
    await launch('ASKS');
    await cbos.call('POST', '/sessions/ASKS/send', { text: 'scene:permission' });
    await cbos.untilStatus('ASKS', 'waiting/permission');
    const refused = await cbos.call('POST', '/sessions/ASKS/send', { text: '1' });
    expect(refused).toMatchObject({
      status: 409,
      error: { code: 'not_accepting_text', question: { kind: 'permission' } },
    });
    const byCli = await cbos.cli(['send', 'ASKS', 'yes please']);
    expect(byCli.code).toBe(4);
    expect(byCli.stderr.trim().split('\n')).toHaveLength(1);
    expect((await cbos.session('ASKS')).status.question?.kind).toBe('permission');
  });

  test('sent while a turn runs goes to the queue of Claude Code and is taken after the turn', async () => {
    await launch('BUSY');
    await cbos.call('POST', '/sessions/BUSY/send', { text: 'scene:slow first' });
    await cbos.untilStatus('BUSY', 'active/thinking');
    const sent = await cbos.call<Delivery>('POST', '/sessions/BUSY/send', { text: 'scene:hello second' });
    expect(['sent', 'delivered']).toContain(sent.body.status);
    await waitFor(() => JSON.stringify(world.apiEvents).includes('scene:hello second'), {
      describe: 'the second text arrives',
      timeoutMs: 20_000,
    });
  });

  test('is not put beside a draft that somebody begins while a turn runs; held, it waits until the draft has gone', async () => {
    await launch('DRAFT');
    const send = (text: string, queue = false) => cbos.call<Delivery>('POST', '/sessions/DRAFT/send', { text, queue });
    const type = (keys: string) => cbos.call('POST', '/sessions/DRAFT/keys', { keys });
    await send('scene:slow first');
    await cbos.untilStatus('DRAFT', 'active/thinking');
    await type('half a thought');
    await waitFor(
      async () => (await cbos.call<{ buffer: string }>('GET', '/sessions/DRAFT/buffer')).body.buffer.includes('half a'),
      { describe: 'the draft is on the screen' },
    );
    expect((await send('scene:hello second')).error?.code).toBe('not_accepting_text');
    const held = await send('scene:hello held', true);
    expect(held.body.status).toBe('queued');
    await cbos.untilStatus('DRAFT', 'idle/waiting_input');
    expect((await send('scene:hello third')).error?.code).toBe('not_accepting_text');
    await type('\x15');
    await waitFor(() => world.promptsReceived().includes('scene:hello held'), {
      describe: 'the held text arrives alone',
    });
    expect(world.promptsReceived()).toEqual(['scene:slow first', 'scene:hello held']);
  });

  test('that is held is visible, can be changed and cancelled, and is typed when the session is ready', async () => {
    await launch('HOLD');
    await cbos.call('POST', '/sessions/HOLD/send', { text: 'scene:slow first' });
    await cbos.untilStatus('HOLD', 'active/thinking');
    const hold = (text: string) => cbos.call<Delivery>('POST', '/sessions/HOLD/send', { text, queue: true });
    const [changed, cancelled] = [(await hold('scene:hello draft')).body, (await hold('never typed')).body];
    expect([changed.status, cancelled.status]).toEqual(['queued', 'queued']);
    await cbos.call('PATCH', `/sessions/HOLD/deliveries/${changed.id}`, { text: 'scene:hello changed' });
    await cbos.call('DELETE', `/sessions/HOLD/deliveries/${cancelled.id}`);
    await waitFor(() => world.promptsReceived().includes('scene:hello changed'), {
      describe: 'the held text is typed',
      timeoutMs: 20_000,
    });
    await waitFor(
      async () =>
        (await cbos.call<Delivery>('GET', `/sessions/HOLD/deliveries/${changed.id}`)).body.status === 'delivered',
      { describe: 'it is delivered' },
    );
    expect((await cbos.call('DELETE', `/sessions/HOLD/deliveries/${changed.id}`)).error?.code).toBe('delivery_final');
    expect(world.promptsReceived()).toEqual(['scene:slow first', 'scene:hello changed']);
  });

  test('that is held survives a kill of the server, and is typed once when the next one finds the session ready', async () => {
    await launch('CRASH');
    await cbos.call('POST', '/sessions/CRASH/send', { text: 'scene:slow first' });
    await cbos.untilStatus('CRASH', 'active/thinking');
    const held = await cbos.call<Delivery>('POST', '/sessions/CRASH/send', { text: 'scene:hello held', queue: true });
    await cbos.stop('SIGKILL');
    await waitFor(() => world.apiEvents.some((event) => event.kind === 'end'), {
      describe: 'the first turn ends',
      timeoutMs: 20_000,
    });
    cbos = await startCbos(world);
    const isDelivered = async (): Promise<boolean> =>
      (await cbos.call<Delivery>('GET', `/sessions/CRASH/deliveries/${held.body.id}`)).body.status === 'delivered';
    await waitFor(isDelivered, { describe: 'the held text is delivered' });
    await cbos.untilStatus('CRASH', 'idle/waiting_input');
    expect(world.promptsReceived()).toEqual(['scene:slow first', 'scene:hello held']);
  });

  test('with the same key is one delivery, with another text it is refused', async () => {
    await launch('KEY');
    const send = (text: string) => cbos.call<Delivery>('POST', '/sessions/KEY/send', { text, idempotency_key: 'k1' });
    const [first, second] = await Promise.all([send('scene:hello once'), send('scene:hello once')]);
    expect(second.body.id).toBe(first.body.id);
    expect((await send('another text')).error?.code).toBe('idempotency_conflict');
    await cbos.untilStatus('KEY', 'idle/waiting_input');
    expect(world.promptsReceived()).toEqual(['scene:hello once']);
  });

  test('to several sessions comes back with a result for each', async () => {
    await launch('ONE');
    await launch('TWO');
    await cbos.cli(['kill', 'TWO']);
    const results = await cbos.call<BroadcastResult[]>('POST', '/send', {
      text: 'scene:hello all',
      slugs: ['ONE', 'TWO', 'NONE'],
    });
    expect(results.body.map((one) => one.delivery?.status ?? one.error?.code)).toEqual([
      'delivered',
      'not_accepting_text',
      'no_such_session',
    ]);
  });
});
