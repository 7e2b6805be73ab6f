import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pty from '@lydell/node-pty';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmulator } from '../../src/platform/emulator/index.ts';
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
import { someSession } from '../harness/some-session.ts';
import { waitFor } from '../harness/wait-for.ts';
import { runCommand } from './command-line.ts';

const BIN = fileURLToPath(new URL('../../dist/cbos.js', import.meta.url));
const [COLS, ROWS] = [80, 20];

let desk: MachineUnderTest;
let laptop: MachineUnderTest;
let guest: MachineUnderTest;

/** Runs `cbos attach` in a real terminal. An emulator shows its screen. */
function attach({ world }: MachineUnderTest, name: string) {
  const shell = 'stty -a > before; echo SHELL; "$@"; echo "code $?"; stty -a > after';
  const terminal = pty.spawn('/bin/sh', ['-c', shell, 'sh', process.execPath, BIN, 'attach', name], {
    cols: COLS,
    rows: ROWS,
    cwd: world.streamDir,
    env: { ...world.env, TERM: 'xterm-256color' },
  });
  world.onDispose(() => terminal.kill('SIGKILL'));
  const emulator = createEmulator({ cols: COLS, rows: ROWS, scrollback: 0 });
  world.onDispose(() => emulator.dispose());
  let written = '';
  terminal.onData((text) => {
    written += text;
    emulator.write(Buffer.from(text));
  });
  const screen = (): string => emulator.frame().lines.join('\n').trimEnd();
  return {
    terminal,
    screen,
    written: () => written,
    resize: (cols: number, rows: number) => {
      emulator.resize(cols, rows);
      terminal.resize(cols, rows);
    },
    shows: (text: string) =>
      waitFor(() => screen().includes(text), { describe: `the screen shows ${text}`, actual: screen }),
    hides: (text: string) => waitFor(() => !screen().includes(text), { describe: `${text} is gone`, actual: screen }),
    untilRestored: () => {
      const modes = (file: string): string =>
        readFileSync(join(world.streamDir, file), 'utf8').replace(/rows \d+; columns \d+/, '');
      return waitFor(() => modes('after') === modes('before'), { describe: 'the modes of the terminal are restored' });
    },
  };
}

describe.skipIf(!hasNatsServer)('cbos attach machine/NAME', () => {
  beforeAll(async () => {
    [desk, laptop, guest] = await Promise.all([startMachine('desk'), startMachine('laptop'), startMachine('guest')]);
    await found(desk);
    await desk.call('/fleet/allow', { method: 'PUT', body: { rights: ['see', 'type'] } });
    await joinFleet(laptop, await invite(desk, ['see', 'type']), ['see']);
    await joinFleet(guest, await invite(desk, ['see']), ['see']);
  }, 60_000);
  afterAll(() => stopMachines(guest, laptop, desk));

  test('shows the terminal, types into it, takes its size, survives a lost connection, and is left with Ctrl-A d', async () => {
    desk.sessions.typed.delete('AUTH');
    const recording = desk.sessions.add('AUTH', { cols: 100, rows: 40 });
    recording.write('\u001b[?2004h\u001b[31mready\u001b[0m> ');
    const { terminal, ...seen } = attach(laptop, 'desk/AUTH');
    await seen.shows('ready>');
    await waitFor(() => desk.sessions.get('AUTH').cols === COLS && desk.sessions.get('AUTH').rows === ROWS, {
      describe: 'the session takes the size of this terminal',
    });
    await waitFor(() => seen.written().includes('\u001b[?2004h'), { describe: 'pastes are marked as such' });
    terminal.write('hé\u0001a\r');
    await waitFor(() => desk.sessions.typed.get('AUTH') === 'hé\u0001\r', {
      describe: 'the keys arrive',
      actual: () => desk.sessions.typed.get('AUTH'),
    });
    // Only cells are drawn: what the other machine sends sets no title and asks this terminal nothing.
    recording.write('\u001b]0;title\u0007\u001b[c\u001b]52;c;aGFjaw==\u0007done');
    await seen.shows('ready> done');
    expect(seen.written()).not.toMatch(/title|\u001b\[c|52;/);
    seen.resize(90, 25);
    await waitFor(() => desk.sessions.get('AUTH').cols === 90, { describe: 'the session follows the new size' });

    await desk.stop();
    await seen.shows('not connected for');
    expect(seen.screen()).toContain('ready> done');
    terminal.write('lost');
    await desk.startAgain();
    recording.write(' and on');
    await untilConnected(desk);
    await seen.shows('ready> done and on');
    await seen.hides('not connected');
    expect(desk.sessions.typed.get('AUTH')).toBe('hé\u0001\r');
    terminal.write('\u0001');
    terminal.write('d');
    await seen.shows('[detached from desk/AUTH]');
    await seen.shows('code 0');
    await seen.untilRestored();
    await waitFor(() => recording.listeners() === 0, { describe: 'the owner keeps nothing of it' });
  });

  test('without the right to type it only shows the terminal, and reports that; it ends when the session stops', async () => {
    desk.sessions.add('SHOWN', { cols: 70, rows: 15 }).write('look');
    const { terminal, ...seen } = attach(guest, 'desk/SHOWN');
    await seen.shows('look');
    await seen.shows('view only: this machine lacks the right to type there');
    terminal.write('rm');
    const { status } = someSession('X');
    desk.sessions.change('SHOWN', { state: 'dead', status: { ...status, primary: 'dead', detail: null } });
    await seen.shows('desk/SHOWN has stopped');
    await seen.shows('code 0');
    expect(desk.sessions.typed.get('SHOWN')).toBeUndefined();
    expect(desk.sessions.get('SHOWN')).toMatchObject({ cols: 70, rows: 15 });
  });

  test('reports what cannot be attached, with what to do instead', async () => {
    const { status } = someSession('X');
    const stopped = { ...status, primary: 'dead' as const, detail: null };
    desk.sessions.add('STOPPED', { state: 'dead', status: stopped });
    desk.sessions.addWithoutRecording('JSON', { type: 'json' });
    const cbos = (line: string, isTTY = true) =>
      runCommand(line.split(' '), { socket: `${laptop.world.cbosHome}/cbos.sock`, isTTY, columns: 100 });
    expect(await cbos('attach desk/STOPPED')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('cbos restart desk/STOPPED'),
    });
    expect(await cbos('attach desk/JSON')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('cbos send desk/JSON'),
    });
    expect((await cbos('attach desk/NONE')).code).toBe(3);
    expect((await cbos('attach nowhere/AUTH')).code).toBe(3);
    expect(await cbos('attach desk/AUTH', false)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cbos buffer desk/AUTH'),
    });
    const completed = await cbos('complete -- attach desk/ST', false);
    expect(completed.stdout).toMatch(/^desk\/STOPPED\t/);
  });
});
