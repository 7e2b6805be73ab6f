import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  descendantsOf,
  endTree,
  findMarked,
  isAlive,
  listProcesses,
  type ProcessInfo,
  parseStat,
  readMemory,
  readProcess,
  runProgram,
} from '../../../src/platform/process/index.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorld } from '../../harness/world.ts';

let world: ReturnType<typeof createWorld>;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.dispose());

function start(command: string, args: readonly string[] = [], env: Record<string, string> = {}): ChildProcess {
  return spawn(command, args, { env: { ...world.env, ...env }, cwd: world.projectDir, stdio: 'ignore' });
}

async function infoOf(child: ChildProcess): Promise<ProcessInfo> {
  const info = await readProcess(child.pid ?? -1);
  if (info === null) throw new Error('the process is gone');
  return info;
}

/** Starts a shell line and waits until it has created the file `ready`. */
async function startReady(line: string, env: Record<string, string> = {}): Promise<ChildProcess> {
  const child = start('sh', ['-c', line], env);
  await waitFor(() => readFileSync(join(world.projectDir, 'ready'), 'utf8') === 'ready\n', { describe: 'it is ready' });
  return child;
}

test('a stat line is read whatever the name of the process is', () => {
  const rest = 'S 7 1 1 0 -1 4194560 100 0 0 0 12 30 0 0 20 0 1 0 987654 1 2 3';
  for (const comm of ['sleep', 'a b', ') S 1 (', '((x))', ') ', 'tab\there']) {
    expect(parseStat(`42 (${comm}) ${rest}`)).toEqual({
      pid: 42,
      ppid: 7,
      startTime: '987654',
      state: 'S',
      comm,
      cpuTicks: 42,
    });
  }
  for (const broken of ['', '42', '42 (sleep', `42 (sleep) S 7`]) expect(parseStat(broken)).toBeNull();
});

test('a real process with parentheses in its name is found, alive, and gone after its end', async () => {
  const program = join(world.projectDir, 'x) S 1 (y');
  writeFileSync(program, '#!/bin/sh\nwhile :; do sleep 1000; done\n');
  chmodSync(program, 0o700);
  const child = start(program);
  const info = await waitFor(
    async () => (await listProcesses()).find((one) => one.pid === child.pid && one.comm === 'x) S 1 (y'),
    { describe: 'it is listed' },
  );
  expect(info.ppid).toBe(process.pid);
  expect(await isAlive(info)).toBe(true);
  expect(await isAlive({ pid: info.pid, startTime: `${Number(info.startTime) - 1}` })).toBe(false);
  // A process that has just begun has no memory of its own yet.
  await waitFor(async () => ((await readMemory(info.pid)) ?? 0) > 100_000, { describe: 'it has memory' });
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await isAlive(info)).toBe(false);
  expect(await readProcess(info.pid)).toBeNull();
  expect(await readMemory(info.pid)).toBeNull();
});

test('a zombie is not alive', async () => {
  // The child ends once its parent has become `sleep`. Unlike a shell, `sleep` never waits for its children.
  await startReady('(until grep -q sleep /proc/$$/comm; do :; done) & echo ready > ready; exec sleep 1000');
  const zombie = await waitFor(
    async () => {
      const own = world.processes();
      const candidates = await Promise.all(
        own.map(async (one) => {
          for (const pid of await childrenIncludingZombies(one.pid)) {
            const info = await readProcess(pid);
            if (info?.state === 'Z') return info;
          }
          return null;
        }),
      );
      return candidates.find((info) => info !== null);
    },
    { describe: 'there is a zombie' },
  );
  expect(await isAlive(zombie)).toBe(false);
  expect((await listProcesses()).some((info) => info.pid === zombie.pid)).toBe(false);
});

