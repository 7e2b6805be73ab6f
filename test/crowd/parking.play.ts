import { expect, test } from 'vitest';
import type { Session, SessionResources } from '../../src/protocol/index.ts';
import { startCbos } from '../harness/cbos.ts';
import { claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';
import { crowdSize, describeTimes, LONG_MS, launchCrowd, namesOf, sendToAll, timesReceived } from './crowd.ts';

const slugs = namesOf(crowdSize(50));
/** All sessions together would need 13 GB of memory, so they are parked in groups. */
const GROUP = 10;

test(`${slugs.length} parked sessions have no process, and a prompt wakes each of them and arrives once`, async () => {
  await using world = await claudeWorld();
  const cbos = await startCbos(world);
  for (let start = 0; start < slugs.length; start += GROUP) {
    const group = slugs.slice(start, start + GROUP);
    await launchCrowd({ world, cbos, slugs: group });
    await sendToAll(cbos, group, (slug) => `scene:hello first ${slug}`);
    for (const slug of group) {
      // Right after a turn, Claude Code may still run a command of its own.
      await waitFor(async () => (await cbos.call<Session>('POST', `/sessions/${slug}/park`)).error === null, {
        describe: `${slug} is parked`,
        timeoutMs: LONG_MS,
      });
    }
  }
  expect(world.processes().filter(({ pid }) => pid !== cbos.pid)).toEqual([]);
  const resources = (await cbos.call<SessionResources[]>('GET', '/resources')).body;
  expect(resources.map(({ processes, memory_bytes }) => [processes, memory_bytes])).toEqual(slugs.map(() => [0, 0]));

  const durationsMs: number[] = [];
  for (const slug of slugs) {
    const text = `scene:hello second ${slug}`;
    const sentAt = Date.now();
    expect((await cbos.call('POST', `/sessions/${slug}/send`, { text })).error).toBeNull();
    await cbos.untilStatus(slug, 'idle/waiting_input', LONG_MS);
    const asked = world.apiEvents.find((event) => event.kind === 'request' && event.prompt === text);
    durationsMs.push((asked?.at ?? Number.POSITIVE_INFINITY) - sentAt);
    expect(JSON.stringify(asked)).toContain(`scene:hello first ${slug}`);
    await waitFor(async () => (await cbos.call('POST', `/sessions/${slug}/park`)).error === null, {
      describe: `${slug} is parked again`,
      timeoutMs: LONG_MS,
    });
  }
  process.stdout.write(`from the prompt to its request: ${JSON.stringify(describeTimes(durationsMs))} ms\n`);
  expect(slugs.map((slug) => timesReceived(world, `scene:hello second ${slug}`))).toEqual(slugs.map(() => 1));
});
