import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asksOf, rosterSubject, rowsSubject } from '../../../src/core/machines/index.ts';
import { createKey, openSharedLink, sign } from '../../../src/platform/nats/index.ts';
import { MACHINE_WIRE, type Right } from '../../../src/protocol/index.ts';
import {
  hasNatsServer,
  invite,
  type MachineUnderTest,
  membershipOf,
  startMachine,
  stopMachines,
  untilConnected,
} from '../../harness/fleet.ts';
import { type NatsNodes, startNatsNodes } from '../../harness/nats-nodes.ts';
import { DONE } from '../../harness/some-sessions.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorld, type World } from '../../harness/world.ts';

const RIGHTS = ['see', 'answer', 'type'] as const;

async function foundOn(nodes: NatsNodes, machine: MachineUnderTest): Promise<void> {
  const body = { name: machine.name, nats: nodes.address, credentials: nodes.users.fleet.seed };
  const answer = await machine.call('/fleet/init', { body });
  if (answer.status !== 201) throw new Error(answer.text);
  await untilConnected(machine);
  await machine.call('/fleet/allow', { method: 'PUT', body: { rights: RIGHTS } });
}

async function joinOn(nodes: NatsNodes, machine: MachineUnderTest, line: string, rights: readonly Right[]) {
  const body = { line, name: machine.name, allow: rights, credentials: nodes.users.fleet.seed };
  const answer = await machine.call('/fleet/join', { body });
  if (answer.status === 200) await untilConnected(machine);
  return answer;
}

