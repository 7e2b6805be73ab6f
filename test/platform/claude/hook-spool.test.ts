import { execFileSync, spawnSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  HOOK_COMMAND,
  type HookSpool,
  type HookSpoolOptions,
  parseHookFileName,
  type SpooledHook,
  type SpoolLook,
  watchHookSpool,
} from '../../../src/platform/claude/index.ts';
import { runProgram } from '../../../src/platform/process/index.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;
let dir: string;
let spool: HookSpool | null = null;
let hooks: SpooledHook[] = [];
let faults: unknown[] = [];
let rejected: string[] = [];

beforeEach(() => {
  world = createWorld();
  dir = join(world.cbosHome, 'hooks');
  hooks = [];
  faults = [];
  rejected = [];
});

afterEach(async () => {
  await spool?.dispose();
  spool = null;
  await world.dispose();
});

const look = (): SpoolLook => ({ now: Date.now(), uptimeS: uptime() });

function open(options: Partial<HookSpoolOptions> = {}): HookSpool {
  spool = watchHookSpool({
    dir,
    accept: (hook) => void hooks.push(hook),
    onRejected: (name) => rejected.push(name),
    onError: (error) => faults.push(error),
    now: Date.now,
    ...options,
  });
  return spool;
}

/** Runs the exact command that Claude Code runs for a hook. */
function fire(event: string, env: Record<string, string> = {}): void {
  execFileSync('/bin/sh', ['-c', HOOK_COMMAND], {
    input: JSON.stringify({ hook_event_name: event, session_id: 'conversation' }),
    env: { ...world.env, CBOS_SPOOL: dir, CBOS_SESSION: 'launch-1', ...env },
  });
}

function put(name: string, content: string): void {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, `.${name}`), content);
  renameSync(join(dir, `.${name}`), join(dir, name));
}

const hookFile = (nanoseconds: bigint, event: string): [string, string] => [
  `${nanoseconds}.launch-1.77.78.json`,
  JSON.stringify({ hook_event_name: event, session_id: 'conversation', value: 1 }),
];

describe('the hook spool', () => {
  test('delivers what the hook command writes, with its session and the time when it fired, and deletes it', async () => {
    open();
    const before = Date.now();
    fire('Stop');
    await waitFor(() => hooks.length === 1, { describe: 'the hook is handed over' });
    expect(hooks[0]).toMatchObject({
      launchId: 'launch-1',
      pid: process.pid,
      event: 'Stop',
      sessionId: 'conversation',
      payload: { hook_event_name: 'Stop' },
    });
    expect(hooks[0]?.at).toBeGreaterThanOrEqual(before - 1);
    expect(hooks[0]?.at).toBeLessThanOrEqual(Date.now() + 1);
    await waitFor(() => readdirSync(dir).length === 0, { describe: 'its file is deleted' });
  });

  test('delivers hooks that came while no server watched, in the order in which they fired', async () => {
    const start = 1_795_253_981_000_000_000n;
    for (const offset of [3n, 1n, 2n]) put(...hookFile(start + offset, `Event${offset}`));
    await open().drain();
    expect(hooks.map((hook) => hook.event)).toEqual(['Event1', 'Event2', 'Event3']);
  });

  test('keeps the order, one at a time, if hooks arrive while one is being accepted', async () => {
    let running = 0;
    open({
      accept: async (hook) => {
        running += 1;
        expect(running).toBe(1);
        await new Promise((resolve) => setImmediate(resolve));
        hooks.push(hook);
        running -= 1;
      },
    });
    const start = 1_795_253_981_000_000_000n;
    for (let n = 0n; n < 50n; n += 1n) put(...hookFile(start + n, `Event${n}`));
    await waitFor(() => hooks.length === 50, { describe: 'all hooks are handed over' });
    expect(hooks.map((hook) => hook.event)).toEqual(Array.from({ length: 50 }, (_, n) => `Event${n}`));
    expect(faults).toEqual([]);
  });

  test('delivers a hook again that was not accepted, and later ones only after it', async () => {
    let failures = 2;
    open({
      accept: (hook) => {
        if (hook.event === 'Event1' && failures > 0) {
          failures -= 1;
          throw new Error('the database is busy');
        }
        hooks.push(hook);
      },
    });
    put(...hookFile(1_795_253_981_000_000_001n, 'Event1'));
    put(...hookFile(1_795_253_981_000_000_002n, 'Event2'));
    await waitFor(() => hooks.length === 2, { describe: 'both are handed over' });
    expect(hooks.map((hook) => hook.event)).toEqual(['Event1', 'Event2']);
    expect(faults).toHaveLength(2);
  });

  test('moves aside files that are not hooks, and a hook that is refused permanently, and continues', async () => {
    put('1795253981000000001.launch-1.77.78.json', 'half of a');
    put('1795253981000000002.launch-1.77.78.json', '{"no":"event"}');
    put('somebody-elses.json', '{"hook_event_name":"Stop"}');
    put(...hookFile(1_795_253_981_000_000_003n, 'Refused'));
    put(...hookFile(1_795_253_981_000_000_004n, 'Good'));
    open({
      accept: (hook) => {
        if (hook.event === 'Refused') throw new Error('no');
        hooks.push(hook);
      },
    });
    await waitFor(() => rejected.length === 4 && hooks.length === 1, { describe: 'the good one is handed over' });
    expect(readdirSync(join(dir, 'rejected'))).toHaveLength(4);
    expect(readFileSync(join(dir, 'rejected', '1795253981000000001.launch-1.77.78.json'), 'utf8')).toBe('half of a');
  });

  test('waits for no pipe and reads no device, link or huge file: those are moved aside, and hooks continue', async () => {
    mkdirSync(dir, { recursive: true });
    const [pipe = '', device = '', link = '', huge = '', folder = ''] = ['1', '2', '3', '4', '5'].map((digit) =>
      join(dir, `179525398100000000${digit}.launch-1.77.78.json`),
    );
    await runProgram('mkfifo', [pipe], { env: world.env, timeoutMs: 5_000 });
    symlinkSync('/dev/zero', device);
    writeFileSync(join(world.dir, 'elsewhere'), '{"hook_event_name":"Linked"}');
    symlinkSync(join(world.dir, 'elsewhere'), link);
    writeFileSync(huge, '');
    truncateSync(huge, 8_000_000_000);
    mkdirSync(folder);
    put(...hookFile(1_795_253_981_000_000_006n, 'Good'));
    open();
    await waitFor(() => hooks.length === 1, { describe: 'the good one is handed over' });
    expect(hooks[0]?.event).toBe('Good');
    expect(rejected).toHaveLength(5);
    expect(readFileSync(join(world.dir, 'elsewhere'), 'utf8')).toContain('Linked');
  });

  test('is private, and continues after its directory was removed and created again', async () => {
    open({ sweepMs: 50 });
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    renameSync(dir, `${dir}-away`);
    mkdirSync(dir, { mode: 0o700 });
    fire('Stop');
    await waitFor(() => hooks.length === 1, { describe: 'the hook is handed over' });
  });
});

