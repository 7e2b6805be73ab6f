import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { type JsonSessions, jsonSessions } from '../harness/json-session.ts';
import { waitFor } from '../harness/wait-for.ts';

/** Each session is a Claude Code of 250 MB while its turn runs. */
const SESSIONS = 20;

let world: ClaudeWorld;
let cbos: Cbos;
let json: JsonSessions;
beforeEach(async () => {
  world = await claudeWorld({ agent: 'stand-in' });
  cbos = await startCbos(world, { CBOS_JSON_IDLE_TIMEOUT: '1' });
  json = jsonSessions(world, () => cbos);
});
afterEach(() => world.dispose());

test('turns of twenty sessions at once reach twenty clients complete and in order', async () => {
  const slugs = Array.from({ length: SESSIONS }, (_, index) => `S-${index}`);
  for (const slug of slugs) await json.create(slug);
  const clients = await Promise.all(slugs.map(() => cbos.watch()));
  for (const client of clients) client.send({ type: 'subscribe', sessions: ['*'] });
  await waitFor(() => clients.every(({ frames }) => frames.some(({ type }) => type === 'subscribed')), {
    describe: 'all clients are subscribed',
  });
  const invoked = await Promise.all(slugs.map((slug) => json.invoke(slug, 'scene:think please')));
  expect(invoked.map(({ status }) => status)).toEqual(slugs.map(() => 202));
  for (const slug of slugs) await cbos.until(slug, (one) => one.json_state === 'complete', 'is complete', 100_000);
  await json.untilNoAgent();
  for (const slug of slugs) {
    const kept = (await json.events(slug)).map(({ seq }) => seq);
    expect(kept).toEqual(kept.map((_, index) => index + 1));
    for (const { frames } of clients) {
      const live = () =>
        frames.flatMap((frame) => (frame.type === 'claude_event' && frame.session === slug ? [frame.seq] : []));
      await waitFor(() => live().length >= kept.length, { describe: `all events of ${slug} came` });
      expect(live()).toEqual(kept);
    }
  }
}, 180_000);
