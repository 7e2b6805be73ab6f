import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { FleetMachine, FleetView } from '../../src/protocol/index.ts';
import { type Cbos, type CliResult, PROGRAM, runCbos, startCbos } from '../harness/cbos.ts';
import { hasNatsServer } from '../harness/fleet.ts';
import { hasSshServer, MUTE, type SshServer, sshProcesses, startSshServer } from '../harness/ssh-server.ts';
import { openTerminal } from '../harness/tmux.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld, type World } from '../harness/world.ts';

let deskWorld: World;
let boxWorld: World;
let desk: Cbos;
let box: SshServer;
/** the arguments of each `cbos` that ran on the other machine */
const calls = (): string => readFileSync(join(boxWorld.dir, 'calls'), 'utf8');

const add = (...args: string[]): Promise<CliResult> => desk.cli(['fleet', 'add', box.name, ...args]);
const machines = async (): Promise<FleetMachine[]> => (await desk.call<FleetView>('GET', '/fleet')).body.machines;
const machine = async (name: string): Promise<FleetMachine | undefined> =>
  (await machines()).find((one) => one.name === name);
const fleetOf = async (world: World): Promise<FleetView['fleet']> =>
  (JSON.parse((await runCbos(world, ['fleet', 'ls', '--json'])).stdout) as FleetView).fleet;

/** The machine belongs to no fleet again, whatever a test left. */
async function part(): Promise<void> {
  await runCbos(boxWorld, ['fleet', 'leave']);
  for (const { name, is_self } of await machines()) if (!is_self) await desk.cli(['fleet', 'remove', name]);
  await waitFor(async () => (await machines()).length === 1, { describe: 'the founder is alone' });
}

async function untilTunnel(state: string, of = 'build'): Promise<FleetMachine> {
  let last: FleetMachine | undefined;
  await waitFor(
    async () => {
      last = await machine(of);
      return last?.tunnel?.state === state && last.reachable === (state === 'open');
    },
    { describe: `the tunnel is ${state}`, actual: () => last, timeoutMs: 60_000 },
  );
  return last as FleetMachine;
}

