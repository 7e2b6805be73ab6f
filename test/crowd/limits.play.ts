import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { CONTINUE_TEXT, GRACE_MS, SPACING_MS } from '../../src/core/limits/continuation.ts';
import type { Delivery } from '../../src/protocol/index.ts';
import { sceneOf } from '../harness/answering.ts';
import { startCbos } from '../harness/cbos.ts';
import { claudeWorld } from '../harness/claude.ts';
import { limitUntil, subscription } from '../harness/usage-limits.ts';
import { waitFor } from '../harness/wait-for.ts';
import { crowdSize, LONG_MS, launchCrowd, namesOf } from './crowd.ts';

const slugs = namesOf(crowdSize(20));
/** Every second session is a JSON session. Only those do not continue on their own. */
const isJson = (slug: string): boolean => Number(slug.slice(1)) % 2 === 0;
/** The last one of each type is continued by its person. */
const byPerson = slugs.slice(-2);
/** Long enough for all sessions to reach the limit. */
const LIMIT_S = 60;

test(`${slugs.length} sessions reach a usage limit, and each continues once after it`, async () => {
  let endsAt = 0;
  await using world = await claudeWorld({
    choosers: [(prompt) => (/the limit of \w+$/.test(prompt) ? sceneOf('limit', limitUntil(endsAt)) : null)],
  });
  const env = await subscription(world);
  let cbos = await startCbos(world, { CBOS_LIMITS_THEN: 'resume' });
  await launchCrowd({ world, cbos, slugs, body: (index) => ({ env, ...(index % 2 === 0 ? {} : { type: 'json' }) }) });

  endsAt = Math.floor(Date.now() / 1_000) + LIMIT_S;
  await Promise.all(
    slugs.map((slug) => cbos.call('POST', `/sessions/${slug}/send`, { text: `reach the limit of ${slug}` })),
  );
  for (const slug of slugs) await cbos.untilStatus(slug, 'waiting/limit', LONG_MS);
  expect(Date.now(), 'all have reached the limit before it ends').toBeLessThan(endsAt * 1_000);

  await sleep(endsAt * 1_000 - Date.now() + 1_000);
  for (const slug of byPerson) {
    const { error } = await cbos.call('POST', `/sessions/${slug}/send`, { text: `scene:hello I continue ${slug}` });
    expect(error).toBeNull();
  }

  /**
   * What the model of a session received after the limit. The request with a prompt also contains the prompt that the
   * limit refused.
   */
  const received = (slug: string): string[] =>
    world.apiEvents.flatMap((event) =>
      event.kind === 'request' && event.at > endsAt * 1_000 && event.prompt.includes(`the limit of ${slug}`)
        ? [event.prompt.slice(event.prompt.indexOf(slug) + slug.length).trim()]
        : [],
    );
  const alone = slugs.filter((slug) => !byPerson.includes(slug));
  const json = alone.filter(isJson);
  await waitFor(() => json.some((slug) => received(slug).length > 0), {
    describe: 'CBOS continues the first JSON session',
    timeoutMs: GRACE_MS + LONG_MS,
  });
  await cbos.stop('SIGKILL');
  cbos = await startCbos(world, { CBOS_LIMITS_THEN: 'resume' });
  await waitFor(() => alone.every((slug) => received(slug).length > 0), {
    describe: 'all sessions have continued',
    actual: () => alone.filter((slug) => received(slug).length === 0),
    timeoutMs: json.length * SPACING_MS + LONG_MS,
  });
  // Long enough for one more continuation, in case CBOS or Claude Code sends one.
  await sleep(2 * SPACING_MS);

  for (const slug of slugs) process.stdout.write(`${slug}: ${received(slug).join(' | ')}\n`);
  expect(slugs.map((slug) => [slug, received(slug).length])).toEqual(slugs.map((slug) => [slug, 1]));
  for (const slug of slugs) {
    const { body: deliveries } = await cbos.call<Delivery[]>('GET', `/sessions/${slug}/deliveries`);
    const continued = deliveries.filter(({ text }) => text === CONTINUE_TEXT).length;
    expect([slug, continued]).toEqual([slug, json.includes(slug) ? 1 : 0]);
  }
  expect(byPerson.map(received)).toEqual(byPerson.map((slug) => [`scene:hello I continue ${slug}`]));
});
