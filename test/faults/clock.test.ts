import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { type ClaudeWorld, claudeWorld } from '../harness/claude.ts';
import { waitFor } from '../harness/wait-for.ts';
import { canStepClock, type SteppingClock, steppingClock } from './harness/clock.ts';

const HOUR_MS = 3_600_000;
/** Far less than an hour, and far more than a loaded machine needs. */
const SOON_MS = 20_000;

let world: ClaudeWorld;
let clock: SteppingClock;
let cbos: Cbos;
let count = 0;

beforeAll(async () => {
  if (!canStepClock) return;
  world = await claudeWorld({ agent: 'stand-in' });
  clock = steppingClock(world);
  cbos = await startCbos(world);
});
afterAll(() => world?.dispose());

async function startSession(): Promise<string> {
  count += 1;
  const slug = `S${count}`;
  const created = await cbos.call('POST', '/sessions', { slug, type: 'screen', path: world.projectDir });
  expect(created.error).toBeNull();
  await cbos.untilStatus(slug, 'idle/ready');
  return slug;
}

const send = async (slug: string, text: string): Promise<void> => {
  const sent = await cbos.call<{ status: string }>('POST', `/sessions/${slug}/send`, { text });
  expect([sent.error, sent.body.status]).toEqual([null, 'delivered']);
};

async function askAndAnswer(slug: string): Promise<void> {
  await send(slug, 'scene:permission');
  await answerPermission(slug);
}

async function answerPermission(slug: string): Promise<void> {
  const asked = await untilAsked(slug);
  expect(asked.status).toMatchObject({ primary: 'waiting', detail: 'permission' });
  expectNoFuture(asked);
  const answered = await cbos.call('POST', `/sessions/${slug}/answer`, { choice: 1 });
  expect(answered.error).toBeNull();
  await untilIdle(slug);
}

/** Expects every time in a session to be in the past, by the clock of the world. */
function expectNoFuture({ status }: Session): void {
  const latest = clock.now() + 1_000;
  expect(Date.parse(status.since)).toBeLessThan(latest);
  if (status.question !== null) expect(Date.parse(status.question.asked_at)).toBeLessThan(latest);
}

/** Kills the server and starts another one. The callback runs in between. */
async function restartServer(meanwhile: () => void | Promise<void> = () => undefined): Promise<void> {
  await cbos.stop('SIGKILL');
  await meanwhile();
  cbos = await startCbos(world);
}

const untilIdle = (slug: string): Promise<Session> => cbos.untilStatus(slug, 'idle/waiting_input', SOON_MS);

const untilAsked = (slug: string): Promise<Session> =>
  cbos.until(slug, ({ status }) => (status.question?.options.length ?? 0) > 0, 'asks for a permission', SOON_MS);

describe.skipIf(!canStepClock)('a clock that is set back by an hour', () => {
  test('while a session is idle leaves its status, its question and its answer right, even for the next server', async () => {
    const slug = await startSession();
    await send(slug, 'scene:hello');
    await untilIdle(slug);
    clock.set(clock.offset() - HOUR_MS);
    expectNoFuture(await cbos.session(slug));
    await askAndAnswer(slug);
    await restartServer();
    expectNoFuture(await untilIdle(slug));
    await askAndAnswer(slug);
    await cbos.call('DELETE', `/sessions/${slug}`);
  });

  test('while a question is open leaves it the same question, which is answered by the next server', async () => {
    const slug = await startSession();
    await send(slug, 'scene:permission');
    const asked = await untilAsked(slug);
    clock.set(clock.offset() - HOUR_MS);
    const still = await cbos.session(slug);
    expect(still.status.question?.id).toBe(asked.status.question?.id);
    expectNoFuture(still);
    await restartServer();
    expect((await untilAsked(slug)).status.question?.id).toBe(asked.status.question?.id);
    await answerPermission(slug);
    await cbos.call('DELETE', `/sessions/${slug}`);
  });

  test('while no server runs and a turn ends: the next server knows it', async () => {
    const slug = await startSession();
    await send(slug, 'scene:slow');
    await cbos.untilStatus(slug, 'active/thinking');
    await restartServer(async () => {
      clock.set(clock.offset() - HOUR_MS);
      await waitFor(() => readdirSync(join(world.cbosHome, 'hooks')).some((name) => name.endsWith('.json')), {
        describe: 'a hook for the end of the turn is in the spool',
      });
    });
    expectNoFuture(await untilIdle(slug));
    await askAndAnswer(slug);
    await cbos.call('DELETE', `/sessions/${slug}`);
  });
});

describe.skipIf(!canStepClock)('a clock that is set forward', () => {
  test.each([1, 2])('by %i h while a turn runs makes it neither stuck nor forgotten', async (hours) => {
    const slug = await startSession();
    const watcher = await cbos.watch();
    await send(slug, 'scene:think');
    await cbos.untilStatus(slug, 'active/thinking');
    clock.set(clock.offset() + hours * HOUR_MS);
    await untilIdle(slug);
    await askAndAnswer(slug);
    await restartServer();
    await untilIdle(slug);
    await askAndAnswer(slug);
    expect(watcher.statuses(slug).filter((status) => status.startsWith('stuck'))).toEqual([]);
    await cbos.call('DELETE', `/sessions/${slug}`);
  });
});
