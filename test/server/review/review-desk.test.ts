import { afterAll, expect, test } from 'vitest';
import { createSystemClock } from '../../../src/server/clock.ts';
import { createReviews, type Reviews } from '../../../src/server/review/reviews.ts';
import { createRepository } from '../../harness/git-repository.ts';
import { memoryReviews } from '../../harness/memory-reviews.ts';
import { MemorySessions } from '../../harness/memory-sessions.ts';
import { DONE } from '../../harness/some-sessions.ts';
import { createWorld } from '../../harness/world.ts';

const world = createWorld();
afterAll(() => world.dispose());

test('a server that died before it knew of the delivery sends the round once', async () => {
  const repository = createRepository(world);
  repository.write('a.txt', 'one\n');
  const sessions = new MemorySessions(world.streamDir);
  sessions.add('AUTH', { ...DONE, path: repository.dir });
  const attendedSessions = {
    get: (slug: string) => sessions.get(slug),
    delivery: (slug: string, id: string) => sessions.delivery(slug, id),
    transcript: (slug: string, after: number | null) => sessions.transcript(slug, after),
    onEvent: sessions.onEvent,
  };
  const store = memoryReviews();
  const start = (send: MemorySessions['send']): Reviews =>
    createReviews({
      store,
      sessions: { ...attendedSessions, send },
      idOf: (slug) => sessions.idOf(slug),
      environment: world.env,
      clock: createSystemClock(),
      log: { warn: () => undefined },
    });
  const died = new Error('the server died');
  const dying = start(async (slug, request) => {
    await sessions.send(slug, request);
    throw died;
  });
  await dying.add('AUTH', { file: 'a.txt', line: 1, text: 'Why?' });
  const { prompt } = await dying.review('AUTH');
  await expect(dying.send('AUTH', prompt ?? '')).rejects.toBe(died);
  dying.dispose();

  const next = start((slug, request) => sessions.send(slug, request));
  // The round stays as it was shown, even if the file changes before it is sent.
  repository.write('a.txt', 'two\n');
  expect(await next.review('AUTH')).toMatchObject({ round: 1, prompt, rounds: [], comments: [{ text: 'Why?' }] });
  expect(await next.send('AUTH', prompt ?? '')).toMatchObject({ number: 1, status: 'queued' });
  expect(sessions.deliveries('AUTH').map(({ text }) => text)).toEqual([prompt]);
  expect(await next.review('AUTH')).toMatchObject({ round: 2, comments: [], rounds: [{ number: 1 }] });
  next.dispose();
});