describe.skipIf(!hasNatsServer || !hasSshServer)('cbos fleet add', () => {
  beforeAll(async () => {
    deskWorld = createWorld();
    boxWorld = createWorld();
    box = await startSshServer(boxWorld, 'box');
    box.program('cbos', `echo "$*" >> '${boxWorld.dir}/calls'; exec '${process.execPath}' '${PROGRAM}' "$@"`);
    deskWorld.env.CBOS_FLEET_SSH = box.setting;
    desk = await startCbos(deskWorld);
    const address = `127.0.0.1:${await deskWorld.freePort()}`;
    const founded = await desk.cli(['fleet', 'init', '--address', address, '--name', 'desk']);
    expect(founded).toMatchObject({ code: 0 });
  }, 90_000);
  // A test that fails leaves nothing to the next one.
  afterEach(async () => {
    await box.start();
    await part();
  });
  afterAll(async () => {
    await runCbos(boxWorld, ['down']);
    await boxWorld.dispose();
    await deskWorld.dispose();
  });

  test('starts the server there, joins with the rights and labels asked for, and refuses what is in a fleet', async () => {
    const wanted = ['--name', 'build', '--rights', 'see,answer', '--allow', 'see,type', '--label', 'gpu'];
    const added = await add('--no-tunnel', ...wanted);
    expect(added).toMatchObject({ code: 0, stdout: 'build joined the fleet\n' });
    expect(added.stderr.split('\n').map((line) => line.replace(/^cbos: /, ''))).toMatchObject([
      'connecting to box',
      expect.stringMatching(/^found CBOS \S+ there$/),
      'its server was not running, and was started',
      'joining: it may see, answer on the other machines',
      '',
    ]);
    expect(await machine('build')).toMatchObject({ rights: ['see', 'answer'], may: ['see', 'type'], labels: ['gpu'] });
    expect(await fleetOf(boxWorld)).toMatchObject({ machine: 'build', allow: ['see', 'type'] });
    // Other users could read the invitation if it were an argument.
    expect(calls()).toBe('fleet receive\n');
    expect(sshProcesses(deskWorld)).toEqual([]);
    expect(await add()).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('box already belongs to this fleet, as build'),
    });
    expect(await machine('build')).toMatchObject({ reachable: true });
  });

  test('opens a tunnel where no port is open, keeps it open through every restart, and closes it at the removal', async () => {
    const added = await add('--name', 'build');
    expect(added).toMatchObject({ code: 0, stdout: 'build joined the fleet, through ssh\n' });
    expect(added.stderr).toContain('box cannot reach 127.0.0.1');
    const first = await untilTunnel('open');
    expect(await fleetOf(boxWorld)).toMatchObject({ connected: true, address: `127.0.0.1:${first.tunnel?.port}` });
    expect((await desk.cli(['fleet', 'ls'])).stdout).toMatch(/build +reachable through ssh/);

    // ssh ends: it is started again.
    const killed = sshProcesses(deskWorld).map(({ pid }) => pid);
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    const hasOneAgain = (): boolean => {
      const [one, ...more] = sshProcesses(deskWorld);
      return one !== undefined && more.length === 0 && !killed.includes(one.pid);
    };
    await waitFor(hasOneAgain, { describe: 'there is one ssh again' });
    await untilTunnel('open');

    // The ssh server is gone: the list says what ssh says.
    await box.stop();
    for (const { pid } of sshProcesses(deskWorld)) process.kill(pid, 'SIGKILL');
    await untilTunnel('broken');
    await waitFor(async () => JSON.stringify((await machine('build'))?.tunnel).includes('Connection refused'), {
      describe: 'the founder knows why',
    });
    expect((await desk.cli(['fleet', 'ls'])).stderr).toContain('the tunnel to build (box) is not open: ');
    await box.start();
    await untilTunnel('open');

    // The founder is killed: the next server takes the same tunnel over.
    await desk.stop('SIGKILL');
    const [left] = sshProcesses(deskWorld);
    desk = await startCbos(deskWorld);
    expect((await untilTunnel('open')).tunnel).toEqual(first.tunnel);
    expect(sshProcesses(deskWorld)).toHaveLength(1);
    expect(sshProcesses(deskWorld)[0]?.pid).not.toBe(left?.pid);

    // It is stopped: the tunnel is closed, and opened again with it.
    await desk.stop('SIGTERM');
    expect(sshProcesses(deskWorld)).toEqual([]);
    desk = await startCbos(deskWorld);
    expect((await untilTunnel('open')).tunnel).toEqual(first.tunnel);

    expect(await desk.cli(['fleet', 'remove', 'build'])).toMatchObject({ code: 0 });
    await waitFor(() => sshProcesses(deskWorld).length === 0, { describe: 'the tunnel is closed' });
    expect(await fleetOf(boxWorld)).toMatchObject({ connected: false });
  });

  test('lets ssh ask on the terminal, and asks nothing where there is no terminal', async () => {
    const env = { CBOS_FLEET_SSH: box.attended.setting };
    expect(await desk.cli(['fleet', 'add', 'box'], { env })).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('Host key verification failed'),
    });
    const args = ['fleet', 'add', 'box', '--no-tunnel', '--name', 'build'];
    // A shell survives Ctrl-C and prints the exit code, as on a user's terminal.
    const shell = ['/bin/sh', '-c', 'trap : INT; "$@"; echo "code $?"; read end', 'sh', process.execPath, PROGRAM];
    const terminal = await openTerminal(deskWorld, { env, program: shell, args });
    await terminal.until(/continue connecting/, 'the question of ssh about the host key');
    await terminal.type('yes');
    await terminal.keys('Enter');
    await terminal.until(/Enter passphrase/, 'the question of ssh for the passphrase');
    await terminal.type(box.attended.passphrase);
    await terminal.keys('Enter');
    expect(await terminal.until(/code \d/, 'the exit code')).toMatch(/build joined the fleet\s+code 0/);
    await part();

    const left = await openTerminal(deskWorld, { env, program: shell, args });
    await left.until(/Enter passphrase/, 'the question of ssh for the passphrase');
    await left.keys('C-c');
    expect(await left.until(/code \d/, 'the exit code')).toMatch(
      /nothing was changed here, and box joined nothing\s+code 130/,
    );
    expect(await machines()).toHaveLength(1);
  });

  test('names the cure for everything that is missing or taken, and changes nothing', async () => {
    const before = await machines();
    const taken = await add('--name', 'desk');
    expect(taken).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('Another machine in the fleet is named desk'),
    });
    const env = { CBOS_FLEET_SSH: '/nowhere/ssh' };
    expect(await desk.cli(['fleet', 'add', 'box'], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('openssh-client'),
    });
    const unknown = await desk.cli(['fleet', 'add', 'nobody@127.0.0.1']);
    expect(unknown).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('The connection to nobody@127.0.0.1 failed: '),
    });
    expect(await add('--cbos', '/nowhere/cbos')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('/nowhere/cbos was not found on box'),
    });
    const old = box.program('old', 'echo "unknown command" >&2; exit 2');
    expect(await add('--cbos', old)).toMatchObject({ code: 4, stderr: expect.stringContaining('Update CBOS there') });
    // A path with a quote and a space reaches the other machine as it is.
    const odd = box.program("it's; odd", 'echo "$0 was run" >&2; exit 2');
    expect(await add('--cbos', odd)).toMatchObject({ stderr: expect.stringContaining(`${odd} was run`) });
    const tunnelled = await desk.call('POST', '/fleet/invitations', {
      ...{ rights: ['see'], valid_s: 60, tunnel_to: 'nobody@127.0.0.1' },
    });
    expect(tunnelled.error).toMatchObject({ code: 'tunnel_failed', hint: expect.stringContaining('passphrase') });
    expect(await machines()).toMatchObject(before.map(({ name }) => ({ name })));
    const alone = createWorld();
    try {
      await startCbos(alone);
      expect(await runCbos(alone, ['fleet', 'add', 'box'])).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('cbos fleet init'),
      });
    } finally {
      await alone.dispose();
    }
  });

  test('takes everything back if the machine was not seen to join, and the machine leaves', async () => {
    // The founder's command never hears that the machine has joined.
    const mute = box.program('mute', MUTE);
    const failed = await add('--cbos', mute, '--no-tunnel', '--name', 'build', '--wait', '5s');
    expect(failed).toMatchObject({ code: 6, stdout: '' });
    expect(failed.stderr).toContain('the invitation was taken back');
    expect(failed.stderr).toContain('build was removed from the fleet and has left it');
    expect(await machines()).toHaveLength(1);
    expect(await fleetOf(boxWorld)).toBeNull();
    // With a tunnel, it goes as well.
    const again = await add('--cbos', mute, '--tunnel', '--name', 'build', '--wait', '5s');
    expect(again).toMatchObject({ code: 6 });
    expect(await machines()).toHaveLength(1);
    await waitFor(() => sshProcesses(deskWorld).length === 0, { describe: 'the tunnel is closed' });
    expect(await fleetOf(boxWorld)).toBeNull();
    expect(existsSync(join(boxWorld.cbosHome, 'fleet/machine.json'))).toBe(false);
  });
});
