import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  callReply,
  guardCalls,
  JSON_TOOL_HOOK_COMMAND,
  openReplyWaits,
  type ReplyWaits,
  TOOL_HOOK_COMMAND,
} from '../../../src/platform/claude/index.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;
let dir: string;
let waits: ReplyWaits;

beforeEach(() => {
  world = createWorld();
  dir = join(world.cbosHome, 'hooks');
  mkdirSync(dir, { recursive: true });
  waits = openReplyWaits(dir);
});
afterEach(() => world.dispose());

const call = (tool: string, input: object = { command: 'depot push' }): string =>
  JSON.stringify({ session_id: 's', cwd: '/', hook_event_name: 'PreToolUse', tool_name: tool, tool_input: input });

/** Runs the exact command that Claude Code runs before a tool. @returns what it prints */
async function fire(
  payload: string,
  { command = TOOL_HOOK_COMMAND, shell = '/bin/sh', path = '' } = {},
): Promise<string> {
  const env = { ...world.env, PATH: `${path}${world.env.PATH}`, CBOS_SPOOL: dir, CBOS_SESSION: 'launch-1' };
  const child = spawn(shell, ['-c', command], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  world.onDispose(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  // A command that needs no input may end without reading it.
  child.stdin.on('error', () => undefined).end(payload);
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(0);
  return printed;
}
const dropped = (): string[] => readdirSync(dir).filter((name) => name.endsWith('.json'));
const shown = (): Promise<unknown> => waitFor(() => dropped().length === 1, { describe: 'the call is shown' });
const idOf = (): string => (dropped()[0] ?? '').slice(0, -'.json'.length);
/** Returns the pid of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn('true');
  await once(child, 'close');
  return child.pid ?? -1;
}
const DECISION = /"permissionDecision":"(\w+)"/;
const decisionOf = (printed: string): string | undefined => DECISION.exec(printed)?.[1];

describe.each([['/bin/sh'], ['/bin/bash']])('in %s', (shell) => {
  test('without the guard nothing is read, awaited or printed', async () => {
    expect(await fire(call('Bash'), { shell })).toBe('');
    expect(readFileSync(join(dir, dropped()[0] ?? ''), 'utf8')).toBe(call('Bash'));
    expect(await fire(call('Bash'), { shell, command: JSON_TOOL_HOOK_COMMAND })).toBe('');
    expect(dropped()).toHaveLength(1);
  });

  test('a call that the guard names waits for the server, and prints its reply', async () => {
    guardCalls(dir, ['Bash', 'mcp__x__*']);
    const long = 'ü\\ "$x" `y`\n'.repeat(20_000);
    for (const tool of ['Bash', 'mcp__x__pay']) {
      const printing = fire(call(tool, { command: long }), { shell });
      await shown();
      expect(await waits.asked(idOf())).toMatchObject({ tool_name: tool, tool_input: { command: long } });
      const reply = callReply('deny', 'Größer, and "so" on.');
      expect(await waits.reply(idOf(), reply)).toBe(true);
      expect(JSON.parse(await printing)).toEqual(reply);
      expect(dropped()).toEqual([]);
    }
  });

  test('a call of another tool is only recorded, whatever its input contains', async () => {
    guardCalls(dir, ['Bash']);
    expect(await fire(call('Read', { file_path: '"tool_name":"Bash"' }), { shell })).toBe('');
    expect(readFileSync(join(dir, dropped()[0] ?? ''), 'utf8')).toBe(call('Read', { file_path: '"tool_name":"Bash"' }));
  });
});

test('with an empty reply Claude Code decides, and without a reply the call asks', async () => {
  guardCalls(dir, ['*']);
  const passing = fire(call('Bash'));
  await shown();
  await waits.reply(idOf(), {});
  expect(await passing).toBe('{}');
  const left = fire(call('Bash'));
  await shown();
  await waits.leave(idOf());
  expect(decisionOf(await left)).toBe('ask');
});

test('if the server that wrote the guard is gone, the call asks at once and does not wait', async () => {
  guardCalls(dir, ['Bash'], await deadPid());
  expect(decisionOf(await fire(call('Bash')))).toBe('ask');
  expect(decisionOf(await fire(call('Bash'), { command: JSON_TOOL_HOOK_COMMAND }))).toBe('ask');
  expect(await waits.asked(idOf())).toBeNull();
});

test('a partial line, which a killed server has left, and a line without the key, ask', async () => {
  guardCalls(dir, ['Bash']);
  for (const line of ['{"hookSpecificOutput":\n', `${'0'.repeat(36)}{}${'0'.repeat(36)}\n`]) {
    const printing = fire(call('Bash'));
    await shown();
    const [, stat = ''] = /^\S+ (\d+)/.exec(readFileSync(join(dir, dropped()[0] ?? ''), 'utf8')) ?? [];
    writeFileSync(`/proc/${stat}/fd/3`, line);
    expect(decisionOf(await printing)).toBe('ask');
    await waits.leave(idOf());
  }
});

test.each(['timeout', 'grep', 'mkfifo'])('if %s is missing, the call asks', async (program) => {
  guardCalls(dir, ['Bash']);
  const bin = join(world.dir, 'broken');
  mkdirSync(bin);
  writeFileSync(join(bin, program), '#!/bin/sh\nexit 127\n', { mode: 0o755 });
  expect(decisionOf(await fire(call('Bash'), { path: `${bin}:` }))).toBe('ask');
});

test('if the server does not reply in time, the call asks', async () => {
  guardCalls(dir, ['Bash']);
  const bin = join(world.dir, 'short');
  mkdirSync(bin);
  // Replaces `timeout` by one that does not take as long.
  writeFileSync(join(bin, 'timeout'), '#!/bin/sh\nshift\nexec /usr/bin/timeout 0.2 "$@"\n', { mode: 0o755 });
  expect(decisionOf(await fire(call('Bash'), { path: `${bin}:` }))).toBe('ask');
});

test('the guard names a shell pattern only if it is plain, and is removed with the last rule', () => {
  expect(guardCalls(dir, ['Bash', 'a[b]'], 7)).toBe(true);
  expect(readFileSync(join(dir, '.guard'), 'utf8')).toBe('7\n*\n');
  expect(guardCalls(dir, ['a[b]'], 7)).toBe(false);
  expect(guardCalls(dir, [], 7)).toBe(true);
  expect(existsSync(join(dir, '.guard'))).toBe(false);
  expect(guardCalls(dir, [], 7)).toBe(false);
});
