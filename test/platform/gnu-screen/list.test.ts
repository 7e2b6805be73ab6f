import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  listScreens,
  openScreenHost,
  parseScreenId,
  parseScreenLs,
  readScreen,
  type ScreenState,
  watchScreens,
  wipeScreen,
} from '../../../src/platform/gnu-screen/index.ts';
import { runProgram } from '../../../src/platform/process/index.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { attachPerson, openScreenWorld, type ScreenWorld, startForeign } from './screen-world.ts';

let world: ScreenWorld;
beforeEach(async () => {
  world = await openScreenWorld();
});
afterEach(() => world.dispose());

test('every format and state of `screen -ls` is read', () => {
  const debian = [
    'There are screens on:',
    '\t101.AUTH\t(11/21/26 09:25:44)\t(Attached)',
    '\t102.a.b c\t(21.11.2026 09:25:44)\t(Detached)',
    '\t103.multi\t(2026年11月21日 09時25分44秒)\t(Multi, attached)',
    '\t104.gone\t(11/21/26 09:25:44)\t(Dead ???)',
    '\t105.far\t(11/21/26 09:25:44)\t(Remote or dead)',
    '\t106.hers\t(11/21/26 09:25:44)\t(Private)',
    '\t107.slow\t(11/21/26 09:25:44)\t(Unreachable)',
    '\t108.both\t(11/21/26 09:25:44)\t(Multi, detached)',
    "Remove dead screens with 'screen -wipe'.",
    '8 Sockets in /run/screen/S-user.',
    '',
  ];
  const states: [number, string, ScreenState][] = [
    [101, 'AUTH', 'attached'],
    [102, 'a.b c', 'detached'],
    [103, 'multi', 'attached'],
    [104, 'gone', 'dead'],
    [105, 'far', 'foreign'],
    [106, 'hers', 'foreign'],
    [107, 'slow', 'unresponsive'],
    [108, 'both', 'detached'],
  ];
  const sessions = states.map(([pid, name, state]) => ({ id: `${pid}.${name}`, pid, name, state }));
  const expected = { sessions, dir: '/run/screen/S-user' };
  expect(parseScreenLs(debian.join('\n'))).toEqual(expected);
  expect(parseScreenLs(debian.join('\r\n'))).toEqual(expected);
  const plain = debian.map((line) => line.replace(/\t\([^)]*\)(?=\t)/, ''));
  expect(parseScreenLs(plain.join('\n'))).toEqual(expected);
  expect(parseScreenLs('No Sockets found in /tmp/my.screens.\n\n')).toEqual({ sessions: [], dir: '/tmp/my.screens' });
  expect(parseScreenLs("Cannot make directory '/run/screen': Permission denied\n")).toEqual({
    sessions: [],
    dir: null,
  });
});

test('an id is a pid and a name, and nothing else is an id', () => {
  expect(parseScreenId('12.a.b')).toEqual({ pid: 12, name: 'a.b' });
  for (const wrong of ['', '12', '12.', '.a', 'a.12', '-1.a', '012.a', '1e3.a'])
    expect(parseScreenId(wrong)).toBeNull();
});

test('the socket directory shows the same as `screen -ls`: detached, attached, dead', async () => {
  const [one, two, three] = await Promise.all(
    ['One', 'Two', 'Three'].map((name) => world.launch({ name, command: ['sleep', '1000'] })),
  );
  if (!one || !two || !three) throw new Error('all were launched');
  const detach = await attachPerson(world, two.screenId);
  expect(await readScreen(world.host, two.screenId)).toMatchObject({ state: 'attached', attached: true });
  await expectSameAsScreen();
  await detach();
  await waitFor(async () => (await readScreen(world.host, two.screenId))?.attached === false, { describe: 'detached' });
  await expectSameAsScreen();
  process.kill(three.daemon.pid, 'SIGKILL');
  await waitFor(async () => (await readScreen(world.host, three.screenId))?.state === 'dead', { describe: 'dead' });
  expect((await listScreens(world.host)).map((session) => session.state).sort()).toEqual([
    'dead',
    'detached',
    'detached',
  ]);
  // Screen's own list is not compared here, because Screen 4.9.0 removes the socket of a dead daemon while it lists.
  await wipeScreen(world.host, one.screenId);
  await wipeScreen(world.host, three.screenId);
  expect((await listScreens(world.host)).map((session) => session.id).sort()).toEqual(
    [one.screenId, two.screenId].sort(),
  );
});

