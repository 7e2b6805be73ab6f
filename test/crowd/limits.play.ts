import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { CONTINUE_TEXT, GRACE_MS } from '../../src/core/limits/continuation.ts';
import type { Reply } from '../../src/demo/scenes/scene.ts';
import { canStepClock, steppingClock } from '../faults/harness/clock.ts';
import { sceneOf } from '../harness/answering.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';
import { crowdSize, LONG_MS, launchCrowd, namesOf } from './crowd.ts';

const HOUR_MS = 3_600_000;
const slugs = namesOf(crowdSize(20));
const PREFIX = 'anthropic-ratelimit-unified';

/** Refuses a request because of a five-hour limit with this end. */
const limitUntil = (endsAt: number): Reply => ({
  kind: 'error',
  status: 429,
  type: 'rate_limit_error',
  message: "This request would exceed your account's rate limit. Please try again later.",
  headers: {
    [`${PREFIX}-status`]: 'rejected',
    [`${PREFIX}-reset`]: String(Math.floor(endsAt / 1_000)),
    [`${PREFIX}-representative-claim`]: 'five_hour',
    [`${PREFIX}-5h-status`]: 'rejected',
    [`${PREFIX}-5h-utilization`]: '1',
    [`${PREFIX}-5h-reset`]: String(Math.floor(endsAt / 1_000)),
    'x-should-retry': 'false',
  },
});

/** Creates a world in which each prompt `reach the limit of NAME` is refused until `endsAt()`. */
const limitedWorld = (endsAt: () => number): Promise<ClaudeWorld & AsyncDisposable> =>
  claudeWorld({
    choosers: [(prompt) => (/^reach the limit of \w+$/.test(prompt) ? sceneOf('limit', limitUntil(endsAt())) : null)],
  });

/** Returns the environment of a subscription. Claude Code then contacts other hosts too; the proxy refuses them. */
async function subscription(world: ClaudeWorld): Promise<Record<string, string>> {
  const nowhere = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(nowhere, 'listening');
  world.onDispose(() => new Promise((resolve) => nowhere.close(() => resolve())));
  const { port } = nowhere.address() as AddressInfo;
  const proxy = { HTTPS_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: '127.0.0.1' };
  return { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'stand-in', ...proxy };
}

/** Launches all sessions and lets each reach its limit. */
async function reachLimits(world: ClaudeWorld, cbos: Cbos): Promise<void> {
  const env = await subscription(world);
  await launchCrowd({ world, cbos, slugs, body: () => ({ env }) });
  for (const slug of slugs) await cbos.call('POST', `/sessions/${slug}/send`, { text: `reach the limit of ${slug}` });
  for (const slug of slugs) await cbos.untilStatus(slug, 'waiting/limit', LONG_MS);
}

/** Returns the number of turns that followed the limit of each session, by the prompt that began them. */
function turnsAfterLimit(world: ClaudeWorld, isCounted: (prompt: string) => boolean): Record<string, number> {
  const counts = Object.fromEntries(slugs.map((slug) => [slug, 0]));
  for (const event of world.apiEvents) {
    if (event.kind !== 'request' || event.scene === null || event.step !== 0 || !isCounted(event.prompt)) continue;
    const slug = /reach the limit of (\w+)/.exec(JSON.stringify(event.body.messages))?.[1];
    if (slug !== undefined) counts[slug] = (counts[slug] ?? 0) + 1;
  }
  return counts;
}

const each = (times: number): Record<string, number> => Object.fromEntries(slugs.map((slug) => [slug, times]));
const sumOf = (counts: Record<string, number>): number => Object.values(counts).reduce((sum, one) => sum + one, 0);

test.skipIf(!canStepClock)(
  `${slugs.length} sessions at a limit are continued once each after its end, except those that somebody continued first; a killed server repeats nothing`,
  async () => {
    const endsAt = Date.now() + 4 * HOUR_MS;
    await using world = await limitedWorld(() => endsAt);
    const claude = world.env.CBOS_CLAUDE_COMMAND;
    const clock = steppingClock(world);
    // Only the server's clock is set. For Claude Code, the limit has not ended, so it does not continue by itself.
    if (claude !== undefined) world.env.CBOS_CLAUDE_COMMAND = claude;
    let cbos = await startCbos(world, { CBOS_LIMITS_THEN: 'resume' });
    await reachLimits(world, cbos);
    const [first = ''] = slugs;
    await cbos.call('POST', `/sessions/${first}/send`, { text: 'scene:hello I was first' });
    await cbos.untilStatus(first, 'idle/waiting_input');

    const continued = () => turnsAfterLimit(world, (prompt) => prompt === CONTINUE_TEXT);
    clock.set(endsAt + GRACE_MS + 60_000 - Date.now());
    await waitFor(() => sumOf(continued()) === 3, { describe: 'three are continued', timeoutMs: LONG_MS });
    await cbos.stop('SIGKILL');
    cbos = await startCbos(world, { CBOS_LIMITS_THEN: 'resume' });
    await waitFor(() => sumOf(continued()) === slugs.length - 1, {
      describe: 'all others are continued',
      actual: continued,
      timeoutMs: slugs.length * 60_000,
    });
    for (const slug of slugs) await cbos.untilStatus(slug, 'idle/waiting_input', LONG_MS);
    expect(continued()).toEqual({ ...each(1), [first]: 0 });
  },
);

test(`${slugs.length} sessions that Claude Code itself continues after a limit are not continued by CBOS as well`, async () => {
  const startedAt = Date.now();
  // All sessions must have started by then.
  const endsAt = startedAt + 60_000 + slugs.length * 8_000;
  await using world = await limitedWorld(() => endsAt);
  const cbos = await startCbos(world, { CBOS_LIMITS_THEN: 'resume' });
  await reachLimits(world, cbos);
  expect(Date.now(), 'all reached the limit before its end').toBeLessThan(endsAt);
  const after = () => turnsAfterLimit(world, (prompt) => !prompt.startsWith('reach the limit'));
  await waitFor(() => sumOf(after()) >= slugs.length, {
    describe: 'Claude Code continues all',
    actual: after,
    timeoutMs: 10 * 60_000,
  });
  // By then, CBOS would have continued all of them.
  await waitFor(() => Date.now() > endsAt + GRACE_MS + slugs.length * 20_000, {
    describe: 'the time at which CBOS continues has passed',
    timeoutMs: 30 * 60_000,
  });
  expect(after()).toEqual(each(1));
  expect(turnsAfterLimit(world, (prompt) => prompt === CONTINUE_TEXT)).toEqual(each(0));
});
