import { expect, test } from 'vitest';
import { createViewKeeper } from '../../../src/client/session-view.ts';
import type { Session, StreamFrame } from '../../../src/protocol/index.ts';
import { FleetSubscription } from '../../../src/server/stream/fleet-subscription.ts';
import type { FleetFrame, FleetListener, MachineFrame } from '../../../src/server/stream/other-machines.ts';
import { someSession } from '../../harness/some-session.ts';
import { DONE, WORKING } from '../../harness/some-sessions.ts';

const [A, B, C] = [someSession('A', DONE), someSession('B', DONE), someSession('C', DONE)];
const FLEET: FleetFrame = { type: 'fleet', machines: ['build'] };

const build = (sessions: Session[], more: Partial<MachineFrame> = {}): MachineFrame => ({
  ...{ type: 'machine', machine: 'build', is_self: false, reachable: true, age_ms: 0, fault: null, cause: null },
  ...{ may: ['see'], unreadable: 0, sessions },
  ...more,
});

/** A client that takes changes, unless it is an old one, and that may be slow. */
async function follower({ isOld = false } = {}) {
  const sent: (FleetFrame & StreamFrame)[] = [];
  const socket = { isFull: () => client.isSlow, send: (frame: object) => void sent.push(frame as FleetFrame) };
  const client = { isSlow: false };
  let listener: FleetListener = () => undefined;
  const followFleet = async (given: FleetListener) => {
    listener = given;
    return () => undefined;
  };
  const subscription = new FleetSubscription(socket, { followFleet }, () => undefined);
  await Promise.resolve();
  if (!isOld) subscription.sendChanges();
  const tell = (...frames: FleetFrame[]): void => {
    for (const frame of frames) listener(frame);
  };
  return { client, sent, subscription, tell };
}

/** Returns each frame's sessions, and the names that it removes; without these, it is a whole list. */
const rowsOf = (frames: readonly FleetFrame[]): unknown[] =>
  frames.flatMap((frame) =>
    frame.type === 'machine' ? [[frame.sessions.map(({ slug }) => slug).join(), frame.change?.removed.join()]] : [],
  );

test('a client that takes changes gets the first list of a machine, and then only what has changed', async () => {
  const { sent, tell } = await follower();
  tell(FLEET, build([A, B]), build([{ ...A, ...WORKING }, B]), build([{ ...A, ...WORKING }, C]));
  expect(sent[0]).toEqual({ ...FLEET, changes: true });
  expect(rowsOf(sent)).toEqual([
    ['A,B', undefined],
    ['A', ''],
    ['A,C', 'B'],
  ]);
});

test('an older client always gets whole lists', async () => {
  const { sent, tell } = await follower({ isOld: true });
  tell(FLEET, build([A, B]), build([{ ...A, ...WORKING }, B]));
  expect(rowsOf(sent)).toEqual([
    ['A,B', undefined],
    ['A,B', undefined],
  ]);
});

test('news of the machine itself comes with the whole list', async () => {
  const { sent, tell } = await follower();
  const silent: Partial<MachineFrame> = { reachable: false, may: [], cause: 'unreachable' };
  tell(build([A, B]), build([A, B], silent), build([A, B], { ...silent, age_ms: 9 }), build([A, B]), build([A]));
  expect(rowsOf(sent)).toEqual([...Array.from({ length: 4 }, () => ['A,B', undefined]), ['', 'B']]);
});

test('a machine that has left and comes back begins with its whole list', async () => {
  const { sent, tell } = await follower();
  tell(FLEET, build([A]), { type: 'fleet', machines: [] }, FLEET, build([A, B]));
  expect(rowsOf(sent)).toEqual([
    ['A', undefined],
    ['A,B', undefined],
  ]);
});

test('a slow client gets the changes since the last frame that it got, and knows what the server knows', async () => {
  const { client, sent, subscription, tell } = await follower();
  tell(FLEET, build([A, B]));
  client.isSlow = true;
  tell(build([{ ...A, ...WORKING }, B]), build([{ ...A, ...WORKING }, B, C]), build([{ ...A, ...WORKING }, C]));
  client.isSlow = false;
  subscription.resume();
  expect(rowsOf(sent).slice(1)).toEqual([['A,C', 'B']]);
  const keeper = createViewKeeper();
  for (const frame of sent) keeper.take(frame);
  expect([...keeper.view().values()].map(({ slug, state }) => `${slug} ${state}`)).toEqual([
    'build/A working',
    'build/C waiting',
  ]);
});