async function expectSameAsScreen(): Promise<void> {
  const ours = (await listScreens(world.host)).map(({ id, state }) => ({ id, state }));
  for (const locale of ['C', 'C.UTF-8']) {
    const env = { ...world.host.env, LC_ALL: locale };
    const { stdout } = await runProgram('screen', ['-ls'], { env, timeoutMs: 3_000 });
    const theirs = parseScreenLs(stdout).sessions.map(({ id, state }) => ({ id, state }));
    expect(ours).toEqual(theirs.sort((a, b) => Number.parseInt(a.id, 10) - Number.parseInt(b.id, 10)));
  }
}

test('a stopped daemon is reported as unresponsive at once, and the others are listed', async () => {
  const stopped = await world.launch({ name: 'Stopped', command: ['sleep', '1000'] });
  const other = await world.launch({ name: 'Other', command: ['sleep', '1000'] });
  process.kill(stopped.daemon.pid, 'SIGSTOP');
  await waitFor(async () => (await readScreen(world.host, stopped.screenId))?.state === 'unresponsive', {
    describe: 'it is stopped',
  });
  expect((await readScreen(world.host, other.screenId))?.state).toBe('detached');
});

test('a socket whose pid belongs to another program is dead, and a file that is not a socket is not a session', async () => {
  const { pid } = process;
  execFileSync('python3', ['-c', bindSocket(join(world.host.dir, `${pid}.Reused`))]);
  writeFileSync(join(world.host.dir, '1.file'), '');
  mkdirSync(join(world.host.dir, '1.dir'));
  expect(await listScreens(world.host)).toEqual([
    { id: `${pid}.Reused`, pid, name: 'Reused', state: 'dead', attached: false, daemon: null },
  ]);
});

function bindSocket(path: string): string {
  return `import socket; socket.socket(socket.AF_UNIX).bind(${JSON.stringify(path)})`;
}

test('a directory that does not exist has no sessions', async () => {
  expect(await listScreens({ dir: join(world.dir, 'none') })).toEqual([]);
});

test('without SCREENDIR the directory is the one that Screen itself names', async () => {
  const { SCREENDIR: _, ...env } = world.env;
  const host = await openScreenHost({ env, screenDir: null, runDir: join(world.dir, 'run'), tempDir: world.dir });
  const { stdout } = await runProgram('screen', ['-ls'], { env, timeoutMs: 3_000 });
  expect(stdout).toContain(` ${host.dir}.`);
  await expect(
    openScreenHost({
      env: { PATH: world.binWithout('screen') },
      screenDir: null,
      runDir: world.dir,
      tempDir: world.dir,
    }),
  ).rejects.toMatchObject({ code: 'screen_not_found' });
});

test('a private directory whose name Screen would expand is replaced by another', async () => {
  const host = await openScreenHost({
    env: world.env,
    screenDir: world.screenDir,
    runDir: join(world.dir, 'a $HOME^c'),
    tempDir: world.dir,
  });
  expect(host.exchangeDir).toMatch(/^[A-Za-z0-9/._-]+$/);
});

test('launch, attach, detach, rename by a user, and end are reported without a poll', async () => {
  let changes = 0;
  const stop = watchScreens(world.host.dir, () => {
    changes += 1;
  });
  world.onDispose(stop);
  const told = async (what: string) => {
    await waitFor(() => changes > 0, { describe: `${what} is told` });
    changes = 0;
  };
  await told('the start');
  const { screenId } = await world.launch({ name: 'Watched', command: ['sleep', '1000'] });
  await told('the launch');
  const detach = await attachPerson(world, screenId);
  await told('the attach');
  await detach();
  await told('the detach');
  await startForeign(world, { name: 'Theirs', command: ['sleep', '1000'] });
  await told('a foreign session');
  stop();
  changes = 0;
  await world.launch({ name: 'After', command: ['sleep', '1000'] });
  expect(changes).toBe(0);
});

test('a directory that is created later, or removed and created again, is watched as well', async () => {
  const dir = join(world.dir, 'later');
  let changes = 0;
  world.onDispose(
    watchScreens(dir, () => {
      changes += 1;
    }),
  );
  const expectTold = async (name: string) => {
    // The watch moves to the new directory on a separate event, so files are created until it notices one.
    let number = 0;
    changes = 0;
    await waitFor(
      () => {
        number += 1;
        writeFileSync(join(dir, `${number}.${name}`), '');
        return changes > 1;
      },
      { describe: `${name} is told` },
    );
  };
  mkdirSync(dir);
  await expectTold('first');
  rmSync(dir, { recursive: true });
  mkdirSync(dir);
  await expectTold('second');
  renameSync(dir, `${dir}.old`);
  mkdirSync(dir);
  await expectTold('third');
});
