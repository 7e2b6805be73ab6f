import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectLocally } from '../../../src/cli/connect-locally.ts';
import { followTerminal, machinesFor, withRemoteNames } from '../../../src/client/index.ts';
import {
  becomeCopyOf,
  found,
  hasNatsServer,
  invite,
  joinFleet,
  type MachineUnderTest,
  removeSessions,
  startMachine,
  stopMachines,
  untilConnected,
} from '../../harness/fleet.ts';
import { asking, DONE } from '../../harness/some-sessions.ts';
import { waitFor } from '../../harness/wait-for.ts';

const RIGHTS = ['see', 'answer', 'type'] as const;

let desk: MachineUnderTest;
let laptop: MachineUnderTest;

async function untilFault(machine: MachineUnderTest, text: string): Promise<string> {
  let last: string | null = null;
  await waitFor(
    async () => {
      last = (await machine.fleet()).fleet?.fault ?? null;
      return last?.includes(text) === true;
    },
    { describe: `${machine.name} reports: ${text}`, actual: () => last, timeoutMs: 5_000 },
  );
  return last ?? '';
}

describe.skipIf(!hasNatsServer)('the identity of a machine', () => {
  beforeAll(async () => {
    [desk, laptop] = await Promise.all([startMachine('desk'), startMachine('laptop')]);
    await found(desk);
    await joinFleet(laptop, await invite(desk, RIGHTS), RIGHTS);
  }, 60_000);
  afterAll(() => stopMachines(laptop, desk));
  beforeEach(() => removeSessions(desk, laptop));

  test('a clone and its original both report it, and neither takes part until one of them leaves', async () => {
    const clone = await startMachine('clone');
    try {
      laptop.sessions.add('ORIGINAL', DONE);
      clone.sessions.add('ORIGINAL', asking());
      clone.sessions.add('CLONED', asking());
      await waitFor(async () => (await desk.sees('laptop')).sessions.length === 1, { describe: 'the laptop is seen' });
      await becomeCopyOf(laptop, clone);

      const said = await untilFault(laptop, 'another server has the key of this machine');
      const saidByClone = await untilFault(clone, 'another server has the key of this machine');
      const [ours, theirs] = await Promise.all([laptop.fleet(), clone.fleet()]);
      // Each names the other one and itself, so a person can compare what the two say.
      expect(ours.fleet?.doubles).toEqual([theirs.fleet?.instance]);
      expect(theirs.fleet?.doubles).toEqual([ours.fleet?.instance]);
      expect(ours.fleet?.instance.boot).not.toBe(theirs.fleet?.instance.boot);
      for (const text of [said, saidByClone]) {
        expect(text).toContain(ours.fleet?.instance.boot.slice(0, 8));
        expect(text).toContain(theirs.fleet?.instance.boot.slice(0, 8));
        expect(text).toContain('cbos fleet leave');
      }

      // The row of the original stays as it was, in grey. The clone's rows never appear.
      const seen = await desk.sees('laptop');
      expect(seen).toMatchObject({ reachable: false, cause: 'doubled', may: [] });
      expect(seen.sessions.map(({ slug, status }) => [slug, status.question])).toEqual([['ORIGINAL', null]]);
      const listed = (await desk.fleet()).machines.find(({ name }) => name === 'laptop');
      expect(listed).toMatchObject({ reachable: true, fault: expect.stringContaining('cbos fleet leave') });
      expect(listed).not.toHaveProperty('labels');
      expect(machinesFor((await desk.fleet()).machines, []).map(({ name }) => name)).toEqual(['desk']);
      for (const route of ['send', 'answer'] as const) {
        const body = route === 'send' ? { text: 'hello' } : { choice: 'yes' };
        const refused = await desk.ask('laptop', route, 'ORIGINAL', body);
        expect({ status: refused.status, code: refused.code() }).toEqual({ status: 409, code: 'machine_doubled' });
      }
      for (const one of [laptop, clone]) {
        expect((await one.ask('desk', 'getSession', 'X')).code()).toBe('machine_doubled');
        expect(one.sessions.deliveries('ORIGINAL')).toEqual([]);
        expect(one.sessions.answers).toEqual([]);
      }

      // Leaving takes only the copy out of the fleet.
      expect((await clone.call('/fleet/leave', { method: 'POST' })).json()).toEqual({
        ...{ status: 'left', told: false, is_copy: true },
      });
      await untilConnected(laptop);
      expect(await desk.sees('laptop')).toMatchObject({ reachable: true, sessions: [{ slug: 'ORIGINAL' }] });
      expect((await desk.ask('laptop', 'send', 'ORIGINAL', { text: 'hello' })).status).toBe(200);
      expect(laptop.sessions.deliveries('ORIGINAL')).toHaveLength(1);
      expect(clone.sessions.deliveries('ORIGINAL')).toEqual([]);
    } finally {
      await clone[Symbol.asyncDispose]();
    }
  });

  test('a terminal on a machine that is cloned waits for the copy to leave, and continues without a lost byte', async () => {
    const clone = await startMachine('clone');
    let isLeft = false;
    try {
      const recording = laptop.sessions.add('BUSY', DONE);
      recording.write('one ');
      const losses: string[] = [];
      let text = '';
      const following = followTerminal({
        client: withRemoteNames(connectLocally(`${desk.world.cbosHome}/cbos.sock`, async () => undefined)),
        ...{ slug: 'laptop/BUSY', isLeft: () => isLeft },
        pause: (ms) => delay(Math.min(ms, 50)),
        onLost: ({ code }) => void losses.push(code),
        onPart: ({ data, snapshot }) => {
          text = snapshot ? data : text + data;
        },
      });
      // A failure is reported where the test waits for it.
      following.catch(() => undefined);
      await waitFor(() => text.includes('one '), { describe: 'the terminal shows the session' });
      await becomeCopyOf(laptop, clone);
      await waitFor(() => losses.includes('machine_doubled'), { describe: 'the terminal is not connected' });
      recording.write('two ');
      await clone.call('/fleet/leave', { method: 'POST' });
      await waitFor(() => text.includes('two '), { describe: 'the terminal continues', timeoutMs: 20_000 });
      recording.write('three');
      await waitFor(() => text.endsWith('two three'), { describe: 'the terminal is up to date', actual: () => text });
      isLeft = true;
      expect(await following).toBe('left');
    } finally {
      isLeft = true;
      await clone[Symbol.asyncDispose]();
    }
  });

  test('a clone that starts while the original is away is the machine, until the original is back', async () => {
    const clone = await startMachine('clone');
    try {
      await laptop.stop();
      await becomeCopyOf(laptop, clone);
      await untilConnected(clone);
      await laptop.startAgain();
      await untilFault(laptop, 'another server');
      await untilFault(clone, 'another server');
      await clone.stop();
      await untilConnected(laptop);
      expect((await laptop.fleet()).fleet?.doubles).toEqual([]);
    } finally {
      await clone[Symbol.asyncDispose]();
    }
  });

  test('a home that was copied to another machine or path does not even connect, and leaves alone', async () => {
    const copy = await startMachine('copy');
    try {
      await becomeCopyOf(laptop, copy, 'elsewhere');
      await untilFault(copy, 'copied or moved');
      expect((await copy.fleet()).fleet).toMatchObject({ connected: false, doubles: [] });
      expect((await copy.call('/fleet/leave', { method: 'POST' })).json()).toMatchObject({ is_copy: true });
      expect((await desk.fleet()).machines.map(({ name }) => name)).toEqual(['desk', 'laptop']);
      expect(await desk.sees('laptop')).toMatchObject({ reachable: true });
    } finally {
      await copy[Symbol.asyncDispose]();
    }
  });

  test('a machine that is renamed keeps its key, its rights and its sessions', async () => {
    laptop.sessions.add('KEPT', DONE);
    await waitFor(async () => (await desk.sees('laptop')).sessions.length === 1, { describe: 'it is seen' });
    const before = (await desk.fleet()).machines.find(({ name }) => name === 'laptop');
    expect((await laptop.call('/fleet/name', { method: 'PUT', body: { name: 'desk' } })).code()).toBe(
      'machine_name_taken',
    );
    const renamed = await laptop.call('/fleet/name', { method: 'PUT', body: { name: 'travel' } });
    expect(renamed.json()).toMatchObject({ fleet: { machine: 'travel' } });
    const after = (await desk.fleet()).machines.find(({ id }) => id === before?.id);
    expect(after).toMatchObject({ name: 'travel', rights: before?.rights });
    expect((await desk.ask('laptop', 'getSession', 'KEPT')).code()).toBe('no_such_machine');
    expect((await desk.ask('travel', 'send', 'KEPT', { text: 'hello' })).status).toBe(200);
    // While it is away, what was known under the old name is still known.
    await laptop.stop();
    expect(await desk.sees('travel')).toMatchObject({ reachable: false, sessions: [{ slug: 'KEPT' }] });
    await laptop.startAgain();
    await untilConnected(laptop);
    expect((await laptop.fleet()).fleet?.machine).toBe('travel');
    await desk.call('/fleet/name', { method: 'PUT', body: { name: 'tower' } });
    await waitFor(async () => (await laptop.fleet()).machines.some(({ name }) => name === 'tower'), {
      describe: 'the new name of the founder is known',
    });
    await desk.call('/fleet/name', { method: 'PUT', body: { name: 'desk' } });
    await laptop.call('/fleet/name', { method: 'PUT', body: { name: 'laptop' } });
  });

  test('a machine that was reinstalled under its old name is another machine, and nothing of the old one is its', async () => {
    const old = await startMachine('build');
    const reinstalled = await startMachine('build');
    try {
      await joinFleet(old, await invite(desk, RIGHTS), RIGHTS);
      old.sessions.add('OLD', DONE);
      await waitFor(async () => (await desk.sees('build')).sessions.length === 1, { describe: 'the old one is seen' });
      const id = (await old.fleet()).machines.find(({ name }) => name === 'build')?.id;
      await old.stop();
      // It has no key, so it knows nothing of the fleet until it is invited.
      expect((await reinstalled.fleet()).fleet).toBeNull();
      const line = await invite(desk, RIGHTS);
      const join = () => reinstalled.call('/fleet/join', { body: { line, name: 'build', allow: RIGHTS } });
      const refused = await join();
      expect({ code: refused.code(), text: refused.text }).toEqual({
        ...{ code: 'machine_name_taken', text: expect.stringContaining('cbos fleet remove') },
      });
      expect((await desk.call('/fleet/remove', { body: { machine: 'build' } })).status).toBe(200);
      expect((await join()).status).toBe(200);
      await untilConnected(reinstalled);
      const now = (await desk.fleet()).machines.find(({ name }) => name === 'build');
      expect(now?.id).not.toBe(id);
      expect(await desk.sees('build')).toMatchObject({ reachable: true, sessions: [] });
      // The old one, restored from a backup, is no longer in the fleet.
      await old.startAgain();
      await untilFault(old, 'no longer in the fleet');
      expect((await desk.sees('build')).sessions).toEqual([]);
    } finally {
      await old[Symbol.asyncDispose]();
      await reinstalled[Symbol.asyncDispose]();
    }
  });
});
