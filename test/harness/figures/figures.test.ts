import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../../scripts/root.mjs';
import type { Run } from '../../../scripts/test/run-file.mjs';
import { waitFor } from '../wait-for.ts';
import { createWorld, type World } from '../world.ts';
import { ProcessTimes, readTimes, recognizeClaude } from './process-times.ts';

const ABOUT_SECONDS = 0.3;
/** The kernel counts in hundredths of a second, for time in the program and in the kernel. */
const LEAST_SECONDS = ABOUT_SECONDS - 0.02;
/** Uses this much processor time, however long that takes. */
const BUSY = `while (process.cpuUsage().user + process.cpuUsage().system < ${ABOUT_SECONDS * 1e6});`;
const NOTHING = { pid: process.pid, own: 0, reaped: 0 };

function timesOf(world: World, isClaude: (pid: number) => boolean = () => false) {
  const times = new ProcessTimes({ isMarked: (mark) => mark === world.mark, isClaude });
  return { look: () => times.look(), used: (worker = NOTHING) => times.used(new Set([world.mark]), worker) };
}

test('the processor time of a world includes that of daemons, and of programs that nobody saw', async () => {
  await using world = createWorld();
  const times = timesOf(world);
  const busy = `${process.execPath} -e '${BUSY}'`;
  // One child ends before the first look, and its parent waits for it. The daemon is busy, and then stays.
  const script = `${busy}; setsid ${process.execPath} -e '${BUSY} setInterval(() => {}, 1e6)' & exec sleep 600`;
  const child = spawn('/bin/sh', ['-c', script], { env: world.env, stdio: 'ignore' });
  try {
    const daemon = await waitFor(
      () => {
        const living = world.processes();
        const hasWaited = living.some(({ pid, command }) => pid === child.pid && command === 'sleep 600');
        return hasWaited && living.find(({ pid }) => pid !== child.pid);
      },
      { describe: 'only the daemon and its parent are left', actual: () => world.processes() },
    );
    await waitFor(() => (readTimes(daemon.pid)?.own ?? 0) >= LEAST_SECONDS, { describe: 'the daemon was busy' });
    times.look();
    const { cpuSeconds } = times.used();
    expect(cpuSeconds).toBeGreaterThanOrEqual(2 * LEAST_SECONDS);
    expect(cpuSeconds).toBeLessThan(4 * ABOUT_SECONDS);
    // Once more after their end: nothing is lost, and nothing is counted twice.
    await world.dispose();
    times.look();
    expect(times.used().cpuSeconds).toBeCloseTo(cpuSeconds, 1);
  } finally {
    child.kill('SIGKILL');
  }
});

