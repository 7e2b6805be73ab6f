import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { machinesFor } from '../../../src/client/index.ts';
import type { FleetMachine, Right } from '../../../src/protocol/index.ts';
import { runCommand } from '../../cli/command-line.ts';
import {
  found,
  hasNatsServer,
  invite,
  joinFleet,
  type MachineUnderTest,
  removeSessions,
  startMachine,
  stopMachines,
} from '../../harness/fleet.ts';

let desk: MachineUnderTest;
let laptop: MachineUnderTest;
let guest: MachineUnderTest;

describe.skipIf(!hasNatsServer)('launching on another machine', () => {
  beforeAll(async () => {
    [desk, laptop, guest] = await Promise.all([
      startMachine('desk', { settings: { machine_labels: ['gpu', 'x86-64'] } }),
      startMachine('laptop'),
      startMachine('guest', { settings: { machine_labels: ['arm'] } }),
    ]);
    await found(desk);
    const all: Right[] = ['see', 'answer', 'type', 'launch'];
    await joinFleet(laptop, await invite(desk, all), ['see']);
    await joinFleet(guest, await invite(desk, ['see', 'launch']), ['see', 'launch']);
  }, 60_000);
  beforeEach(async () => {
    await desk.call('/fleet/allow', { method: 'PUT', body: { rights: ['see', 'answer', 'type', 'launch'] } });
    await removeSessions(desk, laptop, guest);
    for (const { sessions } of [desk, laptop, guest]) sessions.created.length = 0;
  });
  afterAll(() => stopMachines(guest, laptop, desk));
  const cbos = ({ world }: MachineUnderTest, line: string) =>
    runCommand(line.split(' '), { socket: `${world.cbosHome}/cbos.sock`, cwd: world.projectDir });
  const launch = (machine: MachineUnderTest, body: object) =>
    machine.call('/fleet/calls', {
      body: { machine: 'desk', call: { route: 'createSession', body: { slug: 'NEW', path: '/tmp', ...body } } },
    });

  test('the owner decides who launches, and what a launch may contain', async () => {
    // The guest may launch, but neither type nor answer.
    for (const body of [
      { prompt: 'rm -rf /' },
      { args: ['rm -rf /'] },
      { env: { LD_PRELOAD: '/tmp/evil.so' } },
      { permission_mode: 'bypassPermissions' },
    ]) {
      expect((await launch(guest, body)).code(), JSON.stringify(body)).toBe('not_allowed_there');
    }
    expect(desk.sessions.created).toEqual([]);
    expect((await launch(guest, { permission_mode: 'plan' })).status).toBe(200);
    expect((await launch(laptop, { slug: 'TWO', prompt: 'go', permission_mode: 'acceptEdits' })).status).toBe(200);
    expect(desk.sessions.created.map(({ slug }) => slug)).toEqual(['NEW', 'TWO']);
    expect((await launch(laptop, { slug: 'TWO' })).code()).toBe('slug_taken');
    await desk.call('/fleet/allow', { method: 'PUT', body: { rights: ['see', 'type', 'answer'] } });
    expect((await launch(laptop, { slug: 'THREE' })).code()).toBe('not_allowed_there');
    expect(desk.sessions.created).toHaveLength(2);
  });

  test('--host launches on the named machine, and --host any on one that has the label and allows it', async () => {
    expect(await cbos(laptop, 'new SHOP /usr/share --host desk --prompt go')).toMatchObject({
      code: 0,
      stdout: 'desk/SHOP started in /usr/share\n  cbos show desk/SHOP     # see what it does and asks\n',
    });
    expect(desk.sessions.created).toMatchObject([{ slug: 'SHOP', path: '/usr/share', prompt: 'go' }]);
    expect((await cbos(laptop, 'new /usr/lib --host any --label gpu --label x86-64')).code).toBe(0);
    expect(desk.sessions.created.map(({ slug }) => slug)).toEqual(['SHOP', 'lib']);
    expect(await cbos(laptop, 'new ARGS /usr/share --host any --label gpu -- --verbose')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('desk/ARGS started'),
      stderr: '',
    });
    expect(desk.sessions.created.map(({ slug }) => slug)).toEqual(['SHOP', 'lib', 'ARGS']);
    const json = await cbos(laptop, 'new J /usr/share --host desk --json');
    expect(JSON.parse(json.stdout)).toMatchObject({ slug: 'desk/J' });
    const none = await cbos(laptop, 'new X /usr/share --host any --label tpu');
    expect(none).toMatchObject({ code: 4, stderr: expect.stringContaining('label tpu can be reached') });
    expect(none.stderr).toContain('cbos fleet ls');
    // The guest has the label, but the laptop may not launch there; nothing is launched elsewhere instead.
    await guest.call('/fleet/allow', { method: 'PUT', body: { rights: ['see'] } });
    expect(await cbos(laptop, 'new X /usr/share --host any --label arm')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('right to launch on guest'),
    });
    await guest.call('/fleet/allow', { method: 'PUT', body: { rights: ['see', 'launch'] } });
    expect(laptop.sessions.created).toEqual([]);
    expect(guest.sessions.created).toEqual([]);
    const listed = await cbos(laptop, 'fleet ls');
    expect(listed.stdout).toMatch(/^desk +reachable +\d+ % +gpu, x86-64/m);
  });

  test('says what is wrong before anything is launched', async () => {
    for (const line of [
      'new X --host desk',
      'new X src/shop --host desk',
      'new X /usr/share --label gpu',
      'new X /usr/share --host desk --label gpu',
      'new X /usr/share --host any --label GPU!',
      'new X /usr/share --host desk --worktree --times 2',
    ]) {
      expect({ line, code: (await cbos(laptop, line)).code }).toEqual({ line, code: 2 });
    }
    expect((await cbos(laptop, 'new X /usr/share --host nowhere')).code).toBe(3);
    expect(desk.sessions.created).toEqual([]);
    const options = { socket: `${laptop.world.cbosHome}/cbos.sock` };
    const hosts = await runCommand(['complete', '--', 'new', 'X', '/srv', '--host', ''], options);
    expect(hosts.stdout.split('\n')).toEqual(expect.arrayContaining(['desk\t', 'any\tthe least busy one']));
  });
});

test('the least busy machine that can be reached comes first, and of equally busy ones the one with fewer sessions', () => {
  const machine = (name: string, some: Partial<FleetMachine>): FleetMachine => ({
    ...{ id: `U${'A'.repeat(55)}`, name, rights: [], is_self: false, is_founder: false, reachable: true, age_ms: 0 },
    ...{ version: null, fault: null, labels: [], load: 0, running: 0, may: ['launch'] },
    ...some,
  });
  const names = (machines: FleetMachine[], labels: string[] = []) =>
    machinesFor(machines, labels).map(({ name }) => name);
  expect(names([machine('busy', { load: 2 }), machine('quiet', { load: 0.2, running: 30 })])).toEqual([
    'quiet',
    'busy',
  ]);
  expect(names([machine('full', { load: 0.51, running: 9 }), machine('free', { load: 0.53 })])).toEqual([
    'free',
    'full',
  ]);
  expect(
    names([machine('gone', { reachable: false }), machine('old', { load: undefined }), machine('new', {})]),
  ).toEqual(['new', 'old']);
  expect(names([machine('doubled', { fault: 'runs twice' }), machine('other', { load: 3 })])).toEqual(['other']);
  expect(names([machine('a', { labels: ['gpu'] }), machine('b', {})], ['gpu'])).toEqual(['a']);
  expect(() => names([machine('older', { may: undefined })])).toThrow('lacks the right to launch on older');
});
