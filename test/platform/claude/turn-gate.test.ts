import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createTurnGates,
  HOOK_COMMAND,
  holdTurn,
  removeGates,
  STOP_HOOK_COMMAND,
  TOOL_HOOK_COMMAND,
} from '../../../src/platform/claude/index.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;
let dir: string;

beforeEach(() => {
  world = createWorld();
  dir = join(world.cbosHome, 'hooks');
  mkdirSync(dir, { recursive: true });
});
afterEach(() => world.dispose());

/** Runs the exact command that Claude Code runs before a tool. */
function fire(command: string, launch = 'launch-1', extraEnv: Record<string, string> = {}): ChildProcess {
  const env = { ...world.env, CBOS_SPOOL: dir, CBOS_SESSION: launch, ...extraEnv };
  const child = spawn('/bin/sh', ['-c', command], { env, stdio: ['pipe', 'inherit', 'inherit'] });
  // A command that needs no input may end without reading it.
  child.stdin.on('error', () => undefined).end('{"hook_event_name":"PreToolUse"}');
  return child;
}
const dropped = (): string[] => readdirSync(dir).filter((name) => name.endsWith('.json'));
const isOver = (child: ChildProcess): boolean => child.exitCode !== null;
const ended = async (child: ChildProcess): Promise<void> => {
  if (!isOver(child)) await once(child, 'exit');
  expect(child.exitCode).toBe(0);
};

/**
 * Between two checks a hook sleeps. Here its `sleep` ends when the test requests it, so that no timer races against a
 * shell.
 */
function steppedSleep(): { env: Record<string, string>; begun(): number; wake(): void } {
  const bin = join(world.dir, 'stepped');
  const [log, fifo] = [join(bin, 'log'), join(bin, 'fifo')];
  mkdirSync(bin);
  spawnSync('/usr/bin/mkfifo', [fifo]);
  writeFileSync(log, '');
  // Opened for reading too, so that neither side waits until the other opens it.
  const line = openSync(fifo, 'r+');
  world.onDispose(() => closeSync(line));
  writeFileSync(join(bin, 'sleep'), `#!/bin/sh\necho >>'${log}'\nread -r line <'${fifo}'\n`, { mode: 0o755 });
  return {
    env: { PATH: `${bin}:${world.env.PATH}` },
    begun: () => readFileSync(log, 'utf8').length,
    wake: () => void writeSync(line, 'on\n'),
  };
}

describe('the gate before tools and the end of a turn', () => {
  test('lets the payload through at once, and the tool when the server releases the gate', async () => {
    const release = holdTurn(dir, 'launch-1');
    const held = fire(TOOL_HOOK_COMMAND);
    await waitFor(() => dropped().length === 1, { describe: 'the payload is in the spool' });
    // Other hooks pass at the same time: a tool of another session, and an event that is not a tool call.
    await ended(fire(TOOL_HOOK_COMMAND, 'launch-2'));
    await ended(fire(HOOK_COMMAND));
    expect(isOver(held)).toBe(false);
    release();
    await ended(held);
    await ended(fire(TOOL_HOOK_COMMAND));
    expect(dropped()).toHaveLength(4);
  });

  test('also hides the end of a turn from the server until the gate is released', async () => {
    const release = holdTurn(dir, 'launch-1');
    const held = fire(STOP_HOOK_COMMAND);
    await ended(fire(STOP_HOOK_COMMAND, 'launch-2'));
    expect(isOver(held)).toBe(false);
    expect(dropped()).toEqual([expect.stringContaining('.launch-2.')]);
    release();
    await ended(held);
    expect(dropped()).toHaveLength(2);
  });

  test('does not hold a tool for a server that has died', async () => {
    const dead = spawnSync('/bin/true').pid;
    const release = holdTurn(dir, 'launch-1', dead);
    await ended(fire(TOOL_HOOK_COMMAND));
    release();
  });

  test('opens automatically after 20 s, whatever the server does', async () => {
    holdTurn(dir, 'launch-1');
    // A `sleep` that writes down how long it would take, and takes no time.
    const bin = join(world.dir, 'hasty');
    mkdirSync(bin);
    writeFileSync(join(bin, 'sleep'), `#!/bin/sh\necho $1 >>'${bin}/log'\n`, { mode: 0o755 });
    await ended(fire(TOOL_HOOK_COMMAND, 'launch-1', { PATH: `${bin}:${world.env.PATH}` }));
    const naps = readFileSync(join(bin, 'log'), 'utf8').trim().split('\n').map(Number);
    expect(naps.reduce((sum, seconds) => sum + seconds, 0)).toBeCloseTo(20);
  });

  test('is set up again if the spool was removed and created again', async () => {
    const gates = createTurnGates(dir);
    // Holding a gate while the spool is missing creates the spool.
    rmSync(dir, { recursive: true });
    const release = gates.hold('launch-1');
    rmSync(dir, { recursive: true });
    gates.renew();
    const held = fire(TOOL_HOOK_COMMAND);
    await waitFor(() => dropped().length === 1, { describe: 'the payload is in the spool' });
    expect(isOver(held)).toBe(false);
    release();
    await ended(held);
    rmSync(dir, { recursive: true });
    gates.renew();
    expect(existsSync(dir)).toBe(false);
  });

  test('keeps holding after its file was removed, once it is created again', async () => {
    const gates = createTurnGates(dir);
    const release = gates.hold('launch-1');
    const sleep = steppedSleep();
    const held = fire(TOOL_HOOK_COMMAND, 'launch-1', sleep.env);
    let looks = 1;
    const untilItSleeps = () =>
      waitFor(() => sleep.begun() === looks || isOver(held), { describe: 'the hook has looked and sleeps' });
    const look = async (): Promise<void> => {
      sleep.wake();
      looks += 1;
      await untilItSleeps();
    };
    await untilItSleeps();
    for (let time = 0; time < 5; time += 1) {
      rmSync(join(dir, '.gate.launch-1'));
      // The hook finds the gate gone before the server has noticed that, and then finds it again.
      await look();
      gates.renew();
      await look();
      await look();
    }
    expect(isOver(held)).toBe(false);
    release();
    // The gate is gone, and still gone at the next check.
    await look();
    sleep.wake();
    await ended(held);
    gates.renew();
    expect(existsSync(join(dir, '.gate.launch-1'))).toBe(false);
  });

  test('that a former server left behind is removed', async () => {
    holdTurn(dir, 'launch-1');
    removeGates(dir);
    expect(existsSync(join(dir, '.gate.launch-1'))).toBe(false);
    await ended(fire(TOOL_HOOK_COMMAND));
  });
});
