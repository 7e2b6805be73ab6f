import { expect, test } from 'vitest';
import { CatalogueError, type Session } from '../../../src/protocol/index.ts';
import { parkIdle } from '../../../src/server/sessions/park-idle.ts';
import { createSlots } from '../../../src/server/slots.ts';
import { ManualClock } from '../../harness/manual-clock.ts';
import { SINCE, someSession } from '../../harness/some-session.ts';

const DONE: Partial<Session> = {
  state: 'waiting',
  status: { ...someSession('X').status, primary: 'idle', detail: 'waiting_input' },
};
const WORKS: Partial<Session> = { status: { ...someSession('X').status, primary: 'active', detail: 'thinking' } };
const HOUR_MS = 3_600_000;

function fleetOf(clock: ManualClock, sessions: readonly Session[]) {
  const parked: string[] = [];
  const listed = {
    all: () =>
      sessions.map((session) => ({
        actor: {
          slug: session.slug,
          isListed: () => true,
          isParked: () => parked.includes(session.slug),
          isDead: () => false,
          view: () => session,
        },
        controls: {
          park: async () => {
            if (session.slug === 'DRAFT') throw new CatalogueError('not_parkable');
            parked.push(session.slug);
          },
        },
      })),
  };
  const said: string[] = [];
  const log = { ...SILENT, error: (_: object, message: string) => said.push(message) };
  return { parked, said, begin: (afterSeconds: number) => parkIdle({ listed, clock, log, afterSeconds }) };
}
/**
 * Lets time pass in steps that are shorter than the pause between two checks. Each check can finish within its step.
 */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= STEP_MS) {
    clock.advance(Math.min(left, STEP_MS));
    await new Promise((resolve) => setImmediate(resolve));
  }
}
const STEP_MS = 20_000;
const nothing = (): void => undefined;
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };

test('parks only sessions that have been done for long enough', async () => {
  const clock = new ManualClock(Date.parse(SINCE));
  const { parked, said, begin } = fleetOf(clock, [
    someSession('DRAFT', DONE),
    someSession('DONE', DONE),
    someSession('WORKS', WORKS),
    someSession('NEW'),
    someSession('JSON', { ...DONE, type: 'json' }),
    someSession('OBSERVED', { ...DONE, adopted: false }),
    someSession('SEEN', { ...DONE, last_activity: new Date(Date.parse(SINCE) + HOUR_MS).toISOString() }),
  ]);
  const stop = begin(HOUR_MS / 1_000);
  await pass(clock, HOUR_MS - 1);
  expect(parked).toEqual([]);
  await pass(clock, 60_000);
  expect(parked).toEqual(['DONE']);
  await pass(clock, HOUR_MS);
  expect([parked, said]).toEqual([['DONE', 'SEEN'], []]);
  stop();
});

test('parks nothing unless the setting requests it', async () => {
  const clock = new ManualClock(Date.parse(SINCE));
  const { parked, begin } = fleetOf(clock, [someSession('DONE', DONE)]);
  begin(0);
  await pass(clock, 100 * HOUR_MS);
  expect(parked).toEqual([]);
});

test('no more launches run at a time than there are slots, in the order of the requests', async () => {
  const inTurn = createSlots(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const all = [1, 2, 3, 4].map((number) =>
    inTurn(async () => {
      begun.push(number);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (number === 1) throw new Error('failed');
    }).catch(() => undefined),
  );
  await Promise.resolve();
  expect(begun).toEqual([1, 2]);
  ends[0]?.();
  await all[0];
  expect(begun).toEqual([1, 2, 3]);
  ends[1]?.();
  ends[2]?.();
  await Promise.all([all[1], all[2]]);
  ends[3]?.();
  await all[3];
  expect(begun).toEqual([1, 2, 3, 4]);
});
