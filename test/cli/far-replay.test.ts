import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { replay } from '../../src/local/recordings.ts';
import {
  found,
  hasNatsServer,
  invite,
  joinFleet,
  type MachineUnderTest,
  startMachine,
  stopMachines,
  untilConnected,
} from '../harness/fleet.ts';
import { HEADER } from '../harness/memory-recording.ts';
import { runCommand, startCommand } from './command-line.ts';

const RECORDINGS = fileURLToPath(new URL('../fixtures/recordings', import.meta.url));

let desk: MachineUnderTest;
let laptop: MachineUnderTest;

/** Runs a command with the real player, without a terminal. */
const optionsOf = ({ world }: MachineUnderTest) => ({
  socket: `${world.cbosHome}/cbos.sock`,
  cwd: world.streamDir,
  host: {
    replay: (request: Parameters<typeof replay>[0]) =>
      replay(request, { settings: { stream_dir: world.streamDir }, cwd: world.streamDir }),
  },
});
const cbos = (machine: MachineUnderTest, line: string) => runCommand(line.split(' '), optionsOf(machine));

describe.skipIf(!hasNatsServer)('cbos replay machine/NAME', () => {
  beforeAll(async () => {
    [desk, laptop] = await Promise.all([startMachine('desk'), startMachine('laptop')]);
    await found(desk);
    await joinFleet(laptop, await invite(desk, ['see']), []);
    const recording = desk.sessions.add('AUTH');
    recording.timing = join(desk.world.streamDir, 'AUTH.timing');
    copyFileSync(join(RECORDINGS, '2.1.330/permission.typescript'), recording.file());
    copyFileSync(join(RECORDINGS, '2.1.330/permission.timing'), recording.timing);
  }, 60_000);
  afterAll(() => stopMachines(laptop, desk));

  test('shows the same as on the machine itself, from the beginning and from any time', async () => {
    for (const from of ['0', '3', '1:00:00']) {
      const flags = `--speed 1000 --from ${from}`;
      const there = await cbos(desk, `replay AUTH ${flags}`);
      const here = await cbos(laptop, `replay desk/AUTH ${flags}`);
      expect(there.stdout.length).toBeGreaterThan(100);
      expect(here).toEqual(there);
    }
  });

  test('continues after the machine was away for a moment, without losing or repeating output', async () => {
    const recording = desk.sessions.add('LONG');
    recording.timing = join(desk.world.streamDir, 'LONG.timing');
    const line = (index: number): string => `${String(index).padStart(9, '.')}\r\n`;
    const lines = Array.from({ length: 60_000 }, (_, index) => line(index));
    writeFileSync(recording.file(), `${HEADER}${lines.join('')}`);
    writeFileSync(recording.timing, lines.map((text) => `0.001 ${text.length}\n`).join(''));
    const command = startCommand('replay desk/LONG --speed 20'.split(' '), optionsOf(laptop));
    await command.says(line(1_000));
    await desk.stop();
    // It plays on with what it has read, and then waits for the machine.
    await command.says(line(20_000));
    await desk.startAgain();
    await untilConnected(desk);
    expect(await command.ended).toBe(0);
    await command.says(line(59_999));
    expect(command.stdout.text).toBe(lines.join(''));
  });

  test('says why it cannot play: no such session or recording, an unreachable machine, or no right to see', async () => {
    desk.sessions.addWithoutRecording('NONE');
    expect((await cbos(laptop, 'replay desk/NOBODY')).code).toBe(3);
    expect((await cbos(laptop, 'replay nowhere/AUTH')).code).toBe(3);
    expect(await cbos(laptop, 'replay desk/NONE')).toMatchObject({ code: 1, stdout: '' });
    expect((await cbos(laptop, 'replay desk/AUTH.7')).code).toBe(1);
    // A file with that path comes first.
    writeFileSync(join(laptop.world.streamDir, 'AUTH.typescript'), `${HEADER}local`);
    expect((await cbos(laptop, 'replay AUTH')).stdout).toContain('local');
    await desk.call('/fleet/allow', { method: 'PUT', body: { rights: [] } });
    expect(await cbos(laptop, 'replay desk/AUTH')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('lacks the right to see'),
    });
    await desk.call('/fleet/allow', { method: 'PUT', body: { rights: ['see'] } });
  });
});