async function childrenIncludingZombies(pid: number): Promise<number[]> {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

test('descendants are found at every depth, the mark by its exact value', async () => {
  const child = await startReady('sh -c "sleep 1000 & echo ready > ready; wait" & wait', { CBOS_SESSION: 'one' });
  const decoys = [
    start('sleep', ['1000'], { CBOS_SESSION: 'one2' }),
    start('sleep', ['1000'], { XCBOS_SESSION: 'one' }),
  ];
  expect((await descendantsOf([child.pid ?? -1])).map((info) => info.comm)).toEqual(['sh', 'sleep']);
  const marked = await findMarked({ name: 'CBOS_SESSION', value: 'one' });
  expect(marked.map((info) => info.pid)).toContain(child.pid);
  expect(marked).toHaveLength(3);
  for (const decoy of decoys) expect(marked.map((info) => info.pid)).not.toContain(decoy.pid);
});

test('the first process is asked alone and gets time to finish its work', async () => {
  const child = await startReady(
    `trap 'kill -0 $! && echo child alive > log; exit 0' TERM; sleep 1000 & echo ready > ready; wait`,
    { CBOS_SESSION: 'polite' },
  );
  const info = await infoOf(child);
  const result = await endTree({ roots: [info], first: info, mark: { name: 'CBOS_SESSION', value: 'polite' } });
  expect(result.left).toEqual([]);
  expect(readFileSync(join(world.projectDir, 'log'), 'utf8')).toBe('child alive\n');
  expect(world.processes()).toEqual([]);
});

test('a process that ignores every signal, is stopped, has lost its parent or left its process group ends too', async () => {
  const child = await startReady(
    [
      `sh -c "trap '' TERM HUP; while :; do sleep 0.05; done" &`,
      'sleep 1000 & kill -STOP $!',
      'sh -c "setsid sleep 1000 &"',
      'setsid sh -c "sleep 1000 & sleep 1000" &',
      'echo ready > ready; wait',
    ].join('\n'),
    { CBOS_SESSION: 'stubborn' },
  );
  const info = await infoOf(child);
  const result = await endTree({
    roots: [info],
    first: info,
    mark: { name: 'CBOS_SESSION', value: 'stubborn' },
    graceMs: 200,
  });
  expect(result.left).toEqual([]);
  expect(result.ended.length).toBeGreaterThanOrEqual(5);
  expect(world.processes()).toEqual([]);
});

test('children that are forked while the tree ends are found and ended', async () => {
  const child = await startReady(
    `trap '' TERM; n=0; while [ $n -lt 2000 ]; do (trap '' TERM; setsid sleep 1000) & n=$((n+1)); [ $n -eq 5 ] && echo ready > ready; sleep 0.01; done`,
    { CBOS_SESSION: 'forking' },
  );
  const result = await endTree({ roots: [await infoOf(child)], mark: { name: 'CBOS_SESSION', value: 'forking' } });
  expect(result.left).toEqual([]);
  expect(world.processes()).toEqual([]);
});

test('a pid that now belongs to another process is never signalled', async () => {
  const child = start('sleep', ['1000']);
  const info = await infoOf(child);
  const stale = { pid: info.pid, startTime: `${Number(info.startTime) - 1}` };
  const result = await endTree({ roots: [stale], first: stale });
  expect(result.left).toEqual([]);
  expect(await isAlive(info)).toBe(true);
});

test('a program that is missing, hangs or fails is a result, not an exception', async () => {
  const options = { env: world.env, timeoutMs: 5_000 };
  expect(await runProgram('no-such-program', [], options)).toMatchObject({ outcome: 'not_found', code: null });
  expect(await runProgram('sleep', ['1000'], { ...options, timeoutMs: 50 })).toMatchObject({ outcome: 'timed_out' });
  expect(await runProgram('sh', ['-c', 'echo out; echo err >&2; exit 3'], options)).toEqual({
    outcome: 'exited',
    code: 3,
    stdout: 'out\n',
    stderr: 'err\n',
  });
  const detached = await runProgram('sh', ['-c', 'sleep 1000 & echo done'], options);
  expect(detached).toMatchObject({ code: 0, stdout: 'done\n' });
});
