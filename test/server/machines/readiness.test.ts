import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSystemClock } from '../../../src/server/clock.ts';
import { createFleet, type Fleet } from '../../../src/server/machines/fleet.ts';
import { runCommand } from '../../cli/command-line.ts';
import {
  found,
  hasNatsServer,
  invite,
  joinFleet,
  type MachineUnderTest,
  natsPid,
  startMachine,
  stopMachines,
} from '../../harness/fleet.ts';

const NOT_READY = { code: 'fleet_not_ready' };
const logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/** What the server of a machine makes of its fleet, before it has started. */
const deskOf = ({ world: { cbosHome: home }, sessions }: MachineUnderTest): Fleet =>
  createFleet({
    ...{ home, sessions, labels: [], ssh: ['ssh'], environment: {}, version: '1.2.3', logger },
    ...{ carryOut: async () => null, clock: createSystemClock() },
  });

describe.skipIf(!hasNatsServer)('a member whose server is starting or ending', () => {
  let desk: MachineUnderTest;
  let laptop: MachineUnderTest;
  beforeAll(async () => {
    [desk, laptop] = await Promise.all([startMachine('desk'), startMachine('laptop')]);
    await found(desk);
    await joinFleet(laptop, await invite(desk, ['see']), ['see']);
  }, 60_000);
  afterAll(() => stopMachines(laptop, desk));

  test('waits with its answers until it has started, and is not ready while it ends', async () => {
    await laptop.stop();
    const starting = deskOf(laptop);
    try {
      const answers = Promise.all([starting.view(), starting.sessions()]);
      // A terminal that begins to follow a session cannot wait.
      expect(() => starting.watch({ machine: 'desk', slug: 'AUTH' }, {} as never)).toThrow(
        expect.objectContaining({ ...NOT_READY, message: expect.stringContaining('starting') }),
      );
      await starting.start();
      const [view, sessions] = await answers;
      expect(view.fleet).toMatchObject({ machine: 'laptop' });
      expect(sessions.map(({ machine }) => machine)).toContain('laptop');
    } finally {
      const ended = starting.close();
      for (const late of [starting.view(), starting.sessions(), starting.rename('tower')]) {
        await expect(late).rejects.toMatchObject({ ...NOT_READY, message: expect.stringContaining('ending') });
      }
      await expect(starting.join({ line: 'x', allow: [] })).rejects.toMatchObject(NOT_READY);
      await ended;
    }
    // A server that ends before it has started answers, too.
    const never = deskOf(laptop);
    const asked = never.sessions();
    await never.close();
    await expect(asked).rejects.toMatchObject(NOT_READY);
    await laptop.startAgain();
  });

  test('says so over REST and on the command line', async () => {
    const pid = natsPid(desk);
    // The founder ends once its NATS server has ended.
    process.kill(pid, 'SIGSTOP');
    const stopping = desk.stop();
    try {
      const refused = await desk.call('/fleet/sessions');
      expect({ status: refused.status, error: refused.json() }).toMatchObject({
        status: 503,
        error: { error: NOT_READY },
      });
      const { cbosHome, projectDir } = desk.world;
      const listed = await runCommand(['ls', '--fleet'], { socket: `${cbosHome}/cbos.sock`, cwd: projectDir });
      expect(listed).toMatchObject({ code: 5, stderr: expect.stringMatching(/is ending.*Try again in a moment/) });
    } finally {
      process.kill(pid, 'SIGCONT');
      await stopping;
      await desk.startAgain();
    }
  });

  test('can leave and join again if it cannot read what it knew about its fleet', async () => {
    await laptop.stop();
    writeFileSync(join(laptop.world.cbosHome, 'fleet/machine.json'), '{');
    await laptop.startAgain();
    const refused = await laptop.call('/fleet/sessions');
    expect(refused.code()).toBe('no_fleet');
    expect(refused.text).toContain('`cbos fleet leave` removes it');
    expect((await laptop.fleet()).fleet).toBeNull();
    expect((await laptop.call('/fleet/leave', { method: 'POST' })).json()).toMatchObject({
      status: 'left',
      told: false,
    });
    await desk.call('/fleet/remove', { body: { machine: 'laptop' } });
    await joinFleet(laptop, await invite(desk, ['see']), ['see']);
  });
});
