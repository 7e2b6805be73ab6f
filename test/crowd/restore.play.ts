import { cpus } from 'node:os';
import { expect, test } from 'vitest';
import type { Restoration } from '../../src/protocol/index.ts';
import { startCbos } from '../harness/cbos.ts';
import { claudeWorld } from '../harness/claude.ts';
import { killAll } from '../harness/kill-all.ts';
import { waitFor } from '../harness/wait-for.ts';
import { crowdSize, LONG_MS, launchCrowd, namesOf, sendToAll, timesReceived, untilSaved } from './crowd.ts';

const slugs = namesOf(crowdSize(30));

test(`${slugs.length} sessions are killed with Screen, and come back automatically with their own conversations, once each`, async () => {
  await using world = await claudeWorld();
  let cbos = await startCbos(world);
  const size = (index: number) => ({ cols: 90 + index, rows: 25 + index });
  const before = await launchCrowd({ world, cbos, slugs, body: size });
  await sendToAll(cbos, slugs, (slug) => `scene:hello first ${slug}`);
  await untilSaved(cbos, slugs);

  await killAll(world);
  await cbos.stop('SIGKILL');

  cbos = await startCbos(world, { CBOS_RESTORE_AT_START: 'true' });
  const startedAt = performance.now();
  let mostAtOnce = 0;
  await waitFor(
    async () => {
      const { state, sessions } = (await cbos.call<Restoration>('GET', '/restore')).body;
      mostAtOnce = Math.max(mostAtOnce, sessions.filter(({ outcome }) => outcome === 'restoring').length);
      return state === 'done' || state === 'stopped';
    },
    { describe: 'the restoration is over', timeoutMs: LONG_MS },
  );
  const { sessions, by_itself: byItself } = (await cbos.call<Restoration>('GET', '/restore')).body;
  process.stdout.write(
    `${sessions.length} sessions restored in ${Math.round((performance.now() - startedAt) / 1_000)} s, at most ${mostAtOnce} at once\n`,
  );
  expect(byItself).toBe(true);
  expect(sessions.filter(({ outcome }) => outcome !== 'restored')).toEqual([]);
  expect(sessions.map(({ session }) => session).sort()).toEqual(slugs);
  expect(mostAtOnce).toBeLessThanOrEqual(cpus().length);

  const after = await Promise.all(slugs.map((slug) => cbos.session(slug)));
  const identity = ({ slug, claude_session_id, cols, rows, path }: (typeof after)[number]) =>
    [slug, claude_session_id, cols, rows, path] as const;
  expect(after.map(identity)).toEqual(before.map(identity));

  await sendToAll(cbos, slugs, (slug) => `scene:hello again ${slug}`);
  const requests = world.apiEvents.flatMap((event) => (event.kind === 'request' ? [event] : []));
  for (const slug of slugs) {
    expect(timesReceived(world, `scene:hello again ${slug}`)).toBe(1);
    const conversation = JSON.stringify(
      requests.find(({ prompt }) => prompt === `scene:hello again ${slug}`)?.body.messages,
    );
    const known = slugs.filter((other) => conversation.includes(`scene:hello first ${other}`));
    expect(known, `the conversation of ${slug}`).toEqual([slug]);
  }
});