describe('a clock that is set', () => {
  /** Adds a hook that was fired this long after the machine's boot, while the clock was this much ahead of now. */
  const fired = (uptimeS: number, aheadMs: number, event: string): void => {
    const stamp = BigInt(NOW + aheadMs - (UPTIME_S - uptimeS) * 1_000) * 1_000_000n;
    put(`${stamp}.launch-1.77.78.${uptimeS.toFixed(2)}.json`, JSON.stringify({ hook_event_name: event }));
  };
  const NOW = 1_795_253_981_000;
  const UPTIME_S = 50_000;
  const HOUR_MS = 3_600_000;
  const openThen = () => open({ now: () => NOW, uptimeS: () => UPTIME_S });

  test.each([
    ['back', HOUR_MS],
    ['forward', -HOUR_MS],
  ])('%s leaves hooks in the order in which they fired, at the current times', async (_, aheadMs) => {
    fired(UPTIME_S - 20, aheadMs, 'First');
    fired(UPTIME_S - 10, aheadMs, 'Second');
    fired(UPTIME_S - 5, 0, 'Third');
    await openThen().drain();
    expect(hooks.map(({ event, at }) => [event, at - NOW])).toEqual([
      ['First', -20_000],
      ['Second', -10_000],
      ['Third', -5_000],
    ]);
  });

  test('never puts a hook into the future: not one of an older CBOS without an uptime, and not one of an earlier boot', async () => {
    put(`${BigInt(NOW + HOUR_MS) * 1_000_000n}.launch-1.77.78.json`, JSON.stringify({ hook_event_name: 'Old' }));
    fired(UPTIME_S + 100, HOUR_MS, 'Before');
    await openThen().drain();
    expect(hooks.map(({ at }) => at)).toEqual([NOW, NOW]);
  });

  test('uses the stamp as long as both clocks agree, because it is more precise', () => {
    const name = `${BigInt(NOW - 4_321) * 1_000_000n}.launch-1.77.78.${(UPTIME_S - 4.3).toFixed(2)}.json`;
    expect(parseHookFileName(name, { now: NOW, uptimeS: UPTIME_S })?.at).toBe(NOW - 4_321);
  });
});

describe('the hook command', () => {
  test('reports how long the machine has been up', () => {
    mkdirSync(dir, { recursive: true });
    const before = uptime();
    fire('Stop');
    const told = Number(/\.(\d+\.\d+)\.json$/.exec(readdirSync(dir)[0] ?? '')?.[1]);
    expect(told).toBeGreaterThanOrEqual(before - 0.01);
    expect(told).toBeLessThanOrEqual(uptime());
  });

  test('ends well and prints nothing when the spool is gone, is full, or was never named', () => {
    // A hook that fails with 2 blocks every prompt of the session. Its output would go into the conversation.
    for (const env of [{ CBOS_SPOOL: '/nowhere' }, { CBOS_SPOOL: '/dev/full' }, { CBOS_SPOOL: '' }]) {
      // Not execFileSync, because it would report an error if the shell ends before its input was written.
      const done = spawnSync('/bin/sh', ['-c', HOOK_COMMAND], {
        input: '{}',
        env: { ...world.env, CBOS_SESSION: 'launch-1', ...env },
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      expect({ status: done.status, said: `${done.stdout}${done.stderr}` }).toEqual({ status: 0, said: '' });
    }
  });

  test('writes files that nobody else can read', () => {
    mkdirSync(dir, { recursive: true });
    fire('Stop');
    const [name] = readdirSync(dir);
    expect(statSync(join(dir, name ?? '')).mode & 0o777).toBe(0o600);
    expect(parseHookFileName(name ?? '', look())).toMatchObject({ launchId: 'launch-1', pid: process.pid });
  });

  test('is distinguished if the launch is unknown', () => {
    mkdirSync(dir, { recursive: true });
    fire('Stop', { CBOS_SESSION: '' });
    expect(parseHookFileName(readdirSync(dir)[0] ?? '', look())).toMatchObject({ launchId: null });
    expect(parseHookFileName('notes.json', look())).toBeNull();
  });
});
