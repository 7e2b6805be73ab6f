import { existsSync, readFileSync, renameSync, statSync, truncateSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseTiming } from '../../../src/core/recording/index.ts';
import {
  attachCommand,
  findForeign,
  isCertainlyClaude,
  isClaudeProcess,
  isLogging,
  listScreens,
  pointLog,
  readHardcopy,
  readTerminalSize,
  renameScreen,
  resizeScreen,
  startLog,
  typeKeys,
} from '../../../src/platform/gnu-screen/index.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { attachPerson, openScreenWorld, type ScreenWorld, startForeign } from './screen-world.ts';

let world: ScreenWorld;
beforeEach(async () => {
  world = await openScreenWorld();
});
afterEach(() => world.dispose());

test('a resize reaches the program and the recording, and leaves nobody attached', async () => {
  const { screenId, agent } = await world.launch({
    name: 'Sized',
    command: ['sh', '-c', `trap 'stty size' WINCH; echo ready; while :; do sleep 0.02; done`],
  });
  await waitFor(() => world.output('Sized').includes('ready'), { describe: 'it is ready' });
  for (const [cols, rows] of [
    [160, 45],
    [60, 18],
  ] as const) {
    await resizeScreen(world.host, { id: screenId, pid: agent.pid }, { cols, rows });
    expect(await readTerminalSize(world.host, agent.pid)).toEqual({ cols, rows });
    expect(await listScreens(world.host)).toMatchObject([{ id: screenId, attached: false }]);
    await waitFor(() => world.output('Sized').includes(`${rows} ${cols}\r\n`), { describe: 'the program noticed' });
  }
  const { entries } = parseTiming(readFileSync(world.recording('Sized').timing, 'utf8'));
  expect(entries.filter((entry) => entry.kind === 'resize').at(-1)).toMatchObject({ cols: 60, rows: 18 });
});

test('while a person is attached, the size is theirs', async () => {
  const { screenId, agent } = await world.launch({ name: 'Attached', command: ['sleep', '1000'] });
  await attachPerson(world, screenId);
  const size = await readTerminalSize(world.host, agent.pid);
  await expect(
    resizeScreen(world.host, { id: screenId, pid: agent.pid }, { cols: 160, rows: 45 }),
  ).rejects.toMatchObject({
    code: 'screen_attached',
  });
  expect(await readTerminalSize(world.host, agent.pid)).toEqual(size);
});

test('a rename gives a new id that works, and the old one is gone', async () => {
  const { screenId, daemon } = await world.launch({ name: 'Old', command: ['cat'] });
  const renamed = await renameScreen(world.host, { id: screenId }, 'New');
  expect(renamed).toBe(`${daemon.pid}.New`);
  expect(await renameScreen(world.host, { id: renamed }, 'New')).toBe(renamed);
  expect((await listScreens(world.host)).map((session) => session.id)).toEqual([renamed]);
  await typeKeys(world.host, { id: renamed }, 'hello');
  await waitFor(() => world.output('Old').includes('hello'), { describe: 'it takes keys under its new name' });
  await expect(renameScreen(world.host, { id: screenId }, 'Other')).rejects.toMatchObject({ code: 'no_such_screen' });
  await expect(renameScreen(world.host, { id: renamed }, 'N'.repeat(100))).rejects.toMatchObject({
    code: 'path_too_long',
  });
});

