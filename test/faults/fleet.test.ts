import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FleetView, MachineSessions } from '../../src/protocol/index.ts';
import { type Cbos, startCbos } from '../harness/cbos.ts';
import { hasNatsServer } from '../harness/fleet.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld, type World } from '../harness/world.ts';

let worlds: World[];
beforeEach(() => {
  worlds = [createWorld(), createWorld()];
});
afterEach(async () => {
  for (const world of worlds) await world.dispose();
});

const natsPid = (world: World): number =>
  Number(readFileSync(join(world.cbosHome, 'fleet/nats/nats.pid'), 'utf8').trim());
const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

async function untilReachable(from: Cbos, name: string): Promise<void> {
  let last: FleetView | null = null;
  await waitFor(
    async () => {
      last = (await from.call<FleetView>('GET', '/fleet')).body;
      return last.machines.find((machine) => machine.name === name)?.reachable === true;
    },
    { describe: `${name} is reachable`, actual: () => last, timeoutMs: 60_000 },
  );
}

describe.skipIf(!hasNatsServer)('a fleet of the built program', () => {
  test("the founder's CBOS is killed: its NATS server keeps running, and the next start takes it over", async () => {
    const [deskWorld, laptopWorld] = worlds as [World, World];
    let desk = await startCbos(deskWorld);
    const laptop = await startCbos(laptopWorld);
    const address = `127.0.0.1:${await deskWorld.freePort()}`;
    const founded = await desk.cli(['fleet', 'init', '--address', address, '--name', 'desk']);
    expect(founded).toMatchObject({ code: 0, stdout: `started a fleet: this machine is desk, at ${address}\n` });
    const invited = await desk.cli(['fleet', 'invite', '--rights', 'see,answer']);
    const joined = await laptop.cli(['fleet', 'join', '--name', 'laptop'], { stdin: invited.stdout });
    expect(joined).toMatchObject({ code: 0, stdout: expect.stringContaining('joined the fleet as laptop') });
    await untilReachable(desk, 'laptop');

    const nats = natsPid(deskWorld);
    await desk.stop('SIGKILL');
    expect(isAlive(nats)).toBe(true);
    const listed = await laptop.call<MachineSessions[]>('GET', '/fleet/sessions');
    expect(listed.body.find(({ machine }) => machine === 'desk')).toMatchObject({ reachable: false });
    desk = await startCbos(deskWorld);
    await untilReachable(desk, 'laptop');
    await untilReachable(laptop, 'desk');
    expect(natsPid(deskWorld)).toBe(nats);
    expect((await desk.cli(['fleet', 'remove', 'laptop'])).code).toBe(0);
    await desk.stop('SIGTERM');
    await waitFor(() => !isAlive(nats), { describe: 'the NATS server ends together with the server that is ended' });
  });
});
