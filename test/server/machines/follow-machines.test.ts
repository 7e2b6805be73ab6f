import { describe, expect, test } from 'vitest';
import { Emitter } from '../../../src/emitter/emitter.ts';
import {
  CatalogueError,
  MACHINE_WIRE,
  type MachineRows,
  type Member,
  type RowsChange,
} from '../../../src/protocol/index.ts';
import { createMachineFollowers } from '../../../src/server/machines/follow-machines.ts';
import { createPeers } from '../../../src/server/machines/peers.ts';
import { tellRows } from '../../../src/server/machines/tell-rows.ts';
import type { SessionEvent } from '../../../src/server/sessions.ts';
import type { FleetFrame } from '../../../src/server/stream/other-machines.ts';
import { ManualClock } from '../../harness/manual-clock.ts';
import { someSession } from '../../harness/some-session.ts';
import { asking, DONE, WORKING } from '../../harness/some-sessions.ts';

const BUILD: Member = { id: 'UBUILD', name: 'build', rights: ['see'] };

/** An owner with a revision of its list, and a machine that follows it. */
function followed() {
  const clock = new ManualClock();
  const peers = createPeers(clock.elapsed, MACHINE_WIRE);
  const owner = { revision: 1, sessions: [{ ...someSession('AUTH'), ...DONE }], isThere: true, lists: 0, looks: 0 };
  const rows = (): MachineRows => {
    const { revision, sessions } = owner;
    return { ...MACHINE_WIRE, boot: 'one', at_ms: clock.elapsed(), cbos: null, revision, sessions };
  };
  const followers = createMachineFollowers({
    others: () => [BUILD],
    sessionsOf: peers.sessionsOf,
    clock,
    look: async () => {
      owner.looks += 1;
      if (!owner.isThere) return new CatalogueError('machine_unreachable');
      const isKnown = peers.known(BUILD.id)?.revision === owner.revision;
      if (!isKnown) owner.lists += 1;
      const answer = { ...rows(), may: ['see'] };
      peers.onAnswer(BUILD.id, clock.elapsed(), isKnown ? { ...answer, sessions: null } : answer);
      return null;
    },
  });
  const frames: FleetFrame[] = [];
  return {
    clock,
    owner,
    frames,
    followers,
    peers,
    follow: () => followers.follow((frame) => void frames.push(frame)),
    tellRows: () => {
      peers.onRows(BUILD.id, JSON.stringify(rows()));
      followers.noteRows(BUILD);
    },
    pass: async (ms: number) => {
      clock.advance(ms);
      await new Promise((resolve) => setImmediate(resolve));
    },
    machine: () => frames.findLast((frame) => frame.type === 'machine'),
  };
}

test('no machine is asked while nobody follows', async () => {
  const { owner, follow, pass } = followed();
  await pass(10_000);
  expect(owner.looks).toBe(0);
  const stop = follow();
  await pass(0);
  expect(owner.looks).toBe(1);
  stop();
  await pass(10_000);
  expect(owner.looks).toBe(1);
});

test('many machines are asked one part after another, each within two seconds', async () => {
  const clock = new ManualClock();
  const peers = createPeers(clock.elapsed, MACHINE_WIRE);
  const machines = Array.from({ length: 25 }, (_, index): Member => ({ ...BUILD, id: `U${index}`, name: `b${index}` }));
  let asked: string[] = [];
  const look = async ({ name }: Member): Promise<null> => {
    asked.push(name);
    return null;
  };
  const followers = createMachineFollowers({ others: () => machines, sessionsOf: peers.sessionsOf, clock, look });
  const pass = async (ms: number): Promise<string[]> => {
    asked = [];
    clock.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
    return asked;
  };
  followers.follow(() => undefined);
  expect(asked).toHaveLength(25);
  await pass(0);
  for (let round = 0; round < 2; round++) {
    const parts: string[][] = [];
    for (let part = 0; part < 10; part++) parts.push(await pass(200));
    expect(Math.max(...parts.map(({ length }) => length))).toBe(3);
    expect(new Set(parts.flat())).toEqual(new Set(machines.map(({ name }) => name)));
    expect(parts.flat()).toHaveLength(25);
  }
  followers.dispose();
});

test('a list that has not changed is not sent again, and is as new as the last request', async () => {
  const { owner, frames, follow, pass, peers } = followed();
  follow();
  await pass(0);
  for (let looks = 0; looks < 5; looks++) await pass(2_000);
  expect({ looks: owner.looks, lists: owner.lists, told: frames.length }).toEqual({ looks: 6, lists: 1, told: 2 });
  expect(peers.sessionsOf(BUILD.id).age_ms).toBe(0);
});

test('a list in which only times differ is not passed on, and one with another question is', async () => {
  const { owner, frames, follow, pass, tellRows } = followed();
  const [auth] = owner.sessions as [(typeof owner.sessions)[number]];
  follow();
  await pass(0);
  owner.sessions = [{ ...auth, last_activity: null, status: { ...auth.status, unchanged_ms: 9, quiet_ms: 9 } }];
  owner.revision = 2;
  tellRows();
  expect(frames).toHaveLength(2);
  owner.sessions = [{ ...auth, ...asking() }];
  owner.revision = 3;
  tellRows();
  expect(frames).toHaveLength(3);
});

