import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseTrailer } from '../../../src/core/recording/index.ts';
import { listScreens } from '../../../src/platform/gnu-screen/index.ts';
import { readProcess } from '../../../src/platform/process/index.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { openScreenWorld, type ScreenWorld } from './screen-world.ts';

let world: ScreenWorld;
beforeEach(async () => {
  world = await openScreenWorld();
});
afterEach(() => world.dispose());

/** A command that prints its arguments byte for byte, and stays. */
const PRINT_ARGUMENTS = `printf '<%s>' "$@" > "$OUT"; exec sleep 1000`;

test('a launched session is detached, recorded privately, and has the requested size from its first byte on', async () => {
  const launched = await world.launch({
    name: 'Sized',
    cols: 133,
    rows: 41,
    command: ['sh', '-c', 'stty size; tput cols; exec sleep 1000'],
  });
  expect(await listScreens(world.host)).toEqual([
    {
      id: launched.screenId,
      pid: launched.daemon.pid,
      name: 'Sized',
      state: 'detached',
      attached: false,
      daemon: launched.daemon,
    },
  ]);
  const recording = world.recording('Sized');
  const text = await waitFor(() => /41 133\r\n133\r\n/.exec(readFileSync(recording.typescript, 'utf8'))?.input, {
    describe: 'the command has printed its size',
  });
  expect(text).toMatch(/^Script started on .*COLUMNS="133" LINES="41"\]\n/);
  expect(statSync(recording.typescript).mode & 0o777).toBe(0o600);
  expect(statSync(recording.timing).mode & 0o777).toBe(0o600);
  expect(readFileSync(recording.timing, 'utf8')).toMatch(/^H 0\.0+ START_TIME /);
  expect((await readProcess(launched.agent.pid))?.startTime).toBe(launched.agent.startTime);
  expect(readdirSync(world.host.exchangeDir)).toEqual([]);
});

test('arguments and environment arrive byte for byte, and nothing in them is executed', async () => {
  const nasty = [
    `$(touch ${world.dir}/executed)`,
    `\`touch ${world.dir}/executed\``,
    `'; touch ${world.dir}/executed; '`,
    `"quoted" 'single' \\back\\\\slash\\`,
    'two\nlines\n',
    '',
    '-e',
    '%n $HOME ^C ~ * ? ! # & | ; < > ( )',
    '日本語 🤷🏽‍♀️ é',
    '\ttab\u0001',
  ];
  const out = join(world.dir, 'out');
  await world.launch({
    name: 'Nasty',
    command: ['sh', '-c', `${PRINT_ARGUMENTS}`, 'sh', ...nasty, 'END'],
    env: { OUT: out, NASTY: nasty.join('\n') },
  });
  await waitFor(() => existsSync(out) && readFileSync(out, 'utf8').includes('<END>'), {
    describe: 'the arguments are written',
  });
  expect(readFileSync(out, 'utf8')).toBe(`${nasty.map((argument) => `<${argument}>`).join('')}<END>`);
  const agent = world.processes().find((one) => one.command.startsWith('sleep 1000'));
  const environment = readFileSync(`/proc/${agent?.pid}/environ`, 'utf8').split('\0');
  expect(environment).toContain(`NASTY=${nasty.join('\n')}`);
  expect(environment).toContain('SHELL=/bin/sh');
  expect(environment).toContain('TERM=screen-256color');
  expect(environment.some((entry) => /^(LINES|COLUMNS)=/.test(entry))).toBe(false);
  expect(existsSync(join(world.dir, 'executed'))).toBe(false);
});

test('a recording directory and a working directory with special characters are used literally', async () => {
  const odd = world.project(`o'dd $(touch x) "dir" %n \\`);
  const typescript = join(odd, 'Odd.typescript');
  await world.launch({
    name: 'Odd',
    cwd: odd,
    command: ['sh', '-c', 'pwd; exec sleep 1000'],
    recording: { typescript, timing: join(odd, 'Odd.timing'), flush: true },
  });
  await waitFor(() => readFileSync(typescript, 'utf8').includes(`\n${odd}\r\n`), { describe: 'pwd is recorded' });
  expect(readdirSync(odd).sort()).toEqual(['Odd.timing', 'Odd.typescript']);
});

test('the user’s own SHELL, locale and size variables do not matter', async () => {
  const launched = await world.launch({
    name: 'Plain',
    command: ['sh', '-c', 'echo "shell=$SHELL lang=$LC_ALL ❯"; exec sleep 1000'],
    env: { SHELL: '/usr/sbin/nologin', LC_ALL: 'POSIX', LINES: '7', COLUMNS: '9', STY: '1.x', TERM: 'dumb' },
  });
  expect(launched.screenId).toMatch(/^\d+\.Plain$/);
  await waitFor(() => world.output('Plain').includes('shell=/usr/sbin/nologin lang=POSIX ❯'), {
    describe: 'it runs with its own SHELL',
  });
});

