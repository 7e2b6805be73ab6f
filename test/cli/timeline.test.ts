import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TimelineChange } from '../../src/cli/local-host.ts';
import { DEFAULT_THRESHOLDS } from '../../src/core/status/index.ts';
import { readTimeline } from '../../src/local/timeline.ts';
import { createWorld } from '../harness/world.ts';
import { type CommandResult, runCommand } from './command-line.ts';

const RECORDINGS = fileURLToPath(new URL('../fixtures/recordings', import.meta.url));

let world: ReturnType<typeof createWorld>;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

const inWorld = (name: string): string => join(world.streamDir, name);

/** Runs `cbos ARGV` with the real reader of recordings and without a server. */
function run(...argv: string[]): Promise<CommandResult> {
  return runCommand(argv, {
    socket: inWorld('no.sock'),
    cwd: world.streamDir,
    host: {
      timeline: async (request) => {
        const settings = { stream_dir: world.streamDir };
        return readTimeline(request, { settings, thresholds: DEFAULT_THRESHOLDS, rules: [], cwd: world.streamDir });
      },
    },
  });
}

async function changesOf(...argv: string[]): Promise<TimelineChange[]> {
  const { code, stdout, stderr } = await run('timeline', ...argv, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as TimelineChange);
}

const words = (changes: readonly TimelineChange[]): string[] =>
  changes.map(({ primary, detail }) => [primary, detail].filter((word) => word !== null).join('/'));

const PERMISSION = [
  '',
  'idle/ready',
  'active/thinking',
  'active/responding',
  'waiting/permission',
  'active/using_tools',
  'active/thinking',
  'active/responding',
  'idle/waiting_input',
];

/** Copies a recording of the fixtures to `NAME.typescript` and `NAME.timing` in the stream directory. */
function copy(fixture: string, name: string): { typescript: string; timing: string } {
  const files = { typescript: inWorld(`${name}.typescript`), timing: inWorld(`${name}.timing`) };
  for (const [ending, to] of Object.entries(files)) copyFileSync(join(RECORDINGS, `${fixture}.${ending}`), to);
  return files;
}

const rowsOf = (file: string): string[] => readFileSync(file, 'utf8').trimEnd().split('\n');
const writeRows = (file: string, rows: readonly string[]): void => writeFileSync(file, `${rows.join('\n')}\n`);

