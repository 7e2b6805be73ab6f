import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Delivery, Session, StashedResponse } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { type SpareSessions, spareSessions } from '../harness/spare-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';

let world: ClaudeWorld;
let cbos: Cbos;
let spares: SpareSessions;
let count = 0;
/** Part of every prompt of a test, to distinguish it from the prompts of other tests in the same session. */
let tag: string;
beforeAll(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  cbos = await startCbos(world);
  spares = spareSessions({ world, cbos: () => cbos });
});
afterAll(() => world.dispose());
beforeEach(() => {
  count += 1;
  tag = `T${count}`;
});
afterEach(async () => {
  for (const { id } of await stash()) await cbos.call('DELETE', `/stash/${id}`);
  spares.giveBack();
});

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
/** Returns the prompts of this test, in order, without its tag. */
const arrived = (): string[] =>
  world.promptsReceived().flatMap((prompt) => (prompt.endsWith(` ${tag}`) ? [prompt.slice(0, -tag.length - 1)] : []));
const untilArrived = (count: number): Promise<true> =>
  waitFor(() => arrived().length >= count, { describe: `${count} prompts arrive`, actual: arrived });

describe('a stashed reply', () => {
  test('is refused in a dialog and kept, with the question that it answers', async () => {
    const { slug } = await spares.take();
    await send(slug, `scene:permission ${tag}`);
    // The question is described in other words until its hook has reported the call and its dialog is drawn.
    const isDrawn = ({ status: { question } }: Session): boolean =>
      question?.tool != null && question.text.startsWith('Bash command');
    const { status } = await cbos.until(slug, isDrawn, 'asks about the call in a drawn dialog');
    const kept = await keep(slug, `scene:hello after that ${tag}`, 'next_waiting');
    expect(kept.question).toBe(status.question?.text);
    const refused = await cbos.call('POST', `/stash/${kept.id}/apply`);
    expect(refused).toMatchObject({ status: 409, error: { code: 'not_accepting_text' } });
    expect(await stash()).toMatchObject([{ applied: false }]);

    await cbos.call('POST', `/sessions/${slug}/answer`, { choice: 'yes' });
    await untilArrived(2);
    expect(await stash()).toMatchObject([{ applied: true }]);
    expect(arrived()).toEqual(['scene:permission', 'scene:hello after that']);
  });

  test('for the next waiting is applied after the turn, oldest first, one per turn', async () => {
    const { slug } = await spares.take();
    await send(slug, `scene:slow first ${tag}`);
    await cbos.untilStatus(slug, 'active/thinking');
    for (const name of ['one', 'two', 'three']) await keep(slug, `scene:hello ${name} ${tag}`, 'next_waiting');
    expect((await stash()).map(({ applied }) => applied)).toEqual([false, false, false]);
    await untilArrived(4);
    await cbos.untilStatus(slug, 'idle/waiting_input');
    expect(arrived()).toEqual(['scene:slow first', 'scene:hello one', 'scene:hello two', 'scene:hello three']);
    const replies = await stash();
    expect(replies.map(({ applied }) => applied)).toEqual([true, true, true]);
    const times = replies.map(({ applied_at }) => applied_at);
    expect(times).toEqual([...times].sort());
  });

  test('is applied at most once through kills of the server, before it is due and while it is being typed', async () => {
    const { slug } = await spares.take();
    const begun = world.apiEvents.length;
    await send(slug, `scene:slow first ${tag}`);
    await cbos.untilStatus(slug, 'active/thinking');
    await keep(slug, `scene:hello kept ${tag}`, 'next_waiting');
    const manual = await keep(slug, `scene:hello by hand ${tag}`);
    await cbos.stop('SIGKILL');
    await waitFor(
      () => {
        // The hook reports the turn before Claude Code sends its request.
        const turn = world.apiEvents.slice(begun).find((one) => one.kind === 'request' && one.scene === 'slow');
        return turn !== undefined && world.apiEvents.some((one) => one.kind === 'end' && one.request === turn.request);
      },
      { describe: 'the first turn ends', timeoutMs: 20_000 },
    );

    cbos = await startCbos(world);
    // Once the reply is marked as applied, its text is on its way.
    await waitFor(async () => (await stash())[0]?.applied === true, { describe: 'it is applied', isBrief: true });
    await cbos.stop('SIGKILL');
    cbos = await startCbos(world);
    await cbos.until(slug, ({ status }) => status.primary === 'idle', 'is ready again');
    const apply = () => cbos.call('POST', `/stash/${manual.id}/apply`);
    const first = await apply();
    if (first.status !== 200) {
      // The kill came between the text and its Enter. CBOS neither sends nor clears a text that is now in the prompt. A
      // person does.
      expect(first.error).toMatchObject({
        code: 'not_accepting_text',
        message: expect.stringContaining('is typing'),
      });
      await cbos.call('POST', `/sessions/${slug}/keys`, { keys: '\u0003' });
      await waitFor(async () => (await apply()).status === 200, { describe: 'it is taken once the prompt is clear' });
    }
    await waitFor(() => arrived().some((text) => text.includes('by hand')), {
      describe: 'the text that was kept for a person arrives',
      actual: arrived,
    });
    const kept = arrived().filter((text) => text.includes('scene:hello kept'));
    expect(kept.length).toBeLessThanOrEqual(1);
    expect((await stash()).map(({ applied }) => applied)).toEqual([true, true]);
  });
});

