import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askSubject, asksOf, rowsSubject } from '../../../src/core/machines/index.ts';
import { openNatsLink } from '../../../src/platform/nats/index.ts';
import { MACHINE_WIRE, type WireVersion } from '../../../src/protocol/index.ts';
import {
  becomeCopyOf,
  found,
  hasNatsServer,
  invite,
  joinFleet,
  type MachineUnderTest,
  membershipOf,
  startMachine,
  untilConnected,
} from '../../harness/fleet.ts';
import { asking, DONE } from '../../harness/some-sessions.ts';
import { waitFor } from '../../harness/wait-for.ts';

const RIGHTS = ['see', 'answer', 'type'] as const;
const MINE: WireVersion = { v: MACHINE_WIRE.v, minor: 5 };

let desk: MachineUnderTest;

/** Starts a machine whose messages have another version. */
async function joined(name: string, wire: WireVersion): Promise<MachineUnderTest> {
  const machine = await startMachine(name, { wire });
  await joinFleet(machine, await invite(desk, RIGHTS), RIGHTS);
  return machine;
}

describe.skipIf(!hasNatsServer)('machines with different versions', () => {
  beforeAll(async () => {
    desk = await startMachine('desk', { wire: MINE });
    await found(desk);
    await desk.call('/fleet/allow', { method: 'PUT', body: { rights: RIGHTS } });
  }, 60_000);
  afterAll(async () => desk?.[Symbol.asyncDispose]());

  test.each([4, 6])('work together one minor version apart: 5 and %i', async (minor) => {
    const other = await joined('other', { ...MINE, minor });
    try {
      other.sessions.add('READY', DONE);
      desk.sessions.add('READY', asking());
      expect(await desk.sees('other')).toMatchObject({ reachable: true, sessions: [{ slug: 'READY' }] });
      expect((await desk.ask('other', 'send', 'READY', { text: 'hello' })).status).toBe(200);
      expect((await other.ask('desk', 'answer', 'READY', { choice: 'yes' })).status).toBe(200);
      const machines = (await other.fleet()).machines.map(({ name, version, fault }) => ({ name, version, fault }));
      expect(machines).toEqual(['desk', 'other'].map((name) => ({ name, version: '1.2.3', fault: null })));
    } finally {
      await other[Symbol.asyncDispose]();
      await desk.call('/fleet/remove', { body: { machine: 'other' } });
    }
  });

  test('a newer one may say more than this version understands, and is understood all the same', async () => {
    const other = await joined('other', { ...MINE, minor: 6 });
    try {
      await other.stop();
      const [deskId, { id }] = [membershipOf(desk).id, membershipOf(other)];
      const link = await openNatsLink(membershipOf(other));
      const ask = async (question: object): Promise<unknown> => {
        const data = JSON.stringify({ ...MINE, minor: 6, ...question });
        const outcome = await link.request(askSubject(deskId, id), data, 5_000);
        return outcome.kind === 'answered' ? JSON.parse(outcome.data) : outcome;
      };
      expect(await ask({ kind: 'rows', since: 'yesterday' })).toMatchObject({ ok: true });
      expect(await ask({ kind: 'dream' })).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
      // A field of a call may change what it does, so the call is refused instead of carried out without the field.
      const call = { route: 'getSession', params: { slug: 'READY' }, gently: true };
      expect(await ask({ kind: 'call', call, ticket: null })).toMatchObject({
        ...{ ok: false, error: { code: 'invalid_request' } },
      });
      await link.close();
    } finally {
      await other[Symbol.asyncDispose]();
      await desk.call('/fleet/remove', { body: { machine: 'other' } });
    }
  });

  test.each([
    ['older', { ...MINE, minor: 3 }, 'Update CBOS on other', 'Update CBOS on this machine'],
    ['newer', { ...MINE, minor: 7 }, 'Update CBOS on this machine', 'Update CBOS on desk'],
    ['newer', { v: MINE.v + 1, minor: 0 }, 'Update CBOS on this machine', 'Update CBOS on desk'],
  ] as const)(
    'an %s machine with %j is named as such on both, and nothing is done there',
    async (_, wire, cure, back) => {
      // It was compatible when it joined, and was updated since.
      const other = await joined('other', MINE);
      try {
        other.sessions.add('READY', DONE);
        await waitFor(async () => (await desk.sees('other')).sessions.length === 1, { describe: 'it is seen' });
        await other.stop();
        const changed = await startMachine('changed', { wire });
        try {
          changed.sessions.add('MISREAD', DONE);
          await becomeCopyOf(other, changed);
          await untilConnected(changed);
          desk.sessions.add('READY', DONE);

          const seen = await desk.sees('other');
          expect(seen).toMatchObject({ reachable: false, cause: 'version', may: [], sessions: [{ slug: 'READY' }] });
          expect(seen.fault).toContain(
            `other speaks version ${wire.v}.${wire.minor} of the fleet's protocol (CBOS 1.2.3)`,
          );
          const listed = (await desk.fleet()).machines.find(({ name }) => name === 'other');
          expect(listed).toMatchObject({ reachable: true, fault: expect.stringContaining(cure) });
          const refused = await desk.ask('other', 'send', 'MISREAD', { text: 'hello' });
          expect(refused.status).toBe(409);
          expect(refused.json()).toMatchObject({ error: { code: 'machine_version', hint: cure } });
          const refusedBack = await changed.ask('desk', 'send', 'READY', { text: 'hello' });
          expect(refusedBack.json()).toMatchObject({ error: { code: 'machine_version', hint: back } });
          expect(changed.sessions.deliveries('MISREAD')).toEqual([]);
          expect(desk.sessions.deliveries('READY').filter(({ text }) => text === 'hello')).toEqual([]);
        } finally {
          await changed[Symbol.asyncDispose]();
        }
        // It works again as soon as its version is compatible.
        await other.startAgain();
        await untilConnected(other);
        expect(await desk.sees('other')).toMatchObject({ reachable: true, cause: null });
        expect((await desk.ask('other', 'send', 'READY', { text: 'hello' })).status).toBe(200);
      } finally {
        await other[Symbol.asyncDispose]();
        await desk.call('/fleet/remove', { body: { machine: 'other' } });
      }
    },
  );

  test('an owner refuses what it would misread, and answers every version that asks only who it is', async () => {
    const other = await joined('other', MINE);
    try {
      await other.stop();
      const link = await openNatsLink(membershipOf(other));
      const [deskId, { id }] = [membershipOf(desk).id, membershipOf(other)];
      const ask = async (question: object): Promise<unknown> => {
        const outcome = await link.request(askSubject(deskId, id), JSON.stringify(question), 5_000);
        return outcome.kind === 'answered' ? JSON.parse(outcome.data) : outcome;
      };
      const misread = { ok: false, error: { code: 'machine_version' } };
      for (const version of [{ v: 1 }, { v: 9, minor: 1 }, { ...MINE, minor: 8 }]) {
        expect(await ask({ ...version, kind: 'ping' })).toMatchObject({ ok: true, value: { ...MINE, cbos: '1.2.3' } });
        expect(await ask({ ...version, kind: 'rows' })).toMatchObject(misread);
        expect(await ask({ ...version, kind: 'ticket' })).toMatchObject(misread);
      }
      // An owner that predates all this: it publishes its list without a version, and knows no such ping.
      link.subscribe(asksOf(id), (message) => {
        message.respond(JSON.stringify({ ok: false, error: { code: 'machine_version', message: 'old', hint: 'old' } }));
      });
      link.publish(rowsSubject(id), JSON.stringify({ boot: 'old', at_ms: 1, revision: 1, sessions: [{ slug: 'X' }] }));
      await link.flush();
      await waitFor(async () => (await desk.sees('other')).cause === 'version', { describe: 'it is named as too old' });
      expect(await desk.sees('other')).toMatchObject({ sessions: [], unreadable: 0 });
      expect((await desk.ask('other', 'send', 'X', { text: 'hello' })).code()).toBe('machine_version');
      await link.close();
    } finally {
      await other[Symbol.asyncDispose]();
      await desk.call('/fleet/remove', { body: { machine: 'other' } });
    }
  });
});
