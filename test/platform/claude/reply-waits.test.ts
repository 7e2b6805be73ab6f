import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  ASKING_HOOK_COMMAND,
  type HookSpool,
  openReplyWaits,
  type ReplyWaits,
  type SpooledHook,
  watchHookSpool,
} from '../../../src/platform/claude/index.ts';
import { processNow } from '../../../src/platform/process/index.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;
let dir: string;
let spool: HookSpool;
let hooks: SpooledHook[];
let waits: ReplyWaits;

beforeEach(() => {
  world = createWorld();
  dir = join(world.cbosHome, 'hooks');
  hooks = [];
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  waits = openReplyWaits(dir);
  watch();
});
afterEach(async () => {
  await spool.dispose();
  await world.dispose();
});

function watch(): void {
  spool = watchHookSpool({
    dir,
    accept: (hook) => void hooks.push(hook),
    onError: (error) => {
      throw error;
    },
    now: Date.now,
  });
}

/** The shells that some system uses as /bin/sh, as far as they are installed here. */
const SHELLS = [['dash'], ['bash', '--posix'], ['busybox', 'sh']].filter(
  ([name = '', ...rest]) => spawnSync(name, [...rest, '-c', 'exit 0']).status === 0,
);

/** Ends a hook and everything that it started, as Claude Code does. */
function end({ pid = 0, exitCode, signalCode }: ChildProcess): void {
  if (exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
}

interface Asking {
  child: ChildProcess;
  printed: () => string;
  ended: Promise<number | null>;
}

/** Runs the exact command that Claude Code runs, with sockets for standard input and output, as Claude Code does. */
function ask(payload: object, shell: readonly string[] = ['/bin/sh'], env: Record<string, string> = {}): Asking {
  const [program = '', ...args] = shell;
  const child = spawn(program, [...args, '-c', ASKING_HOOK_COMMAND], {
    env: { ...world.env, CBOS_SPOOL: dir, CBOS_SESSION: 'launch-1', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  world.onDispose(() => end(child));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (data: string) => {
    text += data;
  });
  // A command that needs no input may end without reading it.
  child.stdin
    .on('error', () => undefined)
    .end(JSON.stringify({ hook_event_name: 'PermissionRequest', session_id: 's', ...payload }));
  return {
    child,
    printed: () => text,
    ended: new Promise((resolve) => child.on('close', (code) => resolve(code))),
  };
}

async function nextWait(count = 1): Promise<string> {
  await waitFor(() => hooks.length >= count, { describe: 'the hook is handed over' });
  const { wait } = hooks.at(-1) ?? {};
  if (wait == null) throw new Error('it waits');
  await waitFor(() => existsSync(join(dir, 'waits', `${wait}.json`)), { describe: 'its payload is kept' });
  return wait;
}

const processesOf = (pid: number | undefined): number =>
  world.processes().filter((one) => one.pid === pid || processNow(one.pid)?.ppid === pid).length;

describe.each(SHELLS.map((shell) => [shell.join(' '), shell] as const))('a hook that waits in %s', (_, shell) => {
  test('prints the reply, whatever is in it, and ends', async () => {
    const { child, printed, ended } = ask({ tool_input: { plan: 'long '.repeat(100_000) } }, shell);
    const wait = await nextWait();
    expect(await waits.asked(wait)).toMatchObject({ tool_input: { plan: 'long '.repeat(100_000) } });
    expect(printed()).toBe('');
    const reply = { text: `  "$HOME" \\n \\ 'x' * %s ${'数据库 '.repeat(5_000)}\u0081\ud83d` };
    expect(await waits.reply(wait, reply)).toBe(true);
    expect(await ended).toBe(0);
    expect(JSON.parse(printed())).toEqual(reply);
    expect(await waits.list()).toEqual([]);
    expect(processesOf(child.pid)).toBe(0);
  });

  test('prints nothing of a line that a killed server left unfinished, and takes the next whole line', async () => {
    const { child, printed, ended } = ask({}, shell);
    const wait = await nextWait();
    const [key = ''] = readFileSync(join(dir, 'waits', `${wait}.json`), 'utf8').split(' ');
    writeFileSync(`/proc/${child.pid}/fd/3`, `\n${key}{"behavior":"allow"`);
    expect(await waits.reply(wait, { behavior: 'deny' })).toBe(true);
    expect(await ended).toBe(0);
    expect(printed()).toBe('{"behavior":"deny"}');
  });

  test('prints nothing for a line without its key', async () => {
    const { child, printed, ended } = ask({}, shell);
    const wait = await nextWait();
    writeFileSync(`/proc/${child.pid}/fd/3`, '{"behavior":"allow"}\n\nx{"behavior":"allow"}x\n');
    await waits.leave(wait);
    expect(await ended).toBe(0);
    expect(printed()).toBe('');
  });

  test('ends with the program that it waits for, even if that was killed', async () => {
    // Like Claude Code, this program holds its end of the sockets only while it lives.
    const script = `const { spawn } = require('node:child_process');
      const child = spawn(process.argv[1], process.argv.slice(2), { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
      // A command that needs no input may end without reading it.
      child.stdin.on('error', () => undefined).end(JSON.stringify({ hook_event_name: 'PermissionRequest', session_id: 's' }));
      setInterval(() => undefined, 1000);`;
    const claude = spawn(process.execPath, ['-e', script, '--', ...shell, '-c', ASKING_HOOK_COMMAND], {
      env: { ...world.env, CBOS_SPOOL: dir, CBOS_SESSION: 'launch-1' },
      stdio: 'ignore',
    });
    const wait = await nextWait();
    const isWaiting = () => world.processes().some(({ command }) => command.includes('CBOS_SPOOL'));
    expect(isWaiting()).toBe(true);
    claude.kill('SIGKILL');
    await waitFor(() => !isWaiting(), { describe: 'the hook has ended', actual: () => world.processes() });
    expect(await waits.asked(wait)).toBeNull();
    expect(await waits.reply(wait, {})).toBe(false);
  });
});

describe('the place of a wait', () => {
  test('has no name, and its key is in no argument, environment or file name', async () => {
    const { child } = ask({});
    const wait = await nextWait();
    const [key = ''] = readFileSync(join(dir, 'waits', `${wait}.json`), 'utf8').split(' ');
    expect(key).toMatch(/^[0-9a-f-]{36}$/);
    expect(readdirSync(dir)).toEqual(['waits']);
    const told = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${child.pid}/${name}`, 'utf8')).join();
    expect(told + readdirSync(join(dir, 'waits')).join()).not.toContain(key);
  });

  test('is found again by the next server, which replies; a wait that has ended is not', async () => {
    const one = ask({ tool_name: 'One' });
    const wait = await nextWait();
    const other = ask({ tool_name: 'Other' });
    const ended = await nextWait(2);
    end(other.child);
    await other.ended;
    const next = openReplyWaits(dir);
    expect((await next.list()).sort()).toEqual([wait, ended].sort());
    expect(await next.asked(ended)).toBeNull();
    expect(await next.reply(wait, { by: 'the next' })).toBe(true);
    await one.ended;
    expect(one.printed()).toBe('{"by":"the next"}');
    expect(await next.reply(wait, { by: 'the next' })).toBe(false);
  });

  test('does not exist if no FIFO can be made: the hook reports and ends', async () => {
    const bin = join(world.dir, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'mkfifo'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const { ended, printed } = ask({}, ['/bin/sh'], { PATH: `${bin}:${world.env.PATH}` });
    expect(await ended).toBe(0);
    expect(printed()).toBe('');
    await waitFor(() => hooks.length === 1, { describe: 'the hook is handed over' });
    expect(hooks[0]?.wait).toBeNull();
  });

  test('does not exist if the payload cannot be written, because nobody would know about it', async () => {
    const { ended, printed } = ask({}, ['/bin/sh'], { CBOS_SPOOL: join(world.dir, 'missing') });
    expect(await ended).toBe(0);
    expect(printed()).toBe('');
  });

  test('of a process with a different descriptor is left alone', async () => {
    const sleeper = spawn('sleep', ['60'], { stdio: ['ignore', 'ignore', 'ignore'] });
    world.onDispose(() => void sleeper.kill('SIGKILL'));
    const stat = readFileSync(`/proc/${sleeper.pid}/stat`, 'utf8').trim();
    mkdirSync(join(dir, 'waits'));
    writeFileSync(join(dir, 'waits', 'forged.json'), `00000000-0000-0000-0000-000000000000 ${stat}\n{}`);
    expect(await waits.reply('forged', {})).toBe(false);
  });
});