describe('a broadcast on the command line', () => {
  test('reaches only the sessions that are ready, with a line for each', async () => {
    const [ready, busy, ended] = [await spares.take(), await spares.take(), await spares.take()];
    await send(busy.slug, `scene:silent ${tag}`);
    await cbos.untilStatus(busy.slug, 'active/thinking');
    await cbos.cli(['kill', ended.slug]);
    const sent = await cbos.cli(['send', '--yes', '--state', 'ready', 'scene:hello all', tag]);
    expect(sent).toEqual({ code: 0, stdout: `Sent to ${ready.slug}\n`, stderr: '' });
    // The hook confirms a prompt before the request for it is made.
    await untilArrived(2);
    expect(arrived()).toEqual(['scene:silent', 'scene:hello all']);
    const mixed = await cbos.cli(['send', '--all', '--yes', '/clear', '--json']);
    expect(mixed.code).toBe(4);
    expect(JSON.parse(mixed.stdout)).toMatchObject([
      { session: ready.slug, error: { code: 'command_prefix' } },
      { session: busy.slug, error: { code: 'command_prefix' } },
    ]);
  });
});

/** This block must come last, because it deletes the session that it takes. */
describe('a stashed reply that is applied by hand', () => {
  test('is applied once, follows its session through a rename, and is deleted with it', async () => {
    const { slug } = await spares.take();
    const kept = await keep(slug, `scene:hello later ${tag}`);
    await cbos.call('PATCH', `/sessions/${slug}`, { slug: 'NEW' });
    expect(await stash()).toEqual([{ ...kept, session_slug: 'NEW' }]);

    const applied = await cbos.cli(['stash', 'apply', kept.id.slice(0, 8)]);
    expect(applied).toMatchObject({ code: 0, stderr: '' });
    await cbos.untilStatus('NEW', 'idle/waiting_input');
    const again = await cbos.call('POST', `/stash/${kept.id}/apply`);
    expect([again.status, again.error?.code]).toEqual([409, 'already_applied']);
    expect(arrived()).toEqual(['scene:hello later']);
    const [reply] = await stash();
    const delivery = await cbos.call<Delivery>('GET', `/sessions/NEW/deliveries/${reply?.delivery_id}`);
    expect(delivery.body).toMatchObject({ status: 'delivered', text: `scene:hello later ${tag}` });

    await keep('NEW', 'never');
    await cbos.cli(['rm', 'NEW', '--yes']);
    expect(await stash()).toEqual([]);
  });
});
