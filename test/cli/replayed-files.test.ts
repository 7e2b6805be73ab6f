import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pty from '@lydell/node-pty';
import { beforeEach, describe, expect, test } from 'vitest';
import { createEmulator } from '../../src/platform/emulator/index.ts';
import { createRepository, type TestRepository } from '../harness/git-repository.ts';
import { addPast, runTwoPast } from '../harness/past-files.ts';
import { waitFor } from '../harness/wait-for.ts';
import { serveCommands } from './served.ts';

const BIN = fileURLToPath(new URL('../../dist/cbos.js', import.meta.url));
const [COLS, ROWS] = [100, 14];

const cli = serveCommands();
let repository: TestRepository;
let made = 0;
beforeEach(async () => {
  repository = createRepository(cli.server.world, `repository-${++made}`);
  repository.write('a.txt', 'one\n');
  repository.commit();
  addPast(cli.server, repository);
});

/** Runs `cbos replay` in a real terminal. An emulator shows its screen. */
function replay(...words: string[]) {
  const { world } = cli.server;
  const terminal = pty.spawn(process.execPath, [BIN, 'replay', ...words], {
    cols: COLS,
    rows: ROWS,
    cwd: world.streamDir,
    env: world.env,
  });
  const emulator = createEmulator({ cols: COLS, rows: ROWS, scrollback: 0 });
  terminal.onData((text) => emulator.write(Buffer.from(text)));
  const end = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  world.onDispose(() => {
    terminal.kill('SIGKILL');
    emulator.dispose();
  });
  const screen = (): string => emulator.frame().lines.join('\n').trimEnd();
  return {
    screen,
    end,
    type: (keys: string) => terminal.write(keys),
    shows: (text: string) =>
      waitFor(() => screen().includes(text), { describe: `the screen shows ${text}`, actual: screen }),
    hides: (text: string) => waitFor(() => !screen().includes(text), { describe: `${text} is gone`, actual: screen }),
  };
}

/** `npm test` builds first, but a run of this file alone may not have a build. */
describe.skipIf(!existsSync(BIN))('the files in a replay', () => {
  test('are those of the moment: changed files first, then folders; a file opens, and Esc returns', async () => {
    await runTwoPast(cli.server, repository);
    const run = replay('PAST', '--from', '25');
    await run.shows('begin');
    run.type(' ');
    await run.shows('f files');
    run.type('f');
    await run.shows('as turn 1 left them');
    await run.shows('A src/gone.txt');
    const lines = run.screen().split('\n');
    const at = (text: string): number => lines.findIndex((line) => line.includes(text));
    expect(lines[2]).toContain('M a.txt');
    expect(at('A src/kept.txt')).toBeLessThan(at('src/  2 changed'));
    expect(at('src/  2 changed')).toBeLessThan(at('M a.txt  1 kB'));
    run.type('\r');
    await run.shows('\\u202ehidden');
    run.type('\u001b');
    await run.shows('A src/gone.txt');
    // Down to the folder: a.txt, gone.txt, kept.txt, an empty row, src/.
    run.type('jjjj\r');
    await run.shows('src/: the files as turn 1 left them');
    await run.shows('A kept.txt');
    run.type('\r');
    await run.shows('soon gone');
    run.type('\u001b');
    await run.shows('A kept.txt');
    run.type('\u001b');
    await run.shows('M a.txt');
    run.type('\u001b');
    await run.shows('paused');
    await run.shows('begin');
    await run.hides('M a.txt');
    // In the second turn, the files are those at its beginning, and after it those at its end.
    run.type('\u001b[C\u001b[C');
    await run.shows('0:35');
    run.type('f');
    await run.shows('as they were before turn 2');
    await run.shows('nothing changed since turn 1 ended');
    run.type('q');
    await run.shows('0:35');
    run.type('\u001b[C\u001b[C');
    await run.shows('0:45');
    run.type('f');
    await run.shows('D src/gone.txt');
    run.type('G');
    run.type('g');
    run.type('j\r');
    await run.shows('src/gone.txt was deleted.');
    run.type('\u0003');
    await run.shows('0:45');
    run.type('q');
    expect(await run.end).toBe(0);
  });

  test('are told if there are none, or if the recording belongs to no session', async () => {
    const run = replay('PAST', '--from', '5');
    await run.shows('begin');
    // Otherwise, the replay reaches the first turn on a busy machine.
    run.type(' ');
    await run.shows('paused');
    run.type('f');
    await run.shows('No files of this session are saved.');
    run.type('\u001b');
    await run.shows('begin');
    await runTwoPast(cli.server, repository);
    run.type('f');
    await run.shows('No files of this moment are kept');
    run.type('\u001b');
    await run.shows('begin');
    await cli.server.sessions.remove('PAST');
    run.type('f');
    await run.shows('cbos ls');
    run.type('q');
    await run.shows('begin');
    run.type('q');
    expect(await run.end).toBe(0);
  });
});
