import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pty from '@lydell/node-pty';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../src/platform/emulator/index.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld } from '../harness/world.ts';

const BIN = fileURLToPath(new URL('../../dist/cbos.js', import.meta.url));
const [COLS, ROWS] = [60, 12];
/** Longer than any test waits. */
const HOUR = 3_600;

let world: ReturnType<typeof createWorld>;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

function write(output: readonly string[], delays: readonly number[]): void {
  const header = `Script started on 2026-11-20 15:08:22+00:00 [COMMAND="c" TERM="xterm" TTY="t" COLUMNS="${COLS}" LINES="${ROWS}"]\n`;
  writeFileSync(join(world.streamDir, 'A.typescript'), `${header}${output.join('')}`);
  const rows = output.map((text, index) => `${delays[index]} ${Buffer.byteLength(text)}\n`);
  writeFileSync(join(world.streamDir, 'A.timing'), rows.join(''));
}

/** Runs `cbos replay A` in a real terminal. An emulator shows its screen. */
function replayInTerminal(...flags: string[]) {
  const shell = 'stty -a > before; echo SHELL; "$@"; echo "code $?"; stty -a > after';
  const terminal = pty.spawn('/bin/sh', ['-c', shell, 'sh', process.execPath, BIN, 'replay', 'A', ...flags], {
    cols: COLS,
    rows: ROWS,
    cwd: world.streamDir,
    env: world.env,
  });
  world.onDispose(() => terminal.kill('SIGKILL'));
  const emulator: Emulator = createEmulator({ cols: COLS, rows: ROWS, scrollback: 0 });
  world.onDispose(() => emulator.dispose());
  let written = '';
  terminal.onData((text) => {
    written += text;
    emulator.write(Buffer.from(text));
  });
  let hasEnded = false;
  terminal.onExit(() => {
    hasEnded = true;
  });
  const screen = (): string => emulator.frame().lines.join('\n').trimEnd();
  return {
    terminal,
    emulator,
    written: () => written,
    shows: (text: string) =>
      waitFor(() => screen().includes(text), { describe: `the screen shows ${text}`, actual: screen }),
    hidden: (text: string) => waitFor(() => !screen().includes(text), { describe: `${text} is gone`, actual: screen }),
    ended: async () => {
      await waitFor(() => hasEnded && screen().includes('code '), { describe: 'the replay ends', actual: screen });
      return screen();
    },
  };
}

/** `npm test` builds first, but a run of this file alone may not have a build. */
describe.skipIf(!existsSync(BIN))('cbos replay in a terminal', () => {
  test('plays to the end and restores the terminal', async () => {
    write(['\u001b[?1000h\u001b[?2004h\u001b[?25lfirst ', '\u001b[31msecond'], [0.05, 0.05]);
    const run = replayInTerminal();
    expect(await run.ended()).toBe('SHELL\ncode 0');
    expect(run.written()).toContain('second');
    expect(run.written()).not.toMatch(/\u001b\[\?(1000|2004)h/);
    expect(run.emulator.isAlternate()).toBe(false);
    expect(run.emulator.isCursorVisible()).toBe(true);
    const stty = (when: string): string => readFileSync(join(world.streamDir, when), 'utf8');
    expect(stty('after')).toBe(stty('before'));
  });

  test('space pauses and continues, a dot steps, arrows jump, q quits', async () => {
    write(['zero ', 'one ', 'two ', 'three ', 'four '], [0, HOUR, 1, 1, HOUR]);
    const run = replayInTerminal('--from', '59:58');
    await run.shows('zero');
    run.terminal.write(' .');
    await run.shows('one');
    run.terminal.write('.');
    await run.shows('two');
    run.terminal.write('\u001b[D');
    await run.hidden('one');
    run.terminal.write('\u001b[C');
    await run.shows('two');
    run.terminal.write('\u001b[C');
    await run.shows('three');
    run.terminal.write('q');
    expect(await run.ended()).toBe('SHELL\ncode 0');
  });

  test('a key shows the position and the speed over the last row, which stay while it is paused', async () => {
    write(['top', `\u001b[${ROWS};1Hlast row`, 'later'], [0, 0, HOUR]);
    const run = replayInTerminal('--from', '1:02');
    await run.shows('last row');
    run.terminal.write('+');
    await run.shows('playing 1:0');
    await run.shows('2x');
    // The message disappears on its own, and the row shows the recording again.
    await run.shows('last row');
    run.terminal.write(' ');
    await run.shows('paused');
    await run.hidden('last row');
    await run.shows('q quit');
    run.terminal.write('q');
    expect(await run.ended()).toBe('SHELL\ncode 0');
  });

  test('Ctrl-C and a signal end it with the terminal restored', async () => {
    write(['here', 'later'], [0, HOUR]);
    const first = replayInTerminal();
    await first.shows('here');
    first.terminal.write('\u0003');
    expect(await first.ended()).toBe('SHELL\ncode 0');
    expect(first.emulator.isAlternate()).toBe(false);

    const second = replayInTerminal();
    await second.shows('here');
    const replaying = world.processes().find(({ command }) => command.includes('replay') && !command.includes('stty'));
    process.kill(replaying?.pid ?? 0, 'SIGTERM');
    expect(await second.ended()).toBe('SHELL\ncode 143');
    expect(second.emulator.isAlternate()).toBe(false);
  });

  test('nothing in the recording acts on the terminal, not even in a jump', async () => {
    const hostile = '\u001b]52;c;eA==\u0007\u001b]0;title\u0007\u001b[6n\u001b[c\u001bP$qm\u001b\\';
    write([`${hostile}a`, `${hostile}b`], [0, 1]);
    const run = replayInTerminal('--from', '0.5', '--speed', '20');
    await run.ended();
    expect(run.written()).not.toMatch(/52;|title|\u001b\[6n|\u001b\[c|\$q/);
  });

  test('reports a terminal that is smaller than the recording', async () => {
    write(['wide'], [0]);
    const run = replayInTerminal('--cols', '200', '--rows', '50');
    expect(await run.ended()).toContain('the recording is 200x50 but this terminal is 60x12');
  });
});