test('a session that something else started is found with its window and directory, and recorded from then on', async () => {
  const claude = world.installStandIn('claude', `printf 'before '; read line; echo "got $line"; exec cat`);
  const id = await startForeign(world, { name: 'theirs', command: [claude], cwd: world.project('their place') });
  await startForeign(world, { name: 'editor', command: ['sleep', '1000'] });
  await world.launch({ name: 'Ours', command: [claude] });
  const ours = new Set((await listScreens(world.host)).filter((one) => one.name === 'Ours').map((one) => one.id));
  const [found, ...others] = await waitFor(
    async () => {
      const foreign = await findForeign(world.host, ours);
      return foreign.length > 0 && foreign;
    },
    { describe: 'it is found' },
  );
  expect(others).toEqual([]);
  expect(found).toMatchObject({
    screen: { id, name: 'theirs', state: 'detached' },
    claude: { window: '0', cwd: join(world.dir, 'their place') },
  });

  const file = join(world.project("odd $HOME %n ^c 'dir'"), 'log.typescript');
  expect(await isLogging(found?.screen.pid ?? 0, file)).toBe(false);
  await startLog(world.host, { id, window: '0' }, file);
  expect(await isLogging(found?.screen.pid ?? 0, file)).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await typeKeys(world.host, { id }, 'yes ❯\r');
  await waitFor(() => readFileSync(file, 'utf8').includes('got yes ❯\r\n'), {
    describe: 'its output is recorded',
    actual: () => readFileSync(file, 'utf8'),
  });
  const moved = `${file}.moved`;
  renameSync(file, moved);
  await typeKeys(world.host, { id }, 'after the move\r');
  await waitFor(() => readFileSync(moved, 'utf8').includes('after the move'), {
    describe: 'it continues after a rename',
  });
  expect(existsSync(file)).toBe(false);
  // The file is now shorter than what Screen wrote, as on a full disk. Screen then opens it again by its name.
  await pointLog(world.host, { pid: found?.screen.pid ?? 0 }, moved);
  truncateSync(moved);
  await typeKeys(world.host, { id }, 'after the cut\r');
  await waitFor(() => readFileSync(moved, 'utf8').includes('after the cut'), { describe: 'it continues after a cut' });
  expect(existsSync(file)).toBe(false);
});

test('an unrecorded session shows the content of its screen', async () => {
  const id = await startForeign(world, { name: 'shown', command: ['sh', '-c', 'seq 50; echo "last line"; exec cat'] });
  const text = await waitFor(
    async () => {
      const copy = await readHardcopy(world.host, { id }, true);
      return copy.includes('last line') && copy;
    },
    { describe: 'the screen is read' },
  );
  expect(text.trim().split('\n').slice(-3)).toEqual(['49', '50', 'last line']);
  expect(text).toContain('\n3\n');
});

test('the attach command attaches', async () => {
  const { screenId } = await world.launch({ name: 'A', command: ['sleep', '1000'] });
  expect(attachCommand(screenId)).toEqual(['screen', '-U', '-x', screenId]);
  await attachPerson(world, screenId);
  expect((await listScreens(world.host))[0]?.attached).toBe(true);
});

test('interactive Claude Code is distinguished from its helpers and from everything else', () => {
  const look = (argv: string[], comm = basename(argv[0] ?? '').slice(0, 15)) => isClaudeProcess({ argv, comm });
  const npm = '/usr/lib/node_modules/@anthropic-ai/claude-code';
  for (const argv of [
    ['claude'],
    ['claude', '--settings', '/x.json', '--resume', 'id'],
    ['/root/.local/bin/claude', 'a first prompt'],
    ['/w/node_modules/@anthropic-ai/claude-code-linux-x64/claude'],
    ['node', `${npm}/cli.js`],
    ['/usr/bin/node', '--no-warnings', '--enable-source-maps', `${npm}/cli.js`, '--continue'],
    ['node', '/usr/local/bin/claude'],
  ]) {
    expect([argv, look(argv)]).toEqual([argv, true]);
  }
  // Versions before 2.1 overwrite their argument vector.
  expect(look(['claude', '', ''], 'node')).toBe(true);
  for (const argv of [
    [],
    ['vim', 'claude'],
    ['node', 'server.js', 'claude'],
    ['sh', '-c', 'claude'],
    ['claude', '-p', 'x'],
    ['claude', 'mcp', 'serve'],
    ['claude', '--model', 'opus', '--print'],
    ['node', `${npm}/cli.js`, '--print', 'x'],
    ['node', `${npm}/vendor/x`],
    ['claude-monitor'],
    ['/home/claude/bin/run'],
  ]) {
    expect([argv, look(argv)]).toEqual([argv, false]);
  }
  // A wrapper that is a script. The kernel names its process after the script.
  expect(look(['/bin/sh', '/home/me/bin/claude', '--resume', 'id'], 'claude')).toBe(false);
  expect(look(['/usr/bin/python3', '-u', '/home/me/bin/claude'], 'claude')).toBe(false);
  expect(isCertainlyClaude({ argv: ['node', '/home/me/bin/claude'], comm: 'node' })).toBe(false);
  expect(isCertainlyClaude({ argv: ['node', `${npm}/cli.js`], comm: 'node' })).toBe(true);
});
