import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SearchHit } from '../../src/protocol/index.ts';
import {
  found,
  hasNatsServer,
  invite,
  joinFleet,
  type MachineUnderTest,
  removeSessions,
  startMachine,
  stopMachines,
  untilConnected,
} from '../harness/fleet.ts';
import { asking, DONE } from '../harness/some-sessions.ts';
import { waitFor } from '../harness/wait-for.ts';
import { type CommandResult, runCommand } from './command-line.ts';

let desk: MachineUnderTest;
let laptop: MachineUnderTest;

function cbos(
  machine: MachineUnderTest,
  line: string,
  more: { stdin?: string; isTTY?: boolean; columns?: number; now?: () => number } = {},
): Promise<CommandResult> {
  const { cbosHome, projectDir } = machine.world;
  return runCommand(line.split(' '), { socket: `${cbosHome}/cbos.sock`, cwd: projectDir, ...more });
}

describe('a machine without a fleet', () => {
  test('reports that it belongs to no fleet, and how to change that', async () => {
    const alone = await startMachine('alone');
    try {
      expect(await cbos(alone, 'fleet')).toMatchObject({ code: 0, stderr: expect.stringContaining('cbos fleet init') });
      expect(await cbos(alone, 'ls --fleet')).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('does not belong to a fleet'),
      });
      expect(await cbos(alone, 'fleet invite')).toMatchObject({ code: 4 });
      expect(await cbos(alone, 'fleet invite --rights all')).toMatchObject({ code: 2 });
      expect(await cbos(alone, 'show desk/AUTH')).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('No session is named desk/AUTH'),
      });
      expect(await cbos(alone, 'fleet join -', { stdin: 'nonsense\n' })).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('a complete line'),
      });
      expect(await cbos(alone, 'fleet init --address not_an_address!')).toMatchObject({ code: 2 });
      expect(await cbos(alone, 'fleet init --nats nats://127.0.0.1:1')).toMatchObject({
        code: 5,
        stderr: expect.stringContaining('--credentials FILE'),
      });
      expect(await cbos(alone, 'fleet init --nats nats://127.0.0.1:1 --address 10.0.0.5')).toMatchObject({ code: 2 });
      expect(await cbos(alone, 'fleet init --nats nats://127.0.0.1:1 --credentials /nowhere')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('The credentials cannot be read (ENOENT)'),
      });
      const open = join(alone.world.dir, 'open.creds');
      writeFileSync(open, 'secret', { mode: 0o640 });
      expect(await cbos(alone, `fleet init --nats nats://127.0.0.1:1 --credentials ${open}`)).toMatchObject({
        ...{ code: 2, stderr: expect.stringContaining(`(mode 640) — chmod 600 ${open}`) },
      });
      expect(await cbos(alone, 'fleet join - --ca /nowhere', { stdin: 'nonsense\n' })).toMatchObject({
        ...{ code: 2, stderr: expect.stringContaining('The certificate of the authority cannot be read (ENOENT)') },
      });
      expect(await cbos(alone, `fleet init --nats tls://127.0.0.1:1 --ca ${open}`)).toMatchObject({
        ...{ code: 2, stderr: expect.stringContaining('--ca FILE') },
      });
      expect(await cbos(alone, 'fleet rename travel')).toMatchObject({ code: 4 });
      expect(await cbos(alone, 'fleet rename Not-A-Name')).toMatchObject({ code: 2 });
    } finally {
      await alone[Symbol.asyncDispose]();
    }
  });
});