describe.skipIf(!hasNatsServer)('a fleet on a NATS server that somebody else runs', () => {
  let world: World;
  let nodes: NatsNodes;
  let desk: MachineUnderTest;
  let laptop: MachineUnderTest;
  beforeAll(async () => {
    world = createWorld();
    nodes = await startNatsNodes(world, 1);
    [desk, laptop] = await Promise.all([startMachine('desk'), startMachine('laptop')]);
  }, 60_000);
  afterAll(async () => {
    await stopMachines(laptop, desk);
    await world.dispose();
  });

  test('is refused without JetStream, without rights, without a server and with wrong credentials, each with its cure', async () => {
    const init = (body: object) => desk.call('/fleet/init', { body: { name: 'desk', ...body } });
    const { users, address } = nodes;
    for (const [body, code, text] of [
      [{ nats: address, credentials: users.plain.seed }, 'nats_unusable', /JetStream/],
      [{ nats: address, credentials: users.narrow.seed }, 'nats_unusable', /do not permit/],
      [{ nats: address, credentials: createKey().seed }, 'nats_unreachable', /refuses the credentials/],
      [{ nats: address }, 'nats_unreachable', /refuses the credentials/],
      [{ nats: address, credentials: 'hello' }, 'invalid_setting', /--credentials FILE/],
      [{ nats: 'nats://127.0.0.1:1' }, 'nats_unreachable', /127\.0\.0\.1:1/],
      [{ nats: 'http://127.0.0.1' }, 'invalid_setting', /--nats nats/],
      [{ nats: 'nats://me:secret@127.0.0.1' }, 'invalid_setting', /--credentials FILE/],
    ] as const) {
      const refused = await init(body);
      expect({ body, code: refused.code() }).toEqual({ body, code });
      expect(refused.text).toMatch(text);
      expect((await desk.fleet()).fleet).toBeNull();
    }
  });

  test('carries lists, answers and prompts, and starts no NATS server of its own', async () => {
    await foundOn(nodes, desk);
    expect((await joinOn(nodes, laptop, await invite(desk, RIGHTS), RIGHTS)).status).toBe(200);
    laptop.sessions.add('READY', DONE);
    await waitFor(async () => (await desk.sees('laptop')).sessions.length === 1, { describe: 'the laptop is seen' });
    expect((await desk.ask('laptop', 'send', 'READY', { text: 'hello' })).status).toBe(200);
    expect(laptop.sessions.deliveries('READY')).toHaveLength(1);
    expect((await laptop.ask('desk', 'restartSession', 'READY')).code()).toBe('not_allowed_there');
    const view = await laptop.fleet();
    expect(view.fleet).toMatchObject({ connected: true, is_founder: false });
    expect(view.machines.map(({ name }) => name)).toEqual(['desk', 'laptop']);
    expect(JSON.stringify([...desk.log, ...laptop.log])).not.toContain(nodes.users.fleet.seed);
  });

  test('carries what a session shows, as it comes', async () => {
    const recording = laptop.sessions.add('SHOWN');
    recording.write('before');
    const client = await desk.connectStream();
    client.send({ type: 'subscribe', sessions: ['laptop/SHOWN'] });
    const shown = (): string =>
      client
        .of('stream')
        .map(({ data }) => data)
        .join('');
    await waitFor(() => shown().includes('before'), { describe: 'the screen has come' });
    recording.write(' and after ✻');
    await waitFor(() => shown().endsWith(' and after ✻'), { describe: 'the output has come', actual: shown });
    client.ws.close();
    await laptop.sessions.remove('SHOWN');
  });

  test('an invitation admits one machine, and a removed machine is out within a second', async () => {
    const line = await invite(desk, ['see']);
    const [first, second] = await Promise.all([startMachine('first'), startMachine('second')]);
    try {
      expect((await joinOn(nodes, first, line, ['see'])).status).toBe(200);
      expect((await joinOn(nodes, second, line, ['see'])).code()).toBe('invalid_invitation');
      desk.sessions.add('SECRET', DONE);
      expect((await first.ask('desk', 'getSession', 'SECRET')).status).toBe(200);
      const began = performance.now();
      await desk.call('/fleet/remove', { body: { machine: 'first' } });
      const { id, seed, founder, shared } = membershipOf(first) as ReturnType<typeof membershipOf> & {
        founder: string;
        shared: Parameters<typeof openSharedLink>[0]['server'];
      };
      const link = await openSharedLink({ server: shared, id, seed, founder });
      const asked = JSON.stringify({ ...MACHINE_WIRE, kind: 'rows' });
      const outcome = await link.request(`cbos.ask.${founder}.${id}`, asked, 1_000);
      expect(outcome).toMatchObject({ kind: 'answered', data: expect.stringContaining('not_allowed_there') });
      expect(performance.now() - began).toBeLessThan(1_000);
      await link.close();
      await waitFor(async () => (await first.fleet()).fleet?.fault?.includes('no longer in the fleet') === true, {
        describe: 'it says why',
      });
    } finally {
      await first[Symbol.asyncDispose]();
      await second[Symbol.asyncDispose]();
    }
  });

  test('nobody else with access to the account asks, answers or reports in the name of a machine', async () => {
    const [deskId, laptopId] = [membershipOf(desk).id, membershipOf(laptop).id];
    const stranger = await nodes.connect();
    const key = createKey();
    const seal = (from: string, body: object): string =>
      JSON.stringify({ from, sig: sign(key.seed, JSON.stringify(body)), body: JSON.stringify(body) });
    try {
      desk.sessions.add('SAFE', DONE);
      // It hears everything, and answers every request first.
      stranger.subscribe('cbos.ask.>', {
        callback: (_, message) => {
          for (const from of [deskId, laptopId, key.id]) {
            message.respond(seal(from, { ok: true, value: { boot: 'forged', at_ms: 0, revision: 1e9, sessions: [] } }));
          }
        },
      });
      const roster = { ...MACHINE_WIRE, founder: deskId, revision: 9e15, members: [] };
      for (const from of [deskId, key.id]) {
        stranger.publish(rosterSubject(deskId), seal(from, roster));
        stranger.publish(
          rowsSubject(laptopId),
          seal(from, { ...MACHINE_WIRE, boot: 'forged', at_ms: 0, revision: 1, sessions: [] }),
        );
        stranger.publish(
          `cbos.here.${laptopId}`,
          seal(from, {
            boot: 'x',
            host: 'x',
            machine: null,
            os_boot: null,
            pid: 1,
            started_at: '2026-01-01T00:00:00.000Z',
          }),
        );
        stranger.publish(asksOf(deskId).replace('*', laptopId), seal(from, { ...MACHINE_WIRE, kind: 'leave' }));
      }
      await stranger.flush();
      expect(await desk.sees('laptop')).toMatchObject({ reachable: true, sessions: [{ slug: 'READY' }] });
      expect((await laptop.fleet()).machines).toHaveLength(2);
      expect((await laptop.fleet()).fleet?.doubles).toEqual([]);
      const before = laptop.sessions.deliveries('READY').length;
      expect((await desk.ask('laptop', 'send', 'READY', { text: 'again' })).status).toBe(200);
      expect(laptop.sessions.deliveries('READY')).toHaveLength(before + 1);
      // What was recorded is not carried out again.
      const heard: { subject: string; data: Uint8Array; reply: string | undefined }[] = [];
      stranger.subscribe(`cbos.ask.${laptopId}.*`, {
        callback: (_, { subject, data, reply }) => void heard.push({ subject, data, reply }),
      });
      await stranger.flush();
      expect((await desk.ask('laptop', 'send', 'READY', { text: 'once' })).status).toBe(200);
      await waitFor(() => heard.length > 1, { describe: 'the request was recorded' });
      for (const { subject, data, reply } of [...heard])
        stranger.publish(subject, data, reply === undefined ? {} : { reply });
      await stranger.flush();
      await desk.sees('laptop');
      expect(laptop.sessions.deliveries('READY').filter(({ text }) => text === 'once')).toHaveLength(1);
    } finally {
      await stranger.close();
    }
  });
});