test('ten sessions launched at once all get their own socket, size and recording', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `P${index}`);
  const launched = await Promise.all(
    names.map((name, index) =>
      world.launch({ name, cols: 100 + index, command: ['sh', '-c', 'stty size; exec sleep 1000'] }),
    ),
  );
  expect(new Set(launched.map((one) => one.screenId)).size).toBe(10);
  expect((await listScreens(world.host)).map((one) => one.state)).toEqual(Array(10).fill('detached'));
  for (const [index, name] of names.entries()) {
    await waitFor(() => world.output(name).includes(`30 ${100 + index}\r\n`), { describe: `${name} has its size` });
  }
});

test('a command that does not exist is reported as missing, and nothing is left', async () => {
  await expect(world.launch({ name: 'None', command: ['no-such-command-anywhere'] })).rejects.toMatchObject({
    code: 'claude_not_found',
    message: expect.stringContaining('no-such-command-anywhere'),
  });
  await expectNothingLeft();
});

test('a command that ends at once is reported with its exit code and last words, and nothing is left', async () => {
  await expect(
    world.launch({ name: 'Brief', command: ['sh', '-c', 'echo bad flag >&2; exit 3'] }),
  ).rejects.toMatchObject({ code: 'launch_failed', message: expect.stringMatching(/exit code 3: .*bad flag/) });
  await expectNothingLeft();
});

test('a command that ends just before CBOS detaches is reported with its exit code and last words', async () => {
  const end = join(world.dir, 'end');
  const real = execFileSync('sh', ['-c', 'command -v screen'], { encoding: 'utf8' }).trim();
  // This Screen lets the command end, and waits for the end of the session, before it passes on the command to detach.
  const bin = join(world.dir, 'slow');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'screen'),
    `#!/bin/sh
case "$*" in
  *'-X detach') touch ${end}; while ${real} -ls | grep -q Ending; do sleep 0.01; done ;;
esac
exec ${real} "$@"`,
    { mode: 0o700 },
  );
  const host = { ...world.host, env: { ...world.host.env, PATH: `${bin}:${world.host.env.PATH}` } };
  const command = ['sh', '-c', `while [ ! -e ${end} ]; do sleep 0.01; done; echo bad flag >&2; exit 3`];
  await expect(world.launch({ name: 'Ending', command }, host)).rejects.toMatchObject({
    code: 'launch_failed',
    message: expect.stringMatching(/exit code 3: .*bad flag/),
  });
  await expectNothingLeft();
});

test('without Screen in PATH the launch reports it, and nothing is left', async () => {
  await expect(
    world.launch({ name: 'NoScreen', command: ['sleep', '1000'], env: { PATH: world.binWithout('screen') } }),
  ).rejects.toMatchObject({ code: 'screen_not_found' });
  await expectNothingLeft();
});

test('an existing recording is never overwritten', async () => {
  await world.launch({ name: 'Twice', command: ['sleep', '1000'] });
  const before = readFileSync(world.recording('Twice').typescript, 'utf8');
  await expect(world.launch({ name: 'Twice', command: ['sleep', '1000'] })).rejects.toMatchObject({
    code: 'launch_failed',
    message: expect.stringContaining('EEXIST'),
  });
  expect(readFileSync(world.recording('Twice').typescript, 'utf8')).toBe(before);
});

test('a name up to the limit of the socket path works, and one byte more is refused before anything happens', async () => {
  await using deep = await openScreenWorld('d'.repeat(40));
  const name = 'N'.repeat(107 - Buffer.byteLength(`${deep.host.dir}/.`) - deep.host.pidDigits);
  const launched = await deep.launch({ name, command: ['sleep', '1000'] });
  expect(launched.screenId).toBe(`${launched.daemon.pid}.${name}`);
  expect((await listScreens(deep.host)).map((one) => one.id)).toEqual([launched.screenId]);
  await expect(deep.launch({ name: `${name}N`, command: ['sleep', '1000'] })).rejects.toMatchObject({
    code: 'path_too_long',
    message: expect.stringContaining('108 bytes'),
  });
  expect(readdirSync(deep.streamDir)).toEqual([`${name}.timing`, `${name}.typescript`]);
});

test('an id of 80 characters works, and a longer one, which Screen treats as wrong usage, is refused', async () => {
  const longest = 80 - 1 - world.host.pidDigits;
  await world.launch({ name: 'N'.repeat(longest), command: ['sleep', '1000'] });
  await expect(world.launch({ name: 'M'.repeat(longest + 1), command: ['sleep', '1000'] })).rejects.toMatchObject({
    code: 'path_too_long',
  });
});

test('the exit code of a command that runs to its end is in the recording', async () => {
  await world.launch({ name: 'Ends', command: ['sh', '-c', 'while [ ! -e end ]; do sleep 0.02; done; exit 7'] });
  world.write('project/end', '');
  const trailer = await waitFor(() => parseTrailer(readFileSync(world.recording('Ends').typescript)), {
    describe: 'script has written its last line',
  });
  expect(trailer.exitCode).toBe(7);
});

async function expectNothingLeft(): Promise<void> {
  expect(await listScreens(world.host)).toEqual([]);
  expect(readdirSync(world.streamDir)).toEqual([]);
  expect(readdirSync(world.host.exchangeDir)).toEqual([]);
  expect(world.processes()).toEqual([]);
}