test('what a worker has waited for counts once, whether it was seen or not', async () => {
  await using world = createWorld();
  const times = timesOf(world);
  const before = readTimes('self');
  const child = spawn(process.execPath, ['-e', `${BUSY} process.stdin.resume()`], {
    env: world.env,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await waitFor(() => (readTimes(child.pid ?? -1)?.own ?? 0) >= LEAST_SECONDS, { describe: 'the child was busy' });
  times.look();
  const exited = once(child, 'exit');
  child.stdin.end();
  await exited;
  spawnSync(process.execPath, ['-e', BUSY], { env: world.env });
  times.look();
  const reaped = (readTimes('self')?.reaped ?? 0) - (before?.reaped ?? 0);
  expect(reaped).toBeGreaterThanOrEqual(2 * LEAST_SECONDS);
  expect(times.used({ pid: process.pid, own: 0, reaped }).cpuSeconds).toBeCloseTo(reaped, 1);
});

test('each start of Claude Code is counted once, but not a look at its version, a fork, or another program', async () => {
  await using world = createWorld();
  const claude = join(world.dir, 'claude');
  copyFileSync(process.execPath, claude);
  const times = timesOf(world, recognizeClaude(claude));
  const stay = 'setInterval(() => {}, 1e6)';
  const start = (program: string, ...args: string[]) => spawn(program, args, { env: world.env, stdio: 'ignore' });
  const fork = `require('child_process').spawn(process.execPath, ['-e', '${stay}'])`;
  // `--version` and then a program is not what a person types, but it stays long enough to be seen.
  const children = [start(claude, '-e', fork), start('/bin/sh', '-c', `exec '${claude}' -e '${stay}'`)];
  children.push(start(claude, '--version'), start('/bin/sleep', '600'));
  await waitFor(
    () => {
      times.look();
      return world.processes().length >= 4 && times.used().launches >= 2;
    },
    { describe: 'the programs run', actual: () => world.processes() },
  );
  times.look();
  expect(times.used().launches).toBe(2);
  await world.dispose();
  times.look();
  expect(times.used().launches).toBe(2);
  for (const child of children) child.kill('SIGKILL');
});

const NESTED = `
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { removeBeforeRetry } from '${ROOT}/test/harness/attempts.ts';
import { createWorld } from '${ROOT}/test/harness/world.ts';
test('works', async () => {
  await using world = createWorld();
  spawnSync(process.execPath, ['-e', ${JSON.stringify(BUSY)}], { env: world.env });
});
test('is in quarantine and fails', () => expect('it rains').toBe('sun'));
test('is in quarantine and passes', () => expect(1).toBe(1));
const exists = new Set(['from before']);
removeBeforeRetry(async () => exists.clear());
let tries = 0;
test('is retried without what its first attempt left', { retry: 1 }, () => {
  expect([...exists]).toEqual(['from before']);
  exists.add('from the first attempt');
  removeBeforeRetry(() => Promise.reject(new Error('the server has ended')));
  removeBeforeRetry(async () => exists.delete('from the first attempt'));
  expect(++tries).toBe(2);
});
`;

test('a run reports what each file used, what was retried, and what failed in quarantine, which fails nothing', async () => {
  await using world = createWorld();
  mkdirSync(join(ROOT, 'build'), { recursive: true });
  const root = mkdtempSync(join(ROOT, 'build', 'nested-'));
  world.onDispose(() => rmSync(root, { recursive: true, force: true }));
  const file = join(world.dir, 'run.json');
  const harness = join(ROOT, 'test', 'harness');
  const config = {
    test: {
      include: ['*.test.ts'],
      pool: 'forks',
      globalSetup: [join(harness, 'global-setup.ts')],
      setupFiles: [join(harness, 'retries.ts')],
      runner: join(harness, 'figures', 'runner.ts'),
      reporters: [[join(harness, 'figures', 'reporter.ts'), { file }]],
    },
  };
  mkdirSync(join(root, 'test'));
  const rows = ['fails', 'passes'].map((what) => ({ test: `nested.test.ts > is in quarantine and ${what}` }));
  writeFileSync(join(root, 'test', 'quarantine.json'), JSON.stringify(rows));
  writeFileSync(join(root, 'nested.test.ts'), NESTED);
  writeFileSync(join(root, 'vitest.config.mjs'), `export default ${JSON.stringify(config)};`);
  const runNested = (env: NodeJS.ProcessEnv = {}) =>
    spawnSync(process.execPath, [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run'], {
      cwd: root,
      env: { ...world.env, ...env },
      encoding: 'utf8',
    });
  const { status, stdout, stderr } = runNested();
  expect(status, stdout + stderr).toBe(0);
  const run = JSON.parse(readFileSync(file, 'utf8')) as Run;
  expect(run).toEqual({
    files: { 'nested.test.ts': { wall: expect.any(Number), cpu: expect.any(Number), launches: 0 } },
    retried: [
      {
        test: 'nested.test.ts > is retried without what its first attempt left',
        failure: expect.stringContaining('expected 1 to be 2'),
      },
    ],
    quarantined: [
      { test: rows[0]?.test, failure: expect.stringContaining("expected 'it rains' to be 'sun'") },
      { test: rows[1]?.test, failure: null },
    ],
    errors: 0,
  });
  const { wall = 0, cpu = 0 } = run.files['nested.test.ts'] ?? {};
  expect(cpu).toBeGreaterThanOrEqual(LEAST_SECONDS);
  expect(wall).toBeGreaterThanOrEqual(LEAST_SECONDS);
  // `npm run again` counts such a failure.
  expect(runNested({ CBOS_QUARANTINE: 'off' }).status).toBe(1);
  expect((JSON.parse(readFileSync(file, 'utf8')) as Run).quarantined).toEqual([]);
});