describe.skipIf(!hasNatsServer)('a fleet on a NATS cluster of three nodes', () => {
  test('the node that leads is killed again and again: nothing is lost, nothing is done twice', async () => {
    const world = createWorld();
    const machines: MachineUnderTest[] = [];
    try {
      const nodes = await startNatsNodes(world, 3);
      for (const name of ['desk', 'laptop', 'tower']) machines.push(await startMachine(name));
      const [desk, laptop, tower] = machines as [MachineUnderTest, MachineUnderTest, MachineUnderTest];
      await foundOn(nodes, desk);
      for (const machine of [laptop, tower]) {
        expect((await joinOn(nodes, machine, await invite(desk, RIGHTS), RIGHTS)).status).toBe(200);
      }
      const founder = membershipOf(desk).id;
      for (const { sessions } of machines) sessions.add('READY', DONE);

      const asked: { owner: MachineUnderTest; text: string; told: 'done' | 'refused' | 'unknown' }[] = [];
      const send = async (index: number): Promise<void> => {
        const [asker, owner] = [machines[index % 3], machines[(index + 1) % 3]] as [MachineUnderTest, MachineUnderTest];
        const text = `text ${index}`;
        const answer = await asker.ask(owner.name, 'send', 'READY', { text });
        const code = answer.status === 200 ? '' : answer.code();
        asked.push({ owner, text, told: code === '' ? 'done' : code === 'machine_silent' ? 'unknown' : 'refused' });
      };
      let index = 0;
      for (let round = 0; round < 2; round++) {
        let led: string | null = null;
        const findLeader = async (): Promise<boolean> => {
          led = await nodes.leader(founder);
          return led !== null;
        };
        await waitFor(findLeader, { describe: 'a node leads', timeoutMs: 60_000 });
        const killed = led ?? '';
        for (let sent = 0; sent < 5; sent++) await send(index++);
        const sending = Promise.all(Array.from({ length: 5 }, () => send(index++)));
        await nodes.kill(killed);
        // The list of members changes while no node leads.
        const renamed = desk.call('/fleet/name', { method: 'PUT', body: { name: `desk-${round}` } });
        await sending;
        expect((await renamed).status).toBe(200);
        for (const machine of machines) await untilConnected(machine);
        for (let sent = 0; sent < 3; sent++) await send(index++);
        await waitFor(async () => ![null, killed].includes(await nodes.leader(founder)), {
          ...{ describe: 'another node leads', timeoutMs: 60_000 },
        });
        await nodes.start(killed);
      }
      for (const { owner, text, told } of asked) {
        const done = owner.sessions.deliveries('READY').filter((delivery) => delivery.text === text).length;
        expect({
          text,
          told,
          isRight: told === 'done' ? done === 1 : told === 'refused' ? done === 0 : done <= 1,
        }).toEqual({
          ...{ text, told, isRight: true },
        });
      }
      expect(asked.filter(({ told }) => told === 'done').length).toBeGreaterThan(10);

      // A machine that was away all the time learns the list from the cluster, without the founder.
      await tower.stop();
      await desk.call('/fleet/name', { method: 'PUT', body: { name: 'desk-at-last' } });
      const stored = async (): Promise<boolean> => {
        const { shared, id, seed } = membershipOf(laptop) as ReturnType<typeof membershipOf> & {
          shared: Parameters<typeof openSharedLink>[0]['server'];
        };
        const link = await openSharedLink({ server: shared, id, seed, founder });
        const kept = await link.kept?.get();
        await link.close();
        return kept?.includes('desk-at-last') === true;
      };
      await waitFor(stored, { describe: 'the cluster has the new list', timeoutMs: 60_000 });
      await desk.stop();
      await tower.startAgain();
      await waitFor(async () => (await tower.fleet()).machines.some(({ name }) => name === 'desk-at-last'), {
        ...{ describe: 'the new name is known', timeoutMs: 60_000 },
      });
      expect((await tower.ask('laptop', 'getSession', 'READY')).status).toBe(200);
    } finally {
      for (const machine of machines.toReversed()) await machine[Symbol.asyncDispose]();
      await world.dispose();
    }
  }, 240_000);
});
