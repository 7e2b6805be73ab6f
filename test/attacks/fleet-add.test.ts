import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FleetView } from '../../src/protocol/index.ts';
import { type Cbos, type CliResult, PROGRAM, runCbos, startCbos } from '../harness/cbos.ts';
import { hasNatsServer } from '../harness/fleet.ts';
import { hasSshServer, MUTE, type SshServer, sshProcesses, startSshServer } from '../harness/ssh-server.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld, type World } from '../harness/world.ts';

let deskWorld: World;
let boxWorld: World;
let desk: Cbos;
let box: SshServer;

/** A command that runs, whose standard error is collected. */
function start(...args: string[]) {
  const child = spawn(process.execPath, [PROGRAM, 'fleet', 'add', ...args], {
    env: deskWorld.env,
    cwd: deskWorld.projectDir,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  return { child, ended, stderr: () => stderr };
}

const add = (...args: string[]): Promise<CliResult> => desk.cli(['fleet', 'add', ...args]);
const members = async (): Promise<string[]> =>
  (await desk.call<FleetView>('GET', '/fleet')).body.machines.map(({ name }) => name);
const openInvitations = (): unknown[] =>
  JSON.parse(readFileSync(join(deskWorld.cbosHome, 'fleet/nats/book.json'), 'utf8')).invitations;

async function expectNothingLeft(): Promise<void> {
  await waitFor(() => sshProcesses(deskWorld).length === 0, { describe: 'no ssh is left' });
  expect(await members()).toEqual(['desk']);
  expect(openInvitations()).toEqual([]);
  await waitFor(() => !existsSync(join(boxWorld.cbosHome, 'fleet/machine.json')), {
    describe: 'the other machine belongs to no fleet',
    timeoutMs: 60_000,
  });
}

describe.skipIf(!hasNatsServer || !hasSshServer)('cbos fleet add', () => {
  beforeAll(async () => {
    deskWorld = createWorld();
    boxWorld = createWorld();
    box = await startSshServer(boxWorld, 'box');
    box.program('cbos', `exec '${process.execPath}' '${PROGRAM}' "$@"`);
    deskWorld.env.CBOS_FLEET_SSH = box.setting;
    desk = await startCbos(deskWorld);
    const address = `127.0.0.1:${await deskWorld.freePort()}`;
    expect(await desk.cli(['fleet', 'init', '--address', address, '--name', 'desk'])).toMatchObject({ code: 0 });
  }, 90_000);
  afterAll(async () => {
    await runCbos(boxWorld, ['down']);
    await boxWorld.dispose();
    await deskWorld.dispose();
  });

  test('passes no option, no second line and no shell command to ssh, from the command line or over the API', async () => {
    const file = join(deskWorld.dir, 'pwned');
    for (const destination of [
      `-oProxyCommand=touch ${file}`,
      `-oProxyCommand=touch\${IFS}${file}`,
      `box;touch ${file}`,
      `$(touch ${file})`,
      'box\nProxyCommand=x',
      'box\u001b[2J',
      ' box',
      '',
    ]) {
      expect({ destination, ...(await add('--', destination)) }).toMatchObject({ destination, code: 2 });
      const body = { rights: ['see'], valid_s: 60, tunnel_to: destination };
      expect((await desk.call('POST', '/fleet/invitations', body)).status).toBe(422);
    }
    for (const more of [
      ['--cbos', 'cbos;touch'],
      ['--cbos', '/x\ny'],
      ['--name', 'a\nb'],
      ['--label', 'a b'],
    ]) {
      expect({ more, ...(await add('box', ...more)) }).toMatchObject({ more, code: 2 });
    }
    const quoting = `/nowhere/'; touch '${join(boxWorld.dir, 'pwned')}`;
    expect(await add('box', '--cbos', quoting)).toMatchObject({ code: 1 });
    expect(existsSync(file) || existsSync(join(boxWorld.dir, 'pwned'))).toBe(false);
    await expectNothingLeft();
  });

  test('stops reading a machine that prints a megabyte or claims to be another, and prints nothing that a terminal acts on', async () => {
    const flood = box.program('flood', 'head -c 1000000 /dev/zero | tr "\\0" x; sleep 600');
    expect(await add('box', '--cbos', flood)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('printed too much'),
    });
    const lines = box.program('lines', 'yes "cbos-fleet-add-1 {}" | head -c 1000000; sleep 600');
    expect(await add('box', '--cbos', lines)).toMatchObject({ code: 4, stdout: '' });
    const escapes = box.program('escapes', 'printf "\\033]0;owned\\007\\033[2Jlook: \\033[31mred\\n" >&2; exit 3');
    const said = await add('box', '--cbos', escapes);
    expect(said.stderr).toContain('look: red');
    expect(said.stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    // It claims to be a machine that is in the fleet already.
    const [own] = (await desk.call<FleetView>('GET', '/fleet')).body.machines;
    const hello = JSON.stringify({ kind: 'hello', cbos: '1', started: false, fleet: null });
    const claim = JSON.stringify({ kind: 'joined', id: own?.id, name: 'build' });
    const liar = box.program(
      'liar',
      `echo 'cbos-fleet-add-1 ${hello}'; read join; echo 'cbos-fleet-add-1 ${claim}'; cat`,
    );
    expect(await add('box', '--no-tunnel', '--cbos', liar)).toMatchObject({
      ...{ code: 4, stdout: '' },
      stderr: expect.stringContaining('the invitation was taken back'),
    });
    const hostile = JSON.stringify({
      kind: 'failed',
      error: { code: 'in_fleet', message: 'no\u001b[2J', hint: 'run\u0007 this' },
    });
    const failing = box.program('failing', `cat <<'E'\ncbos-fleet-add-1 ${hostile}\nE`);
    const failed = await add('box', '--cbos', failing);
    expect(failed).toMatchObject({ code: 4, stderr: expect.stringContaining('box: no') });
    expect(failed.stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    await expectNothingLeft();
  });

  test('ends automatically and on Ctrl-C while the machine hangs, and takes the invitation back', async () => {
    const hang = box.program('hang', 'sleep 600');
    expect(await add('box', '--cbos', hang, '--wait', '2s')).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('--wait 10m'),
    });
    await expectNothingLeft();
    const early = start('box', '--cbos', hang);
    await waitFor(() => sshProcesses(deskWorld).length > 0, { describe: 'ssh runs' });
    early.child.kill('SIGINT');
    expect(await early.ended).toBe(130);
    await expectNothingLeft();

    // It hangs once it has joined.
    const mute = box.program('mute', MUTE);
    const late = start('box', '--tunnel', '--cbos', mute, '--name', 'build');
    await waitFor(async () => (await members()).includes('build'), { describe: 'it has joined', timeoutMs: 60_000 });
    late.child.kill('SIGINT');
    expect(await late.ended).toBe(130);
    expect(late.stderr()).toContain('the invitation was taken back');
    await expectNothingLeft();
  }, 240_000);

  test('leaves no machine half-joined if it is killed itself', async () => {
    const mute = box.program('mute', MUTE);
    const killed = start('box', '--no-tunnel', '--cbos', mute, '--name', 'build');
    await waitFor(async () => (await members()).includes('build'), { describe: 'it has joined', timeoutMs: 60_000 });
    killed.child.kill('SIGKILL');
    await waitFor(async () => !(await members()).includes('build'), { describe: 'it has left', timeoutMs: 60_000 });
    await expectNothingLeft();
  });
});
