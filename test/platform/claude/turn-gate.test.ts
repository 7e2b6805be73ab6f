import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
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

/** Runs the very command that Claude Code runs before a tool. */
function fire(command: string, launch = 'launch-1'): ChildProcess {
  const env = { ...world.env, CBOS_SPOOL: dir, CBOS_SESSION: launch };
  const child = spawn('/bin/sh', ['-c', command], { env, stdio: ['pipe', 'inherit', 'inherit'] });
  child.stdin.end('{"hook_event_name":"PreToolUse"}');
  return child;
}
const dropped = (): string[] => readdirSync(dir).filter((name) => name.endsWith('.json'));
const isOver = (child: ChildProcess): boolean => child.exitCode !== null;
const ended = async (child: ChildProcess): Promise<void> => {
  if (!isOver(child)) await once(child, 'exit');
  expect(child.exitCode).toBe(0);
};

describe('the gate before tools and the end of a turn', () => {
  test('lets the payload through at once and the tool when the server lets go', async () => {
    const release = holdTurn(dir, 'launch-1');
    const held = fire(TOOL_HOOK_COMMAND);
    await waitFor(() => dropped().length === 1, { describe: 'the payload is in the spool' });
    // Others pass meanwhile: another session's tool, and what is no tool.
    await ended(fire(TOOL_HOOK_COMMAND, 'launch-2'));
    await ended(fire(HOOK_COMMAND));
    expect(isOver(held)).toBe(false);
    release();
    await ended(held);
    await ended(fire(TOOL_HOOK_COMMAND));
    expect(dropped()).toHaveLength(4);
  });

  test('keeps the end of a turn from the server too, till that lets go', async () => {
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

  test('opens by itself after some seconds, whatever the server does', async () => {
    holdTurn(dir, 'launch-1');
    const startedAt = performance.now();
    await ended(fire(TOOL_HOOK_COMMAND));
    expect(performance.now() - startedAt).toBeGreaterThan(4_000);
  });

  test('is put up again where the spool was removed and made anew', async () => {
    const gates = createTurnGates(dir);
    // Whoever types while the spool is missing makes it.
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

  test('holds on where its file alone was removed, once it is put up again', async () => {
    const gates = createTurnGates(dir);
    const release = gates.hold('launch-1');
    const held = fire(TOOL_HOOK_COMMAND);
    await waitFor(() => dropped().length === 1, { describe: 'the payload is in the spool' });
    for (let time = 0; time < 5; time += 1) {
      rmSync(join(dir, '.gate.launch-1'));
      // As long as the server takes to hear of it; then the hook looks several times.
      await delay(20);
      gates.renew();
      await delay(200);
    }
    expect(isOver(held)).toBe(false);
    release();
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
