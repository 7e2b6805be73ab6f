import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Delivery } from '../../src/protocol/index.ts';
import { sceneOf } from '../harness/answering.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld, isOlderThan } from '../harness/claude.ts';
import { limitUntil, subscription } from '../harness/usage-limits.ts';
import { waitFor } from '../harness/wait-for.ts';

/** The end of the limit, in Unix seconds. If the end is days away, 2.1.330 opens a dialog instead of waiting for it. */
const ENDS = Math.floor(Date.now() / 1_000) + 4 * 3_600;
/** Long enough to see the limit before it ends. Claude Code continues on its own 60 s after the end at the earliest. */
const SOON_S = 15;

const soon = (): number => Math.floor(Date.now() / 1_000) + SOON_S;

/** A test that is retried starts a new session. */
let launches = 0;
let world: ClaudeWorld;
let cbos: Cbos;
beforeAll(async () => {
  world = await claudeWorld({
    choosers: [
      (prompt) => (/the limit of \w+$/.test(prompt) ? sceneOf('limit', limitUntil(ENDS)) : null),
      (prompt) => (/a short limit of \w+$/.test(prompt) ? sceneOf('short', limitUntil(soon())) : null),
    ],
  });
  cbos = await startCbos(world);
}, 60_000);
afterAll(() => world.dispose());

test.skipIf(isOlderThan('2.1.330'))(
  'a session in a terminal that reaches a usage limit shows which one and its end, and holds queued texts',
  { timeout: 90_000 },
  async () => {
    launches += 1;
    const slug = `LIMITED${launches}`;
    const resetsAt = new Date(ENDS * 1_000).toISOString();
    const body = { slug, type: 'screen', path: world.projectDir, env: await subscription(world) };
    expect((await cbos.call('POST', '/sessions', body)).error).toBeNull();
    await cbos.untilStatus(slug, 'idle/ready');
    await cbos.call('POST', `/sessions/${slug}/send`, { text: `reach the limit of ${slug}` });
    const stopped = await cbos.untilStatus(slug, 'waiting/limit');
    expect(stopped).toMatchObject({
      state: 'waiting',
      status: { question: null, because: { source: 'hook', rule: 'hook.StopFailure' } },
      rate_limit: { status: 'rejected', kind: 'five_hour', resets_at: resetsAt },
    });
    expect((await cbos.cli(['ls', '--state', 'waiting/limit', '-q'])).stdout).toContain(`${slug}\n`);
    expect((await cbos.cli(['show', slug])).stdout).toMatch(/limit reached.*five hour limit reached, resets at 20/s);

    const held = await cbos.call<Delivery>('POST', `/sessions/${slug}/send`, {
      text: `scene:hello later ${slug}`,
      queue: true,
    });
    expect(held.body).toMatchObject({ status: 'queued' });
    // The next server reports the same status. A text that a person sends is typed at once.
    await cbos.stop('SIGKILL');
    cbos = await startCbos(world);
    await cbos.untilStatus(slug, 'waiting/limit');
    const [kept] = (await cbos.call<Delivery[]>('GET', `/sessions/${slug}/deliveries`)).body;
    expect(kept).toMatchObject({ id: held.body.id, status: 'queued' });
    await cbos.call('POST', `/sessions/${slug}/send`, { text: `scene:hello now ${slug}` });
    await cbos.until(slug, ({ rate_limit: limit }) => limit === null, 'has no limit any more');
    // The turn has ended without reaching a limit, so the held text is sent too.
    const texts = async () => (await cbos.call<Delivery[]>('GET', `/sessions/${slug}/deliveries`)).body.toReversed();
    await waitFor(async () => (await texts()).every(({ status }) => status === 'delivered'), {
      describe: 'the held texts are sent',
      timeoutMs: 30_000,
    });
    expect((await texts()).map(({ text }) => text.split(' ')[1])).toEqual(['the', 'later', 'now']);
  },
);

test.skipIf(isOlderThan('2.1.330'))(
  'a session whose limit has ended asks whether to continue, and continues once, also over a kill of the server',
  { timeout: 90_000 },
  async () => {
    launches += 1;
    const slug = `LIMITED${launches}`;
    const body = { slug, type: 'screen', path: world.projectDir, env: await subscription(world) };
    expect((await cbos.call('POST', '/sessions', body)).error).toBeNull();
    await cbos.untilStatus(slug, 'idle/ready');
    await cbos.call('POST', `/sessions/${slug}/send`, { text: `reach a short limit of ${slug}` });
    const stopped = await cbos.untilStatus(slug, 'waiting/limit');
    expect(stopped.limit_over_at).toBeUndefined();
    expect((await cbos.call('POST', `/sessions/${slug}/continue`)).error?.code).toBe('nothing_to_continue');
    await cbos.until(slug, ({ limit_over_at: overAt }) => overAt !== undefined, 'asks whether to continue');
    expect((await cbos.cli(['ls'])).stdout).toContain('Continue? The usage limit has ended');
    const both = await Promise.all([1, 2].map(() => cbos.call<Delivery>('POST', `/sessions/${slug}/continue`)));
    const sent = both.flatMap(({ error, body: delivery }) => (error === null ? [delivery.id] : []));
    expect(new Set(sent).size).toBe(1);
    await cbos.stop('SIGKILL');
    cbos = await startCbos(world);
    await cbos.until(slug, ({ limit_over_at: overAt }) => overAt === undefined, 'asks nothing any more');
    expect((await cbos.call('POST', `/sessions/${slug}/continue`)).error?.code).toBe('nothing_to_continue');
    const { body: deliveries } = await cbos.call<Delivery[]>('GET', `/sessions/${slug}/deliveries`);
    expect(deliveries.filter(({ text }) => text.startsWith('The usage limit has ended'))).toHaveLength(1);
  },
);
