import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { findMarked, folderPrefix } from './marked-processes.mjs';
import { newRunId, RUN_VARIABLE } from './run-id.ts';
import { waitFor } from './wait-for.ts';
import { createWorld } from './world.ts';

const HARNESS = fileURLToPath(new URL('.', import.meta.url));
const ROOT = join(HARNESS, '../..');

describe('a world', () => {
  test('has short private directories and an environment from an allow-list', async () => {
    await using world = createWorld();
    for (const dir of [world.dir, world.home, world.screenDir, world.streamDir, world.projectDir]) {
      expect(statSync(dir).mode & 0o777, dir).toBe(0o700);
    }
    expect(world.screenDir.length).toBeLessThan(30);
    expect(world.env.CBOS_PORT, 'a port from the kernel').toBe('0');
    expect(Object.keys(world.env).sort()).toMatchInlineSnapshot(`
      [
        "CBOS_HOME",
        "CBOS_PORT",
        "CBOS_STREAM_STREAM_DIR",
        "HOME",
        "LANG",
        "PATH",
        "SCREENDIR",
        "SHELL",
        "TERM",
        "TEST_WORLD",
        "TMPDIR",
        "USER",
      ]
    `);
  });

  test('ends all its own processes, daemons too, and no others', async () => {
    const other = createWorld();
    const world = createWorld();
    try {
      const daemon = 'setsid sleep 600 & setsid sleep 600 & exit 0';
      const [mine, others] = [world, other].map(({ env }) =>
        spawn('/bin/sh', ['-c', daemon], { env, stdio: 'ignore' }),
      );
      await Promise.all([mine, others].map((child) => child && once(child, 'exit')));
      await waitFor(() => world.processes().length === 2 && other.processes().length === 2, {
        describe: 'two daemons run in each world',
      });
      await world.dispose();
      expect(world.processes()).toEqual([]);
      expect(existsSync(world.dir)).toBe(false);
      expect(other.processes()).toHaveLength(2);
    } finally {
      await Promise.all([world.dispose(), other.dispose()]);
    }
  });
});

test('a process that dropped the mark belongs to the world of its folders', async () => {
  const world = createWorld();
  try {
    const env = { PATH: world.env.PATH ?? '', HOME: join(world.temporary, 'demo', 'home') };
    const child = spawn('/bin/sh', ['-c', 'setsid sleep 600 & exit 0'], { env, stdio: 'ignore' });
    await once(child, 'exit');
    await waitFor(() => world.processes().length === 1, { describe: 'the daemon runs' });
  } finally {
    await world.dispose();
  }
  expect(world.processes()).toEqual([]);
});

test('waitFor reports what it waited for and the actual state', async () => {
  await expect(
    waitFor(() => null, { describe: 'the moon is blue', timeoutMs: 20, actual: () => 'grey' }),
  ).rejects.toThrow('timed out after 20 ms, waiting until the moon is blue; there is: grey');
  await expect(
    waitFor(() => null, { describe: 'it rains', timeoutMs: 20, actual: () => Promise.resolve('sun') }),
  ).rejects.toThrow('timed out after 20 ms, waiting until it rains; there is: sun');
  await expect(
    waitFor(() => null, { describe: 'it rains', timeoutMs: 20, actual: () => Promise.reject(new Error('night')) }),
  ).rejects.toThrow('there is: nothing that could be read (Error: night)');
});

/** Runs vitest on a separate test file, as a process that a test can kill. */
function runVitest(source: string) {
  const world = createWorld();
  // The directory is inside the project, where packages are found, but in a place where no other test run looks for
  // test files.
  mkdirSync(join(ROOT, 'build'), { recursive: true });
  const root = mkdtempSync(join(ROOT, 'build', 'nested-'));
  world.onDispose(() => rmSync(root, { recursive: true, force: true }));
  const said = join(world.dir, 'said');
  const config = { test: { include: ['*.test.ts'], pool: 'forks', globalSetup: [join(HARNESS, 'global-setup.ts')] } };
  writeFileSync(join(root, 'nested.test.ts'), source);
  writeFileSync(join(root, 'vitest.config.mjs'), `export default ${JSON.stringify(config)};`);
  const child = spawn(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=dot'], {
    cwd: root,
    env: { ...world.env, SAID: said },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return { world, child, said, output: () => output };
}

const LEAVES_A_DAEMON = `
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { test } from 'vitest';
import { createWorld } from '${HARNESS}/world.ts';
test('leaves a daemon', async () => {
  const world = createWorld();
  spawn('/usr/bin/sleep', ['600'], { env: world.env, stdio: 'ignore', detached: true }).unref();
  writeFileSync(process.env.SAID, world.mark);
  HANG
});
`;

describe('a run of the tests', () => {
  test('fails and names the test if a test left something behind, and cleans it up', async () => {
    const { world, child, said, output } = runVitest(LEAVES_A_DAEMON.replace('HANG', ''));
    try {
      const [code] = await once(child, 'exit');
      const run = String(readFileSync(said, 'utf8').split('.')[0]);
      expect(output()).toContain('tests left something behind');
      expect(output()).toContain('/usr/bin/sleep 600');
      expect(code).not.toBe(0);
      expect(findMarked((mark) => mark.startsWith(`${run}.`))).toEqual([]);
    } finally {
      await world.dispose();
    }
  });

  test('leaves nothing behind when it is killed with SIGKILL', async () => {
    const { world, child, said, output } = runVitest(
      LEAVES_A_DAEMON.replace('HANG', 'await new Promise((resolve) => setTimeout(resolve, 60_000));'),
    );
    try {
      const mark = await waitFor(() => (existsSync(said) && readFileSync(said, 'utf8')) || null, {
        describe: 'the nested test runs',
        timeoutMs: 20_000,
        actual: output,
      });
      const run = String(mark.split('.')[0]);
      const living = () => findMarked((other) => other === mark);
      await waitFor(() => living().length > 0, { describe: 'the daemon runs' });
      child.kill('SIGKILL');
      await waitFor(() => living().length === 0, { describe: 'the watchdog ended the daemon', actual: living });
      await waitFor(() => readdirSync(world.temporary).every((name) => !name.startsWith(folderPrefix(run))), {
        describe: "the watchdog removed the run's folders",
      });
    } finally {
      await world.dispose();
    }
  });
});

test('run ids are short and unique', () => {
  expect(newRunId()).toMatch(/^[0-9a-z]{6}$/);
  expect(newRunId()).not.toBe(newRunId());
  expect(process.env[RUN_VARIABLE]).toMatch(/^[0-9a-z]{5}$/);
});
