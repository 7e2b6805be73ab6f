import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  isLogging,
  pressEnter,
  pressEscape,
  pressShiftTab,
  readHardcopy,
  renameScreen,
  type ScreenHost,
  type ScreenTarget,
  startLog,
  typeKeys,
} from '../../../src/platform/gnu-screen/index.ts';
import { runProgram } from '../../../src/platform/process/index.ts';
import { processNow, readArgv } from '../../../src/platform/process/proc-file.ts';
import { descendantsOf } from '../../../src/platform/process/tree.ts';
import { attachPerson } from '../../faults/harness/person.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { openScreenWorld, type ScreenWorld, startForeign } from './screen-world.ts';

let world: ScreenWorld;
beforeEach(async () => {
  world = await openScreenWorld();
});
afterEach(() => world.dispose());

/** Starts a program in a session with a user's own configuration, and reads what the program gets. */
async function startProgram(): Promise<{
  target: ScreenTarget & { pid: number };
  daemonPid: number;
  got: () => string;
}> {
  const file = join(world.dir, 'got');
  const command = ['sh', '-c', `stty raw -echo; echo program; exec cat >${file}`];
  const id = await startForeign(world, { name: 'theirs', command });
  const daemonPid = Number.parseInt(id, 10);
  const pid = await waitFor(
    async () => {
      const below = await descendantsOf([daemonPid]);
      for (const info of below) if ((await readArgv(info.pid))[0] === 'cat') return info.pid;
      return null;
    },
    { describe: 'the program runs' },
  );
  await waitFor(() => existsSync(file), { describe: 'it notes what it gets' });
  return { target: { id, pid, window: '0' }, daemonPid, got: () => readFileSync(file, 'latin1') };
}

const gets = (got: () => string, wanted: string): Promise<true> =>
  waitFor(() => got() === wanted, { describe: `it gets ${JSON.stringify(wanted)}`, actual: got });

test('every command is for its window, whatever the person looks at and whatever number it has', async () => {
  const { target, daemonPid, got } = await startProgram();
  const person = await attachPerson(world, target.id);
  const shell = await person.openShell();
  let wanted = '';
  const type = async (keys: string): Promise<void> => {
    await typeKeys(world.host, target, keys);
    wanted += keys;
    await gets(got, wanted);
  };
  await type('one');
  await pressEnter(world.host, target);
  await pressEscape(world.host, target);
  await pressShiftTab(world.host, target);
  wanted += '\r\x1b\x1b[Z';
  await gets(got, wanted);
  // The two windows change places, so the shell now has the program's number.
  await person.screenCommand('number 0');
  await type('two\nlines');
  await person.screenCommand('at 1# number 9');
  await type('three');
  expect(await readHardcopy(world.host, target)).toContain('program');

  const file = join(world.dir, 'log');
  await startLog(world.host, target, file);
  expect(await isLogging(daemonPid, file)).toBe(true);
  await person.terminal.type('x');
  await waitFor(() => shell() === 'x', {
    describe: 'the shell gets what the person types, and nothing else',
    actual: shell,
  });
  const renamed = await renameScreen(world.host, target, 'renamed');
  target.id = renamed;
  await person.command('S');
  await person.command('Tab');
  await person.screenCommand('select 9');
  await person.command('Tab');
  await type('four');
  await person.detach();
  await type('five');
  expect(shell()).toBe('x');
});

test('a number that was changed by a command, with nobody attached, is found as well', async () => {
  const { target, got } = await startProgram();
  const person = await attachPerson(world, target.id);
  const shell = await person.openShell();
  await person.detach();
  await typeKeys(world.host, target, 'one');
  await runProgram('screen', ['-S', target.id, '-p', '0', '-X', 'number', '1'], {
    env: world.host.env,
    timeoutMs: 5_000,
  });
  // Waits longer than the last check of the window is trusted.
  await waitFor(
    () => performance.now() > Math.max(0, ...[...world.host.windows.values()].map(({ provenAt }) => provenAt)) + 500,
    {
      describe: 'the last check is old',
    },
  );
  await typeKeys(world.host, target, ' two');
  await gets(got, 'one two');
  expect(shell()).toBe('');
});

test.each([
  ['copy mode', '[', /Copy mode/, 'Escape'],
  ['the question whether to kill the window', 'k', /Really kill/, 'n'],
  ['a prompt', 'A', /title to/, 'C-c'],
] as const)(
  '%s gets no key while a person has it open, and is closed when they have gone',
  async (_, key, shows, close) => {
    // Without this setting the daemon stops for a second between two messages.
    world.write('home/.screenrc', 'msgminwait 0\n');
    const { target, got } = await startProgram();
    const person = await attachPerson(world, target.id);
    await person.command(key);
    await person.terminal.until(shows, 'it');
    await expect(typeKeys(world.host, target, 'yes')).rejects.toMatchObject({ code: 'screen_prompt_open' });
    await expect(pressEnter(world.host, target)).rejects.toMatchObject({ code: 'screen_prompt_open' });
    await person.terminal.keys(close);
    await waitFor(() => typeKeys(world.host, target, 'open ').then(() => true), { describe: 'it is closed' });
    await gets(got, 'open ');
    await person.command(key);
    await person.terminal.until(shows, 'it again');
    await person.detach();
    await typeKeys(world.host, target, 'gone');
    await gets(got, 'open gone');
  },
);

test('if the program has ended, nothing is typed into other programs there', async () => {
  const { target } = await startProgram();
  const person = await attachPerson(world, target.id);
  const shell = await person.openShell();
  process.kill(target.pid, 'SIGKILL');
  await waitFor(
    () =>
      typeKeys(world.host, target, 'x').then(
        () => null,
        (error: { code?: string }) => error.code === 'no_such_window',
      ),
    {
      describe: 'it is refused',
    },
  );
  expect(shell()).toBe('');
});

/**
 * Returns a host whose queries reach Screen only while `answers` holds, a condition of the shell. Each of the others
 * waits forever, and adds a line with its process id to `asking`.
 */
function hostThatAnswers(answers: string): { host: ScreenHost; asking: string } {
  const { PATH = '' } = world.host.env;
  const [folder, asking] = [join(world.dir, 'bin'), join(world.dir, 'asking')];
  mkdirSync(folder);
  const wait = `case " $* " in *' -Q '*) ${answers} || { echo $$ >>'${asking}'; exec sleep 1000; } ;; esac`;
  writeFileSync(join(folder, 'screen'), `#!/bin/sh\n${wait}\nPATH='${PATH}' exec screen "$@"\n`, { mode: 0o755 });
  const host = { ...world.host, windows: new Map(), env: { ...world.host.env, PATH: `${folder}:${PATH}` } };
  return { host, asking };
}

test('a query that Screen does not answer ends on its own, although the process that asked was killed', async () => {
  const { target } = await startProgram();
  const { host, asking } = hostThatAnswers('false');
  await expect(pressEnter(host, target)).rejects.toMatchObject({ code: 'screen_unresponsive' });
  const asked = readFileSync(asking, 'utf8').trim().split('\n').map(Number);
  expect(asked).toContainEqual(expect.any(Number));
  await waitFor(() => asked.every((pid) => processNow(pid) === null), { describe: 'no query waits' });
});

test('a single query that Screen does not answer is repeated', async () => {
  const { target, got } = await startProgram();
  const { host, asking } = hostThatAnswers(`[ -e '${join(world.dir, 'asking')}' ]`);
  await pressEnter(host, target);
  await waitFor(() => got() === '\r', { describe: 'the program gets the Enter' });
  expect(readFileSync(asking, 'utf8').trim().split('\n')).toHaveLength(1);
});
