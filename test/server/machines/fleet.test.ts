import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { askSubject, asksOf, rosterSubject, rowsSubject } from '../../../src/core/machines/index.ts';
import { createKey, NatsRefusedError, openNatsLink, publicKeyOf } from '../../../src/platform/nats/index.ts';
import { MACHINE_WIRE, type MachineSessions, MachineTicket } from '../../../src/protocol/index.ts';
import { readInvitation } from '../../../src/server/machines/invitation-line.ts';
import {
  found,
  hasNatsServer,
  invite,
  joinFleet,
  type MachineUnderTest,
  membershipOf,
  natsPid,
  removeSessions,
  startMachine,
  stopMachines,
  untilConnected,
} from '../../harness/fleet.ts';
import { asking, DONE, WORKING } from '../../harness/some-sessions.ts';
import { waitFor } from '../../harness/wait-for.ts';

/** All tests share one fleet: its founder, a machine that may answer and type, and one that may only see. */
let desk: MachineUnderTest;
let laptop: MachineUnderTest;
let guest: MachineUnderTest;

describe.skipIf(!hasNatsServer)('a fleet on a real nats-server', () => {
  beforeAll(async () => {
    [desk, laptop, guest] = await Promise.all([startMachine('desk'), startMachine('laptop'), startMachine('guest')]);
    await found(desk);
    await joinFleet(laptop, await invite(desk, ['see', 'answer', 'type']), ['see', 'answer', 'type']);
    await joinFleet(guest, await invite(desk, ['see']), ['see']);
  }, 60_000);
  afterAll(() => stopMachines(guest, laptop, desk));
  beforeEach(() => removeSessions(desk, laptop, guest));

  describe('the list', () => {
    test('every machine lists the sessions of all', async () => {
      desk.sessions.add('SHOP');
      laptop.sessions.add('SHOP');
      for (const machine of [desk, laptop, guest]) {
        const all = await machine.fleetSessions();
        const names = all.flatMap((one) => one.sessions.map(({ slug }) => `${one.machine}/${slug}`));
        expect(names.toSorted()).toEqual(['desk/SHOP', 'laptop/SHOP']);
        expect(all.map(({ reachable }) => reachable)).toEqual([true, true, true]);
      }
    });

    test('a client that names fields gets only these, as they are now', async () => {
      desk.sessions.add('SHOP', DONE);
      laptop.sessions.add('AUTH', DONE);
      const rows = async (): Promise<unknown> =>
        ((await desk.call('/fleet/sessions?fields=slug,state,lost,unheard_of')).json() as MachineSessions[])
          .filter(({ machine }) => machine !== 'guest')
          .map(({ machine, reachable, unreadable, sessions }) => ({ machine, reachable, unreadable, sessions }));
      const machine = { reachable: true, unreadable: 0 };
      const shop = { machine: 'desk', ...machine, sessions: [{ slug: 'SHOP', state: 'waiting' }] };
      const auth = (state: string) => ({ machine: 'laptop', ...machine, sessions: [{ slug: 'AUTH', state }] });
      expect(await rows()).toEqual([shop, auth('waiting')]);
      expect(await rows()).toEqual([shop, auth('waiting')]);
      laptop.sessions.change('AUTH', WORKING);
      expect(await rows()).toEqual([shop, auth('working')]);
      expect(await desk.fleetSessions()).toMatchObject([{ sessions: [{ slug: 'SHOP', type: 'screen' }] }, {}, {}]);
      expect(await desk.call('/fleet/sessions?columns=slug')).toMatchObject({ status: 422 });
    });

    test('a machine that grants no right has no sessions for others', async () => {
      guest.sessions.add('SECRET');
      const allowed = await guest.call('/fleet/allow', { method: 'PUT', body: { rights: [] } });
      expect(allowed.json()).toMatchObject({ fleet: { machine: 'guest', allow: [] } });
      const seen = await desk.sees('guest');
      expect(seen).toMatchObject({ reachable: false, fault: expect.stringContaining('lacks the right to see') });
      await guest.call('/fleet/allow', { method: 'PUT', body: { rights: ['see'] } });
      await waitFor(async () => (await desk.sees('guest')).sessions.length === 1, { describe: 'it is seen again' });
    });

    test('a session that this version does not understand is counted, not shown', async () => {
      laptop.sessions.add('NEWER', { type: 'holographic' as 'screen' });
      laptop.sessions.add('KNOWN');
      const { sessions, unreadable } = await desk.sees('laptop');
      expect({ names: sessions.map(({ slug }) => slug), unreadable }).toEqual({ names: ['KNOWN'], unreadable: 1 });
    });
  });

  describe("rights are decided on the session's machine", () => {
    test('a machine without the right to answer cannot answer, whatever it asks for', async () => {
      desk.sessions.add('DEPLOY', asking());
      desk.sessions.answers.length = 0;
      expect((await guest.ask('desk', 'getSession', 'DEPLOY')).status).toBe(200);
      for (const [route, body] of [
        ['answer', { choice: 'yes' }],
        ['send', { text: 'hello' }],
        ['interrupt', undefined],
        ['killSession', undefined],
        ['restartSession', undefined],
      ] as const) {
        const refused = await guest.ask('desk', route, 'DEPLOY', body);
        expect({ route, status: refused.status, code: refused.code() }).toEqual({
          ...{ route, status: 403, code: 'not_allowed_there' },
        });
      }
      expect(desk.sessions.answers).toEqual([]);
      expect(desk.sessions.deliveries('DEPLOY')).toEqual([]);
      expect(desk.sessions.get('DEPLOY').state).toBe('waiting');
    });

    test('a machine with the rights answers and types, and its name is in the log', async () => {
      desk.sessions.add('DEPLOY', asking());
      desk.sessions.add('READY', DONE);
      desk.sessions.answers.length = 0;
      expect((await laptop.ask('desk', 'answer', 'DEPLOY', { choice: 'yes' })).json()).toEqual({
        value: { status: 'answered' },
      });
      expect(desk.sessions.answers).toEqual([{ choice: 'yes' }]);
      const sent = await laptop.ask('desk', 'send', 'READY', { text: 'run the tests', idempotency_key: 'k1' });
      expect(sent.json()).toMatchObject({ value: { session: 'READY', text: 'run the tests' } });
      expect(desk.log.map(({ fields }) => fields)).toContainEqual({ from: 'laptop', route: 'send', slug: 'READY' });
    });

    test('even the founder may not do what the owner does not allow', async () => {
      guest.sessions.add('MINE', asking());
      const refused = await desk.ask('guest', 'answer', 'MINE', { choice: 'yes' });
      expect({ status: refused.status, code: refused.code() }).toEqual({ status: 403, code: 'not_allowed_there' });
      expect(guest.sessions.answers).toEqual([]);
    });

    test('a refusal by the session itself is passed on unchanged', async () => {
      desk.sessions.add('DEPLOY', asking());
      const refused = await laptop.ask('desk', 'send', 'DEPLOY', { text: 'hello' });
      expect({ status: refused.status, code: refused.code() }).toEqual({ status: 409, code: 'not_accepting_text' });
      expect((await laptop.ask('desk', 'getSession', 'NONE')).code()).toBe('no_such_session');
      expect((await laptop.ask('desk', 'send', 'DEPLOY', { txt: 'hello' })).code()).toBe('invalid_request');
      expect((await laptop.ask('nowhere', 'getSession', 'DEPLOY')).code()).toBe('no_such_machine');
    });

    test('only the founder invites and removes', async () => {
      const invited = await laptop.call('/fleet/invitations', { body: { rights: ['see'], valid_s: 60 } });
      expect(invited.code()).toBe('not_founder');
      expect((await laptop.call('/fleet/remove', { body: { machine: 'guest' } })).code()).toBe('not_founder');
    });
  });

  describe('with the keys of an invited machine', () => {
    const linkOf = (machine: MachineUnderTest) => openNatsLink(membershipOf(machine));

    test('no machine asks in the name of another, or receives requests for another', async () => {
      const [deskId, laptopId, guestId] = [desk, laptop, guest].map((one) => membershipOf(one).id) as [
        ...[string, string, string],
      ];
      desk.sessions.add('DEPLOY', asking());
      desk.sessions.answers.length = 0;
      const link = await linkOf(guest);
      const heard: string[] = [];
      const hear = ({ subject }: { subject: string }): void => void heard.push(subject);
      for (const subject of [asksOf(deskId), asksOf(laptopId), '>', 'cbos.>', `_INBOX.${laptopId}.>`]) {
        link.subscribe(subject, hear);
      }
      await link.flush();
      const ask = JSON.stringify({ ...MACHINE_WIRE, kind: 'ticket' });
      expect(await link.request(askSubject(deskId, laptopId), ask, 500)).not.toHaveProperty('data');
      // The laptop does everything that it may do, and the guest learns nothing about it.
      await laptop.ask('desk', 'answer', 'DEPLOY', { choice: 'yes' });
      expect(desk.sessions.answers).toHaveLength(1);
      // This is a forged owner. Messages that it sends as another machine reach nobody.
      const rows = { ...MACHINE_WIRE, boot: 'forged', at_ms: 0, sessions: [{ slug: 'FORGED' }] };
      link.publish(rowsSubject(laptopId), JSON.stringify(rows));
      link.publish(
        rosterSubject(deskId),
        JSON.stringify({ ...MACHINE_WIRE, founder: deskId, revision: 9e15, members: [] }),
      );
      await link.flush();
      expect((await desk.sees('laptop')).unreadable).toBe(0);
      expect((await laptop.fleet()).machines).toHaveLength(3);
      expect(heard).toEqual([]);
      expect(guestId).not.toBe(laptopId);
      await link.close();
    });

    test('nothing is done twice, late or without a ticket', async () => {
      const [deskId, laptopId] = [membershipOf(desk).id, membershipOf(laptop).id];
      desk.sessions.add('READY', DONE);
      const before = desk.sessions.deliveries('READY').length;
      const link = await linkOf(laptop);
      const ask = async (question: object): Promise<{ ok: boolean; value?: unknown; error?: { code: string } }> => {
        const outcome = await link.request(
          askSubject(deskId, laptopId),
          JSON.stringify({ ...MACHINE_WIRE, ...question }),
          5_000,
        );
        if (outcome.kind !== 'answered') throw new Error(outcome.kind);
        return JSON.parse(outcome.data);
      };
      const call = { route: 'send', params: { slug: 'READY' }, body: { text: 'once' } };
      const { value } = await ask({ kind: 'ticket' });
      const ticket = MachineTicket.parse(value);
      expect(await ask({ kind: 'call', call, ticket })).toMatchObject({ ok: true });
      for (const used of [ticket, null, { ...ticket, ticket: 'invented' }]) {
        expect(await ask({ kind: 'call', call, ticket: used })).toMatchObject({
          ok: false,
          error: { code: 'machine_unreachable' },
        });
      }
      expect(desk.sessions.deliveries('READY')).toHaveLength(before + 1);
      expect(await ask({ kind: 'call', call: { ...call, route: 'createSession' }, ticket: null })).toMatchObject({
        ok: false,
      });
      await link.close();
    });
  });

  describe('an invitation', () => {
    test('is useless after one use, after its time, and when it is incomplete', async () => {
      const line = await invite(desk, ['see', 'answer']);
      const thief = await startMachine('thief');
      const late = await startMachine('late');
      try {
        // Both have the invitation and are equally quick. Exactly one is admitted.
        const join = (one: MachineUnderTest) => one.call('/fleet/join', { body: { line, name: one.name, allow: [] } });
        const answers = await Promise.all([join(thief), join(late)]);
        expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422]);
        expect(answers.find(({ status }) => status === 422)?.code()).toBe('invalid_invitation');
        const loser = answers[0]?.status === 422 ? thief : late;
        await waitFor(
          async () => {
            const { seed, ...login } = readInvitation(line);
            const id = publicKeyOf(seed) ?? '';
            const link = await openNatsLink({ ...login, id, seed }).catch((error: unknown) => error);
            if (link instanceof NatsRefusedError) return true;
            await (link as { close(): Promise<void> }).close();
            return false;
          },
          { describe: 'NATS itself refuses the used invitation' },
        );
        expect((await join(loser)).code()).toBe('invalid_invitation');

        const short = await invite(desk, ['see'], 1);
        await waitFor(
          async () => {
            const body = { line: short, name: loser.name, allow: [] };
            // If the name is taken, the machine is refused, but the invitation is not used up.
            return (
              (await loser.call('/fleet/join', { body: { ...body, name: 'desk' } })).code() === 'invalid_invitation'
            );
          },
          { describe: 'the invitation has expired' },
        );
        const whole = await invite(desk, ['see']);
        for (const broken of [whole.slice(0, -9), whole.slice(9), 'hello', `cbos-invitation-1.${'A'.repeat(90)}`]) {
          const body = { line: broken, name: loser.name, allow: [] };
          expect((await loser.call('/fleet/join', { body })).code()).toBe('invalid_invitation');
        }
        expect((await loser.fleet()).fleet).toBeNull();
        await desk.call('/fleet/remove', { body: { machine: loser === late ? 'thief' : 'late' } });
      } finally {
        await thief[Symbol.asyncDispose]();
        await late[Symbol.asyncDispose]();
      }
    });
  });

  describe('a machine that is removed', () => {
    test('is out within a second, with all its connections', async () => {
      const leaver = await startMachine('leaver');
      try {
        await joinFleet(leaver, await invite(desk, ['see', 'answer', 'type']), ['see']);
        const stolen = membershipOf(leaver);
        const link = await openNatsLink(stolen);
        const began = performance.now();
        const closed = link.closed.then(() => performance.now() - began);
        expect((await desk.call('/fleet/remove', { body: { machine: 'leaver' } })).status).toBe(200);
        expect(await closed).toBeLessThan(1_000);
        await expect(openNatsLink(stolen)).rejects.toBeInstanceOf(NatsRefusedError);
        expect((await leaver.ask('desk', 'getSession', 'X')).code()).toBe('machine_unreachable');
        await waitFor(async () => (await leaver.fleet()).fleet?.fault?.includes('no longer in the fleet') === true, {
          describe: 'it says why',
        });
        expect((await laptop.fleet()).machines.map(({ name }) => name)).not.toContain('leaver');
        // Its keys are removed when it leaves, and it can join again.
        expect((await leaver.call('/fleet/leave', { method: 'POST' })).json()).toEqual({
          status: 'left',
          told: false,
          is_copy: false,
        });
        await joinFleet(leaver, await invite(desk, ['see']), ['see']);
        expect((await leaver.call('/fleet/leave', { method: 'POST' })).json()).toEqual({
          status: 'left',
          told: true,
          is_copy: false,
        });
        await waitFor(async () => (await desk.fleet()).machines.every(({ name }) => name !== 'leaver'), {
          describe: 'the founder knows that it left',
        });
      } finally {
        await leaver[Symbol.asyncDispose]();
      }
    });
  });

  describe('when something breaks', () => {
    test('the NATS server is killed: rows stay with their age, nothing is kept for later, and it comes back', async () => {
      laptop.sessions.add('BUSY', DONE);
      await desk.sees('laptop');
      process.kill(natsPid(desk), 'SIGKILL');
      await waitFor(async () => !(await laptop.sees('desk')).reachable, {
        ...{ describe: 'the link is seen as cut', isBrief: true },
      });
      const refused = await desk.ask('laptop', 'send', 'BUSY', { text: 'now' });
      if (refused.status !== 200) expect(refused.code()).toBe('machine_unreachable');
      const sent = refused.status === 200 ? 1 : 0;
      for (const machine of [desk, laptop, guest]) await untilConnected(machine);
      await waitFor(async () => (await desk.sees('laptop')).reachable, { describe: 'the laptop is back' });
      expect((await desk.sees('laptop')).sessions.map(({ slug }) => slug)).toEqual(['BUSY']);
      expect(laptop.sessions.deliveries('BUSY').filter(({ text }) => text === 'now')).toHaveLength(sent);
    });

    test('an owner that is gone keeps its rows, with their age; requests for it are refused', async () => {
      laptop.sessions.add('KEPT', DONE);
      await waitFor(async () => (await desk.sees('laptop')).sessions.length === 1, { describe: 'it is seen' });
      await laptop.stop();
      try {
        const first = await desk.sees('laptop');
        expect(first).toMatchObject({ reachable: false, sessions: [{ slug: 'KEPT' }] });
        expect(first.age_ms).toBeGreaterThanOrEqual(0);
        const refused = await desk.ask('laptop', 'answer', 'KEPT', { choice: 'yes' });
        expect({ status: refused.status, code: refused.code() }).toEqual({ status: 503, code: 'machine_unreachable' });
        await waitFor(async () => ((await desk.sees('laptop')).age_ms ?? 0) > (first.age_ms ?? 0) + 20, {
          describe: 'its age grows',
        });
        expect((await desk.fleet()).machines.find(({ name }) => name === 'laptop')).toMatchObject({ reachable: false });
      } finally {
        await laptop.startAgain();
      }
      await untilConnected(laptop);
      expect(await desk.sees('laptop')).toMatchObject({ reachable: true, sessions: [{ slug: 'KEPT' }] });
    });
  });

  test('nobody is admitted without a key', async () => {
    const { host, port, authority } = membershipOf(desk);
    // This is a new key that nobody knows.
    await expect(openNatsLink({ host, port, authority, ...createKey() })).rejects.toBeInstanceOf(NatsRefusedError);
    const tls = { ca: authority, checkServerIdentity: () => undefined };
    // This uses no key, no password, and no token, which a NATS server without any users would accept.
    const bare = connect({ servers: `${host}:${port}`, tls, reconnect: false });
    await expect(bare).rejects.toThrow(/Authorization Violation/);
    await expect(connect({ servers: `${host}:${port}`, tls: null, reconnect: false })).rejects.toThrow();
  });

  describe('secrets', () => {
    test('are in files that only this user can read, and nowhere else', () => {
      for (const machine of [desk, laptop, guest]) {
        const dir = join(machine.world.cbosHome, 'fleet');
        const { seed } = membershipOf(machine);
        for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
          const path = join(entry.parentPath, entry.name);
          const { mode } = statSync(path);
          if (entry.isDirectory()) expect({ path, mode: mode & 0o077 }).toEqual({ path, mode: 0 });
          else if (entry.name !== 'machine.json') expect(readFileSync(path, 'utf8')).not.toContain(seed);
          else expect(mode & 0o177).toBe(0);
        }
        expect(JSON.stringify(machine.log)).not.toContain(seed);
      }
      const key = join(desk.world.cbosHome, 'fleet/nats/server.key');
      expect(statSync(key).mode & 0o177).toBe(0);
      for (const file of ['cmdline', 'environ']) {
        const said = readFileSync(`/proc/${natsPid(desk)}/${file}`, 'utf8');
        for (const machine of [desk, laptop, guest]) expect(said).not.toContain(membershipOf(machine).seed);
      }
    });
  });
});