describe('cbos timeline', () => {
  test('prints a line for each change, with its second and its reason', async () => {
    copy('2.1.329/permission', 'A');
    const changes = await changesOf('A.typescript');
    expect(words(changes)).toEqual(PERMISSION);
    const times = changes.map(({ t }) => t);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(changes[4]).toEqual({
      t: expect.closeTo(5.9, 0),
      primary: 'waiting',
      detail: 'permission',
      state: 'waiting',
      health: 'ALIVE',
      because: {
        source: 'screen',
        rule: 'screen.dialog.permission',
        evidence: expect.stringContaining('Do you want to proceed?'),
      },
    });
  });

  test('finds a session by its name, in the directory of the recordings', async () => {
    copy('2.1.329/permission', 'AUTH');
    expect(words(await changesOf('AUTH'))).toEqual(PERMISSION);
  });

  test('is a table for people', async () => {
    copy('2.1.329/permission', 'AUTH');
    const { stdout } = await run('timeline', 'AUTH');
    expect(stdout).toMatch(/^TIME +STATE +BECAUSE$/m);
    expect(stdout).toMatch(/^5\.\d +○ +asks permission +screen\.dialog\.permission: Do you want to proceed\?/m);
  });

  test('reads the advanced timing: its size, and its resizes', async () => {
    const { typescript, timing } = copy('2.1.329/permission', 'A');
    const bytes = readFileSync(typescript);
    const headerEnd = bytes.indexOf('\n') + 1;
    // The header contains another size than the timing. The timing counts, and it contains a new size right at the
    // start.
    writeFileSync(
      typescript,
      Buffer.concat([
        Buffer.from('Script started on X [COMMAND="c" COLUMNS="20" LINES="5"]\n'),
        bytes.subarray(headerEnd),
      ]),
    );
    const rows = rowsOf(timing).map((row) => `O ${row}`);
    const head = ['H 0.000000 COLUMNS 40', 'H 0.000000 LINES 10', 'S 0.000000 SIGWINCH ROWS=30 COLS=100'];
    writeRows(timing, [...head, ...rows, 'H 0.000000 EXIT_CODE 0']);
    expect(words(await changesOf('A'))).toEqual(PERMISSION);
  });

  test('--cols and --rows override the size in the recording', async () => {
    const { typescript } = copy('2.1.329/permission', 'A');
    const bytes = readFileSync(typescript);
    writeFileSync(typescript, bytes.subarray(bytes.indexOf('\n') + 1));
    expect(words(await changesOf('A', '--cols', '100', '--rows', '30'))).toEqual(PERMISSION);
  });

  test('without timing the order is shown, and that the times are not known', async () => {
    const { typescript } = copy('2.1.329/permission', 'A');
    copyFileSync(typescript, inWorld('B.typescript'));
    const { code, stdout, stderr } = await run('timeline', 'B.typescript', '--json');
    expect(code).toBe(0);
    expect(stderr).toMatch(/no timing.*--timing FILE/);
    const changes = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as TimelineChange);
    expect(new Set(changes.map(({ t }) => t))).toEqual(new Set([0]));
    expect(words(changes).at(-1)).toBe('idle/waiting_input');
    expect(words(changes)).toContain('waiting/permission');
    expect(words(await changesOf('B.typescript', '--timing', inWorld('A.timing')))).toEqual(PERMISSION);
  });

  test('a timing whose last line is cut off loses nothing', async () => {
    const { timing } = copy('2.1.329/permission', 'A');
    writeFileSync(timing, readFileSync(timing).subarray(0, -5));
    expect(words(await changesOf('A'))).toEqual(PERMISSION);
  });

  test('a recording that ends before its timing is read as far as it goes', async () => {
    const { typescript } = copy('2.1.329/permission', 'A');
    writeFileSync(typescript, readFileSync(typescript).subarray(0, -1_000));
    expect(words(await changesOf('A')).slice(0, 3)).toEqual(PERMISSION.slice(0, 3));
  });

  test('bytes that are not UTF-8 do no harm', async () => {
    const { typescript, timing } = copy('2.1.329/permission', 'A');
    const bytes = readFileSync(typescript);
    const headerEnd = bytes.indexOf('\n') + 1;
    const garbage = Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0xe2, 0x82, 0x00, 0xf0, 0x9f]);
    writeFileSync(typescript, Buffer.concat([bytes.subarray(0, headerEnd), garbage, bytes.subarray(headerEnd)]));
    writeRows(timing, [`0.001 ${garbage.length}`, ...rowsOf(timing)]);
    expect(words(await changesOf('A'))).toEqual(PERMISSION);
  });

  test('a day of silence at the prompt changes nothing and takes no time', async () => {
    const { timing } = copy('2.1.329/permission', 'A');
    const rows = rowsOf(timing);
    writeRows(timing, [...rows, '86400.000000 0']);
    expect(words(await changesOf('A'))).toEqual(PERMISSION);
  });

  test('a turn that shows no sign of life for 15 s is stuck, and recovers with the next one', async () => {
    const { timing } = copy('2.1.329/think', 'A');
    let seconds = 0;
    const rows = rowsOf(timing).map((row) => {
      const [delay = 0, bytes = 0] = row.split(' ').map(Number);
      const isBefore = seconds < 9;
      seconds += delay;
      return isBefore && seconds >= 9 ? `${delay + 60} ${bytes}` : row;
    });
    writeRows(timing, rows);
    const changes = await changesOf('A');
    const stuck = changes.findIndex(({ primary }) => primary === 'stuck');
    expect(changes[stuck]).toMatchObject({ primary: 'stuck', detail: null, health: 'STUCK', state: 'thinking' });
    expect((changes[stuck]?.t ?? 0) - 9).toBeCloseTo(15, -1);
    expect(changes[stuck + 1]).toMatchObject({ primary: 'active', health: 'RECOVERED' });
  });

  test('a program that has ended is dead, permanently', async () => {
    copy('2.1.329/crash', 'A');
    const changes = await changesOf('A');
    expect(changes.at(-1)).toMatchObject({ primary: 'dead', detail: null, health: 'DEAD', state: 'dead' });
  });

  test('explains what to name if there is no recording', async () => {
    expect(await run('timeline', 'NOBODY')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `cbos: The recording ${inWorld('NOBODY.typescript')} does not exist — Give a .typescript file, or a session that \`cbos ls\` lists; for a JSON session, see \`cbos events NOBODY\`\n`,
    });
    copy('2.1.329/hello', 'A');
    expect(await run('timeline', 'A', '--timing', 'none.timing')).toMatchObject({ code: 1 });
  });
});