test('sessions that a machine sends without a request are passed on at once', async () => {
  const { owner, follow, machine, pass, tellRows } = followed();
  follow();
  await pass(0);
  owner.sessions = [{ ...someSession('AUTH'), ...WORKING }];
  owner.revision = 2;
  tellRows();
  expect(machine()).toMatchObject({ reachable: true, may: ['see'], sessions: [{ slug: 'AUTH', state: 'working' }] });
});

test('an unreachable machine keeps its rows, may do nothing, and shows how old they are', async () => {
  const { owner, follow, machine, pass } = followed();
  follow();
  await pass(0);
  owner.isThere = false;
  await pass(2_000);
  expect(machine()).toMatchObject({ reachable: false, may: [], age_ms: 2_000, sessions: [{ slug: 'AUTH' }] });
  owner.isThere = true;
  await pass(2_000);
  expect(machine()).toMatchObject({ reachable: true, may: ['see'] });
});

test('a list that was delayed does not replace a newer one', async () => {
  const { owner, follow, machine, pass, peers, followers } = followed();
  follow();
  await pass(0);
  const old = JSON.stringify({ ...MACHINE_WIRE, boot: 'one', at_ms: 0, revision: 0, sessions: [] });
  owner.revision = 5;
  await pass(2_000);
  peers.onRows(BUILD.id, old);
  followers.noteRows(BUILD);
  expect(machine()).toMatchObject({ sessions: [{ slug: 'AUTH' }] });
});

describe('a message with only what has changed', () => {
  const slugsOf = ({ peers }: ReturnType<typeof followed>): string[] =>
    peers.sessionsOf(BUILD.id).sessions.map(({ slug }) => slug);
  const change = (revision: number, what: Partial<RowsChange> & Pick<RowsChange, 'from'>): string => {
    const stamp = { ...MACHINE_WIRE, boot: 'one', at_ms: 0, cbos: null };
    return JSON.stringify({ ...stamp, revision, sessions: null, change: { sessions: [], removed: [], ...what } });
  };

  test('changes the known list', async () => {
    const machine = followed();
    machine.follow();
    await machine.pass(0);
    const sessions = [{ ...someSession('AUTH'), ...WORKING }, someSession('NEW')];
    expect(machine.peers.onRows(BUILD.id, change(3, { from: 1, sessions }))).toBe(true);
    expect(slugsOf(machine)).toEqual(['AUTH', 'NEW']);
    expect(machine.peers.sessionsOf(BUILD.id).sessions[0]?.state).toBe('working');
    expect(machine.peers.onRows(BUILD.id, change(4, { from: 3, removed: ['AUTH'] }))).toBe(true);
    expect(slugsOf(machine)).toEqual(['NEW']);
    expect(machine.peers.known(BUILD.id)?.revision).toBe(4);
  });

  test('asks for the list if an earlier change was lost or comes later', async () => {
    const machine = followed();
    machine.follow();
    await machine.pass(0);
    const late = change(2, { from: 1, removed: ['AUTH'] });
    const early = change(3, { from: 2, sessions: [someSession('NEW')] });
    expect(machine.peers.onRows(BUILD.id, early)).toBe(false);
    expect(slugsOf(machine)).toEqual(['AUTH']);
    machine.owner.sessions = [{ ...someSession('NEW'), ...DONE }];
    machine.owner.revision = 3;
    await machine.pass(2_000);
    expect(machine.peers.onRows(BUILD.id, late)).toBe(true);
    expect(slugsOf(machine)).toEqual(['NEW']);
  });

  test('of another start of the machine changes nothing', async () => {
    const machine = followed();
    machine.follow();
    await machine.pass(0);
    const other = JSON.parse(change(9, { from: 0, removed: ['AUTH'] })) as object;
    expect(machine.peers.onRows(BUILD.id, JSON.stringify({ ...other, boot: 'two' }))).toBe(false);
    expect(slugsOf(machine)).toEqual(['AUTH']);
  });
});

test('the first change is sent at once, and further ones together, each only with its own rows', () => {
  const clock = new ManualClock();
  const events = new Emitter<[SessionEvent]>();
  const told: (RowsChange | null)[] = [];
  const resized = someSession('FOUR');
  const sessions = { list: () => [resized], onEvent: events.on };
  const teller = tellRows({ sessions, clock, tell: (change) => void told.push(change) });
  teller.now();
  clock.advance(1_000);
  events.tell({ kind: 'updated', session: someSession('ONE') });
  events.tell({ kind: 'resized', slug: 'FOUR', cols: 1, rows: 1 });
  events.tell({ kind: 'state', session: someSession('TWO') });
  events.tell({ kind: 'state', session: { ...someSession('TWO'), ...WORKING } });
  events.tell({ kind: 'renamed', from: 'ONE', session: someSession('UNO') });
  events.tell({ kind: 'removed', slug: 'THREE' });
  expect(told).toHaveLength(2);
  clock.advance(1_000);
  clock.advance(1_000);
  expect(told).toEqual([
    null,
    { from: 0, sessions: [someSession('ONE')], removed: [] },
    {
      from: 1,
      sessions: [resized, { ...someSession('TWO'), ...WORKING }, someSession('UNO')],
      removed: ['ONE', 'THREE'],
    },
  ]);
  expect(teller.revision()).toBe(6);
  teller.dispose();
});
