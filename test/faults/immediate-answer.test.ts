import { expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { startCbos } from '../harness/cbos.ts';
import { claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';

/** One in eight was refused, with two of three options drawn. */
const ROUNDS = 10;

test('an answer in the moment in which the question is told finds all of its options', async () => {
  await using world = await claudeWorld();
  const cbos = await startCbos(world);
  const made = await cbos.call<Session>('POST', '/sessions', { slug: 'A', type: 'screen', path: world.projectDir });
  expect(made.error).toBeNull();
  await cbos.untilStatus('A', 'idle/ready');
  const watcher = await cbos.watch();
  const refused: unknown[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const told = watcher.frames.length;
    expect((await cbos.call('POST', '/sessions/A/send', { text: 'scene:permission' })).error).toBeNull();
    const isAsked = (): boolean =>
      watcher.frames
        .slice(told)
        .some((frame) => frame.type === 'session_state' && frame.status.question?.kind === 'permission');
    await waitFor(isAsked, { describe: 'the question is told' });
    const { error } = await cbos.call('POST', '/sessions/A/answer', { choice: 3 });
    if (error !== null) refused.push(error);
    await cbos.until('A', ({ status }) => status.question?.kind !== 'permission', 'asks no more');
  }
  expect(refused).toEqual([]);
});