describe.skipIf(!hasNatsServer)('the commands of a fleet', () => {
  beforeAll(async () => {
    [desk, laptop] = await Promise.all([startMachine('desk'), startMachine('laptop')]);
    await found(desk);
    await joinFleet(laptop, await invite(desk, ['see', 'answer', 'type']), ['see']);
  }, 60_000);
  afterAll(() => stopMachines(laptop, desk));
  beforeEach(() => removeSessions(desk, laptop));

  test('invite prints a line, join reads it without showing it to others, and leave undoes the join', async () => {
    const third = await startMachine('third');
    try {
      const invited = await cbos(desk, 'fleet invite --rights see --for 5m');
      expect(invited.stdout).toMatch(/^cbos-invitation-1\.[\w-]+\n$/);
      const joined = await cbos(third, 'fleet join --name third', { stdin: `\n${invited.stdout}` });
      expect(joined).toMatchObject({ code: 0, stdout: expect.stringContaining('joined the fleet as third') });
      expect(joined.stdout).toContain('this machine');
      const again = await cbos(laptop, 'fleet join', { stdin: invited.stdout });
      expect(again).toMatchObject({ code: 4, stderr: expect.stringContaining('cbos fleet leave') });
      expect((await cbos(third, 'fleet leave')).stdout).toBe('left the fleet\n');
      await waitFor(async () => (await desk.fleet()).machines.length === 2, { describe: 'the founder knows' });
    } finally {
      await third[Symbol.asyncDispose]();
    }
  });

  test('ls --fleet lists the sessions of all machines, those of an unreachable machine with their age', async () => {
    desk.sessions.add('AUTH', asking());
    laptop.sessions.add('DOCS', DONE);
    const listed = await cbos(desk, 'ls --fleet');
    expect(
      listed.stdout
        .split('\n')
        .slice(1, 3)
        .map((line) => line.split(/ +/)[1]),
    ).toEqual(['desk/AUTH', 'laptop/DOCS']);
    expect((await cbos(desk, 'ls --fleet -q --state needs-you')).stdout).toBe('desk/AUTH\n');
    expect(JSON.parse((await cbos(desk, 'ls --fleet --json')).stdout)).toMatchObject([
      { machine: 'desk', sessions: [{ slug: 'AUTH' }] },
      { machine: 'laptop', sessions: [{ slug: 'DOCS' }] },
    ]);
    expect((await cbos(desk, 'ls')).stdout).not.toContain('laptop');
    await laptop.stop();
    try {
      const old = await cbos(desk, 'ls --fleet', { isTTY: true, columns: 100 });
      expect(old.stdout).toMatch(/laptop cannot be reached; last update .* ago/);
      expect(old.stdout).toContain('laptop/DOCS');
      expect(old.stderr).toContain('laptop cannot be reached');
      // A script acts on names, so it gets only names that it can act on.
      expect((await cbos(desk, 'ls --fleet -q')).stdout).toBe('desk/AUTH\n');
      expect((await cbos(desk, 'fleet ls')).stdout).toMatch(/laptop +unreachable, last heard from/);
      expect(await cbos(desk, 'send laptop/DOCS hello')).toMatchObject({ code: 5, stdout: '' });
    } finally {
      await laptop.startAgain();
      await untilConnected(laptop);
    }
  });

  test('show, answer, send and wait accept machine/NAME, and report what the other machine refuses', async () => {
    desk.sessions.add('AUTH', asking());
    desk.sessions.add('READY', DONE);
    desk.sessions.answers.length = 0;
    const shown = await cbos(laptop, 'show desk/AUTH');
    expect(shown.stdout).toContain('desk/AUTH');
    expect(shown.stdout).toContain('cbos answer desk/AUTH');
    expect(await cbos(laptop, 'answer desk/AUTH yes')).toMatchObject({ code: 0, stdout: 'desk/AUTH: answered\n' });
    expect(desk.sessions.answers).toEqual([{ choice: 'yes' }]);
    expect(await cbos(laptop, 'send desk/READY run the tests')).toMatchObject({
      code: 0,
      stdout: 'Sent to desk/READY\n',
    });
    expect(desk.sessions.deliveries('READY')[0]?.text).toBe('run the tests');
    expect(await cbos(laptop, 'wait desk/READY --for done')).toMatchObject({ code: 0 });
    expect(await cbos(laptop, 'stop desk/READY')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('right to end'),
    });
    expect(await cbos(laptop, 'rename desk/READY OTHER')).toMatchObject({ code: 4 });
    expect(await cbos(laptop, 'show desk/NONE')).toMatchObject({ code: 3 });
    expect(await cbos(laptop, 'show nowhere/AUTH')).toMatchObject({ code: 3 });
    laptop.sessions.add('MINE', asking());
    expect(await cbos(desk, 'answer laptop/MINE yes')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('cbos fleet allow'),
    });
    expect(await cbos(laptop, 'fleet allow see,answer')).toMatchObject({ code: 0 });
    expect(await cbos(desk, 'answer laptop/MINE 1')).toMatchObject({ code: 0 });
  });

  test('send --fleet sends to the selected sessions on all machines, asks first, and reports what is left out', async () => {
    desk.sessions.add('HERE', DONE);
    desk.sessions.add('DAY', DONE);
    laptop.sessions.add('THERE', DONE);
    for (const machine of [desk, laptop]) {
      await cbos(machine, `tag ${machine === desk ? 'HERE' : 'THERE'} night`);
    }
    const there = () =>
      laptop.sessions
        .deliveries('THERE')
        .map(({ text }) => text)
        .toReversed();
    const here = () =>
      desk.sessions
        .deliveries('HERE')
        .map(({ text }) => text)
        .toReversed();
    await cbos(laptop, 'fleet allow see');
    const left = await cbos(desk, 'send --tag night --fleet --yes one');
    expect(left).toMatchObject({ code: 0, stdout: 'Sent to HERE\n' });
    expect(left.stderr).toContain('laptop does not let this machine type; its sessions are left out');
    await cbos(laptop, 'fleet allow see,answer,type');
    // Without --fleet nothing leaves this machine, and without a yes nothing is sent at all.
    expect((await cbos(desk, 'send --all --yes two')).code).toBe(0);
    expect(await cbos(desk, 'send --all --fleet three')).toMatchObject({ code: 2, stdout: '' });
    const asked = await cbos(desk, 'send --tag night --fleet four', { isTTY: true, stdin: 'n\n' });
    expect(asked.stderr).toContain('Send this to 2 sessions (HERE, laptop/THERE)? [y/N]');
    expect({ here: here(), there: there() }).toEqual({ here: ['one', 'two'], there: [] });
    const sent = await cbos(desk, 'send --tag night --fleet --yes five');
    expect(sent).toMatchObject({ code: 0, stdout: 'Sent to HERE\nSent to laptop/THERE\n' });
    expect({ here: here(), there: there() }).toEqual({ here: ['one', 'two', 'five'], there: ['five'] });
    expect(desk.sessions.deliveries('DAY').map(({ text }) => text)).toEqual(['two']);
    laptop.sessions.change('THERE', asking());
    const half = await cbos(desk, 'send --tag night --fleet --yes --json six');
    expect(half.code).toBe(4);
    expect(JSON.parse(half.stdout)).toMatchObject([
      { session: 'HERE', delivery: { text: 'six' } },
      { session: 'laptop/THERE', error: { code: 'not_accepting_text' } },
    ]);
    expect(await cbos(desk, 'send laptop/THERE hello --fleet')).toMatchObject({ code: 2 });
    const waited = await cbos(desk, 'wait HERE laptop/THERE --for needs-you --any --timeout 20');
    expect(waited).toMatchObject({ code: 0, stdout: expect.stringContaining('laptop/THERE') });
    const both = await cbos(desk, 'wait HERE laptop/THERE --for needs-you --timeout 1', { now: Date.now });
    expect(both).toMatchObject({ code: 6, stderr: expect.stringContaining('HERE did not reach the state needs-you') });
  });

  test('search --fleet searches on every machine, and search --session in one session of another machine', async () => {
    const hit = (session: string, at: string): SearchHit => ({
      ...{ session, at, kind: 'prompt', snippet: `deploy ${session}`, highlights: [[0, 6]] },
      ...{ offset: 7, recording: session, t: 5, seq: null },
    });
    desk.sessions.add('AUTH', DONE);
    laptop.sessions.add('DOCS', DONE);
    desk.sessions.search = async () => ({ hits: [hit('AUTH', '2026-01-01T00:00:00.000Z')], pending_bytes: 0 });
    // What another machine sends is never a command.
    laptop.sessions.search = async ({ session }) => ({
      hits: [
        hit('DOCS', '2026-01-02T00:00:00.000Z'),
        ...(session === undefined ? [hit('a; b', '2025-01-01T00:00:00.000Z')] : []),
      ],
      pending_bytes: 0,
    });
    const all = await cbos(desk, 'search deploy --fleet');
    expect(all.stdout.replaceAll(/ {2}\d{4}-\S+ \S+/g, '')).toBe(
      [
        'laptop/DOCS  prompt  cbos replay laptop/DOCS --from 4',
        '  deploy DOCS',
        'AUTH  prompt  cbos replay AUTH --from 4',
        '  deploy AUTH',
        'laptop/a; b  prompt',
        '  deploy a; b',
        '',
      ].join('\n'),
    );
    expect(JSON.parse((await cbos(desk, 'search deploy --fleet --json')).stdout)).toMatchObject([
      { machine: 'desk', is_self: true, fault: null, hits: [{ session: 'AUTH' }] },
      { machine: 'laptop', is_self: false, fault: null, hits: [{ session: 'DOCS' }, {}] },
    ]);
    expect((await cbos(desk, 'search deploy --session laptop/DOCS')).stdout).toContain('laptop/DOCS');
    expect(await cbos(desk, 'search deploy --session laptop/DOCS --fleet')).toMatchObject({ code: 2 });
    expect(await cbos(desk, 'search deploy --session nowhere/DOCS')).toMatchObject({ code: 3 });
    laptop.sessions.search = async () => JSON.parse('{"hits":[{"session":7}],"pending_bytes":0}');
    const half = await cbos(desk, 'search deploy --fleet');
    expect(half).toMatchObject({ code: 0, stderr: expect.stringContaining('laptop was not searched') });
    expect(half.stdout).toContain('AUTH');
  });

  test('rename gives this machine another name, and its sessions can be named by it', async () => {
    laptop.sessions.add('DOCS', DONE);
    expect(await cbos(laptop, 'fleet rename desk')).toMatchObject({ code: 4 });
    expect((await cbos(laptop, 'fleet rename travel')).stdout).toBe('this machine is now travel\n');
    expect((await cbos(desk, 'show travel/DOCS')).stdout).toContain('travel/DOCS');
    expect((await cbos(laptop, 'fleet rename laptop')).code).toBe(0);
  });

  test('remove shuts a machine out; the founder ends the fleet only after confirmation', async () => {
    expect(await cbos(desk, 'fleet leave')).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect((await cbos(desk, 'fleet remove laptop')).stdout).toBe('laptop was removed from the fleet\n');
    expect(await cbos(desk, 'fleet remove laptop')).toMatchObject({ code: 3 });
    expect((await cbos(desk, 'fleet leave --yes')).stdout).toBe('left the fleet\n');
    expect((await desk.fleet()).fleet).toBeNull();
  });
});
