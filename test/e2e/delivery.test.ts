import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BroadcastResult, Delivery } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { type SpareSessions, spareSessions } from '../harness/spare-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let spares: SpareSessions;
let slug: string;
let count = 0;
/** the number of prompts that had arrived when the test began */
let before = 0;
beforeAll(async () => {
  world = await claudeWorld();
  cbos = await startCbos(world);
  spares = spareSessions({ world, cbos: () => cbos });
});
afterAll(() => world.dispose());
beforeEach(async () => {
  ({ slug } = await spares.take());
  count += 1;
  before = world.promptsReceived().length;
});
afterEach(() => spares.giveBack());

/** Returns the prompts of this test that arrived, in order. */
const prompts = (): string[] => world.promptsReceived().slice(before);

/** 2.1.329 wraps a text that was pasted in one piece. Texts over 50 kB are pasted that way. */
const unwrapped = (prompt: string): string =>
  /^<pasted_content\b[^>]*>\n([\s\S]*)\n<\/pasted_content\b[^>]*>$/.exec(prompt.trim())?.[1] ?? prompt;

describe('a text for the prompt', () => {
  test('arrives whole and executes nothing, whatever is in it', async () => {
    const pwned = join(world.dir, 'pwned');
    const texts = [
      'a ^C ^[ ^M literally, a $HOME, a `date` and a $(touch pwned)',
      `"; touch ${pwned} #`,
      'ends in a backslash \\',
      'names a command at its end: /status',
      'tab\there, CJK 漢字かな, emoji 👩‍👩‍👧‍👦 🎉, combining é',
      'several\nlines\n\n  indented\nand a last one',
      '- begins with a dash',
      '1',
      `long ${Array.from({ length: 500 }, (_, line) => `line ${line} with some words 漢 🎉`).join('\n')}`,
    ];
    for (const [index, text] of texts.entries()) {
      const sent = await cbos.call<Delivery>('POST', `/sessions/${slug}/send`, { text });
      expect(sent.body, text.slice(0, 40)).toMatchObject({ status: 'delivered', removed: 0 });
      // The hook reports the prompt before its turn begins.
      await waitFor(() => prompts().length > index, { describe: `text ${index} arrives` });
      await cbos.untilStatus(slug, 'idle/waiting_input');
    }
    expect(prompts()).toEqual(texts.map((text) => text.replaceAll('\t', '    ').trimEnd()));
    expect(existsSync(pwned)).toBe(false);
    expect(existsSync(join(world.projectDir, 'pwned'))).toBe(false);
  });

  test('loses control characters and the end of a paste, and reports how many', async () => {
    const sent = await cbos.call<Delivery>('POST', `/sessions/${slug}/send`, {
      text: 'before\u001b[201~\u0003 after\u0000',
    });
    expect(sent.body).toMatchObject({ status: 'delivered', removed: 3, text: 'before after' });
    await cbos.untilStatus(slug, 'idle/waiting_input');
    expect(prompts()).toEqual(['before after']);
  });

  test.each([
    ['757 bytes, one more than a key stroke of Screen may have', 757],
    ['20 kB', 20_000],
    ['200 kB', 200_000],
  ])('of %s arrives identical', async (_, sizeBytes) => {
    const lines = Array.from({ length: sizeBytes / 40 }, (_, line) => `${line}: the quick brown fox \\ ^ $HOME 漢 🎉`);
    const text = Buffer.from(lines.join('\n')).subarray(0, sizeBytes).toString('utf8').replaceAll('\ufffd', '.');
    expect(Math.abs(Buffer.byteLength(text) - sizeBytes)).toBeLessThan(4);
    const sent = await cbos.cli(['send', slug, '-', '--json'], { stdin: text });
    expect(sent.code, sent.stderr).toBe(0);
    await cbos.untilStatus(slug, 'idle/waiting_input');
    expect(prompts().map(unwrapped)).toEqual([text.trim()]);
  });

  test('that would be a command is refused unless it is meant as one', async () => {
    for (const text of ['!touch pwned', '/clear']) {
      expect((await cbos.call('POST', `/sessions/${slug}/send`, { text })).error?.code).toBe('command_prefix');
      expect((await cbos.cli(['send', slug, text])).code).toBe(4);
    }
    const meant = await cbos.call<Delivery>('POST', `/sessions/${slug}/send`, { text: '/clear', command: true });
    expect(meant.body.status).toBe('delivered');
    expect(prompts()).toEqual([]);
  });

  test('never reaches a dialog: it is refused with the open question', async () => {
    await cbos.call('POST', `/sessions/${slug}/send`, { text: 'scene:permission' });
    await cbos.untilStatus(slug, 'waiting/permission');
    const refused = await cbos.call('POST', `/sessions/${slug}/send`, { text: '1' });
    expect(refused).toMatchObject({
      status: 409,
      error: { code: 'not_accepting_text', question: { kind: 'permission' } },
    });
    const byCli = await cbos.cli(['send', slug, 'yes please']);
    expect(byCli.code).toBe(4);
    expect(byCli.stderr.trim().split('\n')).toHaveLength(1);
    expect((await cbos.session(slug)).status.question?.kind).toBe('permission');
    await cbos.call('POST', `/sessions/${slug}/answer`, { choice: 'no' });
  });

  test("sent while a turn runs goes to Claude Code's queue and is taken after the turn", async () => {
    await cbos.call('POST', `/sessions/${slug}/send`, { text: 'scene:slow first' });
    await cbos.untilStatus(slug, 'active/thinking');
    const begun = world.apiEvents.length;
    const sent = await cbos.call<Delivery>('POST', `/sessions/${slug}/send`, { text: 'scene:hello second' });
    expect(['sent', 'delivered']).toContain(sent.body.status);
    await waitFor(() => JSON.stringify(world.apiEvents.slice(begun)).includes('scene:hello second'), {
      describe: 'the second text arrives',
      timeoutMs: 20_000,
    });
  });

  test('is not put next to a draft that somebody begins while a turn runs; it is held until the draft is gone', async () => {
    const send = (text: string, queue = false) =>
      cbos.call<Delivery>('POST', `/sessions/${slug}/send`, { text, queue });
    const type = (keys: string) => cbos.call('POST', `/sessions/${slug}/keys`, { keys });
    await send('scene:slow first');
    await cbos.untilStatus(slug, 'active/thinking');
    await type('half a thought');
    await waitFor(
      async () =>
        (await cbos.call<{ buffer: string }>('GET', `/sessions/${slug}/buffer`)).body.buffer.includes('half a'),
      { describe: 'the draft is on the screen' },
    );
    expect((await send('scene:hello second')).error?.code).toBe('not_accepting_text');
    const held = await send('scene:hello held', true);
    expect(held.body.status).toBe('queued');
    await cbos.untilStatus(slug, 'idle/waiting_input');
    expect((await send('scene:hello third')).error?.code).toBe('not_accepting_text');
    await type('\x15');
    await waitFor(() => prompts().includes('scene:hello held'), {
      describe: 'the held text arrives alone',
    });
    expect(prompts()).toEqual(['scene:slow first', 'scene:hello held']);
  });

  test('that is held is visible, can be changed and cancelled, and is typed when the session is ready', async () => {
    await cbos.call('POST', `/sessions/${slug}/send`, { text: 'scene:slow first' });
    await cbos.untilStatus(slug, 'active/thinking');
    const hold = (text: string) => cbos.call<Delivery>('POST', `/sessions/${slug}/send`, { text, queue: true });
    const [changed, cancelled] = [(await hold('scene:hello draft')).body, (await hold('never typed')).body];
    expect([changed.status, cancelled.status]).toEqual(['queued', 'queued']);
    await cbos.call('PATCH', `/sessions/${slug}/deliveries/${changed.id}`, { text: 'scene:hello changed' });
    await cbos.call('DELETE', `/sessions/${slug}/deliveries/${cancelled.id}`);
    await waitFor(() => prompts().includes('scene:hello changed'), {
      describe: 'the held text is typed',
      timeoutMs: 20_000,
    });
    await waitFor(
      async () =>
        (await cbos.call<Delivery>('GET', `/sessions/${slug}/deliveries/${changed.id}`)).body.status === 'delivered',
      { describe: 'it is delivered' },
    );
    expect((await cbos.call('DELETE', `/sessions/${slug}/deliveries/${changed.id}`)).error?.code).toBe(
      'delivery_final',
    );
    expect(prompts()).toEqual(['scene:slow first', 'scene:hello changed']);
  });

  test('that is held survives a kill of the server, and is typed once when the next one finds the session ready', async () => {
    await cbos.call('POST', `/sessions/${slug}/send`, { text: 'scene:slow first' });
    await cbos.untilStatus(slug, 'active/thinking');
    const held = await cbos.call<Delivery>('POST', `/sessions/${slug}/send`, { text: 'scene:hello held', queue: true });
    const begun = world.apiEvents.length;
    await cbos.stop('SIGKILL');
    await waitFor(() => world.apiEvents.slice(begun).some((event) => event.kind === 'end'), {
      describe: 'the first turn ends',
      timeoutMs: 20_000,
    });
    cbos = await startCbos(world);
    const isDelivered = async (): Promise<boolean> =>
      (await cbos.call<Delivery>('GET', `/sessions/${slug}/deliveries/${held.body.id}`)).body.status === 'delivered';
    await waitFor(isDelivered, { describe: 'the held text is delivered' });
    await cbos.untilStatus(slug, 'idle/waiting_input');
    expect(prompts()).toEqual(['scene:slow first', 'scene:hello held']);
  });

  test('with the same key is one delivery, with another text it is refused', async () => {
    const send = (text: string) =>
      cbos.call<Delivery>('POST', `/sessions/${slug}/send`, { text, idempotency_key: `key ${count}` });
    const [first, second] = await Promise.all([send('scene:hello once'), send('scene:hello once')]);
    expect(second.body.id).toBe(first.body.id);
    expect((await send('another text')).error?.code).toBe('idempotency_conflict');
    await cbos.untilStatus(slug, 'idle/waiting_input');
    expect(prompts()).toEqual(['scene:hello once']);
  });

  test('to several sessions returns a result for each', async () => {
    const { slug: other } = await spares.take();
    await cbos.cli(['kill', other]);
    const results = await cbos.call<BroadcastResult[]>('POST', '/send', {
      text: 'scene:hello all',
      slugs: [slug, other, 'NONE'],
    });
    expect(results.body.map((one) => one.delivery?.status ?? one.error?.code)).toEqual([
      'delivered',
      'not_accepting_text',
      'no_such_session',
    ]);
  });
});
