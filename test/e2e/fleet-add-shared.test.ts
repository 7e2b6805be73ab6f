import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { FleetMachine, FleetView } from '../../src/protocol/index.ts';
import { type Cbos, type CliResult, PROGRAM, runCbos, startCbos } from '../harness/cbos.ts';
import { hasNatsServer } from '../harness/fleet.ts';
import { type NatsOperator, startNatsOperator } from '../harness/nats-operator.ts';
import { hasSshServer, MUTE, type SshServer, sshProcesses, startSshServer } from '../harness/ssh-server.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld, type World } from '../harness/world.ts';

let deskWorld: World;
let boxWorld: World;
let operator: NatsOperator;
let address: string;
let desk: Cbos;
let box: SshServer;
let credentials: string;

const add = (...args: string[]): Promise<CliResult> => desk.cli(['fleet', 'add', box.name, '--name', 'build', ...args]);
const machines = async (): Promise<FleetMachine[]> => (await desk.call<FleetView>('GET', '/fleet')).body.machines;
const boxFleet = async (): Promise<FleetView['fleet']> =>
  (JSON.parse((await runCbos(boxWorld, ['fleet', 'ls', '--json'])).stdout) as FleetView).fleet;

describe.skipIf(!hasNatsServer || !hasSshServer)('cbos fleet add, for a fleet on a shared NATS server', () => {
  beforeAll(async () => {
    deskWorld = createWorld();
    boxWorld = createWorld();
    operator = await startNatsOperator(deskWorld);
    address = await operator.start();
    box = await startSshServer(boxWorld, 'box');
    // What other users could read: the arguments and the environment of each program of CBOS on the other machine.
    const log = `{ echo "$*"; env; } >> '${boxWorld.dir}/calls'`;
    box.program('cbos', `${log}; exec '${process.execPath}' '${PROGRAM}' "$@"`);
    deskWorld.env.CBOS_FLEET_SSH = box.setting;
    desk = await startCbos(deskWorld);
    credentials = operator.credentialsFile('machines.creds', operator.credentials());
    const own = ['--nats', address, '--credentials', credentials, '--ca', operator.authorityFile];
    expect(await desk.cli(['fleet', 'init', '--name', 'desk', ...own])).toMatchObject({
      code: 0,
      stderr: expect.any(String),
    });
  }, 90_000);
  // A test that fails leaves nothing to the next one.
  afterEach(async () => {
    await runCbos(boxWorld, ['fleet', 'leave']);
    for (const { name, is_self } of await machines()) if (!is_self) await desk.cli(['fleet', 'remove', name]);
    await waitFor(async () => (await machines()).length === 1, { describe: 'the founder is alone' });
  });
  afterAll(async () => {
    await runCbos(boxWorld, ['down']);
    await boxWorld.dispose();
    await deskWorld.dispose();
  });

  test('needs no tunnel and passes the authority and the credentials on without showing them', async () => {
    const added = await add('--credentials', credentials, '--rights', 'see,type', '--allow', 'see,type');
    expect(added).toMatchObject({ code: 0, stdout: 'build joined the fleet\n' });
    expect(added.stderr).not.toContain('tunnel');
    expect(await boxFleet()).toMatchObject({ machine: 'build', connected: true, is_shared: true });
    expect(sshProcesses(deskWorld)).toEqual([]);
    const [, jwt = ''] = readFileSync(credentials, 'utf8').split('\n');
    const shown = readFileSync(join(boxWorld.dir, 'calls'), 'utf8');
    expect(shown).toContain('fleet receive');
    expect(shown).not.toContain(jwt);
    expect(shown).not.toContain('cbos-invitation');
    const kept = join(boxWorld.cbosHome, 'fleet/machine.json');
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(kept, 'utf8')).shared).toMatchObject({ authority: operator.authority });
    // The machine does not need the founder's command any more, nor the files.
    await runCbos(boxWorld, ['down']);
    const env = { CBOS_PORT: String(await boxWorld.freePort()) };
    expect(await runCbos(boxWorld, ['up'], { env })).toMatchObject({ code: 0 });
    await waitFor(async () => (await boxFleet())?.connected === true, { describe: 'the box is connected again' });
    expect((await desk.cli(['ls', '--fleet'])).code).toBe(0);
    expect(await desk.cli(['fleet', 'remove', 'build'])).toMatchObject({ code: 0 });
    await waitFor(async () => (await boxFleet())?.fault?.includes('no longer in the fleet') === true, {
      describe: 'the removed machine says why it is not connected',
    });
  });

  test('names the cure for everything that is missing, and changes nothing', async () => {
    const open = operator.credentialsFile('open.creds', operator.credentials());
    chmodSync(open, 0o644);
    const expired = operator.credentialsFile('expired.creds', operator.credentials({ expiresInS: -60 }));
    const narrow = operator.credentialsFile('narrow.creds', operator.credentials({ subscribe: ['cbos.>'] }));
    const authority = operator.credentialsFile('other.pem', operator.otherAuthority);
    for (const [args, code, text] of [
      [['--credentials', credentials, '--tunnel'], 2, 'Omit --tunnel'],
      [['--credentials', '/nowhere/creds'], 2, 'The credentials cannot be read (ENOENT)'],
      [['--credentials', open], 2, 'chmod 600'],
      [[], 5, '--credentials FILE'],
      [['--credentials', expired], 5, 'which expired on'],
      [['--credentials', narrow], 4, 'box: The credentials do not permit listening on _INBOX'],
      [['--credentials', credentials, '--ca', authority], 4, 'did not sign it'],
    ] as const) {
      const refused = await add(...args);
      expect({ args, code: refused.code, stderr: refused.stderr }).toEqual({
        ...{ args, code, stderr: expect.stringContaining(text) },
      });
      expect(await machines()).toHaveLength(1);
      expect(existsSync(join(boxWorld.cbosHome, 'fleet'))).toBe(false);
    }
  }, 120_000);

  test('takes everything back if the machine was not seen to join', async () => {
    const mute = box.program('mute', MUTE);
    const failed = await add('--credentials', credentials, '--cbos', mute, '--wait', '20s');
    expect(failed).toMatchObject({ code: 6, stdout: '' });
    expect(failed.stderr).toContain('build was removed from the fleet and has left it');
    expect(await machines()).toHaveLength(1);
    expect(await boxFleet()).toBeNull();
  });
});
