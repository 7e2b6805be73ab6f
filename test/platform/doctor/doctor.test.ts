import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Check, type DoctorContext, localDoctorContext, runDoctor } from '../../../src/platform/doctor/index.ts';
import { listScreens, openScreenHost } from '../../../src/platform/gnu-screen/index.ts';
import { readSettings } from '../../../src/platform/settings/index.ts';
import { DATABASE_FILE, openDatabase } from '../../../src/platform/sqlite/database.ts';
import { createDropStore } from '../../../src/platform/sqlite/drop-store.ts';
import { takeHomeLock } from '../../../src/platform/sqlite/home-lock.ts';
import { createRuleStore } from '../../../src/platform/sqlite/rule-store.ts';
import { CatalogueError } from '../../../src/protocol/index.ts';
import { stopProcess } from '../../harness/stop-process.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { createWorld, type World } from '../../harness/world.ts';

let world: World;

beforeEach(() => {
  world = createWorld();
  mkdirSync(world.cbosHome, { mode: 0o700 });
});

afterEach(() => world.dispose());

/** Puts a program before those of the system. */
function program(name: string, script: string): void {
  const file = join(world.project('bin'), name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

async function context(changes: Partial<DoctorContext> = {}): Promise<DoctorContext> {
  program('claude', 'echo "2.1.329 (Claude Code)"');
  const environment = { ...world.env, PATH: `${join(world.dir, 'bin')}:${world.env.PATH}` };
  const { settings } = await readSettings({ flags: {}, environment, cwd: world.dir, userHome: world.home });
  const local = localDoctorContext({
    settings,
    service: {
      node: process.execPath,
      program: '/cbos.js',
      environment,
      userHome: world.home,
      userName: 'nobody-who-lingers',
      userId: process.getuid?.() ?? 0,
    },
    version: '0.1.0',
    nodeVersion: process.versions.node,
    now: Date.now(),
    pid: process.pid,
    tempDir: world.project('tmp'),
  });
  // The user manager of the person who runs the tests does not belong to the tests.
  return {
    ...local,
    serviceState: async () => ({ unitFile: null, running: false, enabled: false, notes: [] }),
    ...changes,
  };
}

async function examine(name: string, changes?: Partial<DoctorContext>): Promise<Check> {
  for await (const check of runDoctor(await context(changes))) if (check.name === name) return check;
  throw new Error(`the doctor has no check ${name}`);
}

test('a machine that has everything passes, and nothing on it is changed', async () => {
  const checks: Check[] = [];
  for await (const check of runDoctor(await context())) checks.push(check);
  expect(checks.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
  expect(checks.every(({ cure }) => cure === null)).toBe(true);
  expect(checks.find(({ name }) => name === 'GNU Screen')?.detail).toMatch(/^\d+\.\d+\.\d+$/);
  expect(checks.find(({ name }) => name === 'script')?.detail).toMatch(/^util-linux 2\.\d+/);
  expect(checks.find(({ name }) => name === 'Claude Code')?.detail).toContain('2.1.329 at ');
});

describe('programs', () => {
  test('an old Node', async () => {
    expect(await examine('Node', { nodeVersion: '20.18.3' })).toMatchObject({ outcome: 'fault' });
  });

  test('no Screen, no script, no Claude Code: each is a fault with a command to type', async () => {
    const empty = { PATH: world.project('empty') };
    const missing = { ...(await context()), sessionEnvironment: empty };
    const openScreen = () =>
      openScreenHost({ env: empty, screenDir: null, runDir: world.project('run'), tempDir: world.dir });
    expect(await examine('GNU Screen', missing)).toMatchObject({
      outcome: 'fault',
      cure: expect.stringContaining('install screen'),
    });
    expect(await examine("Screen's directory", { ...missing, openScreen })).toMatchObject({ outcome: 'fault' });
    expect(await examine('script', missing)).toMatchObject({ outcome: 'fault', detail: 'not installed' });
    expect(await examine('Claude Code', missing)).toMatchObject({
      outcome: 'fault',
      cure: expect.stringContaining('CBOS_CLAUDE_COMMAND'),
    });
  });

  test("another system's script, which lacks the format that recordings need", async () => {
    program('script', 'echo "BusyBox v1.36"');
    expect(await examine('script')).toMatchObject({ outcome: 'fault', cure: 'Install util-linux 2.35 or later' });
  });

  test('a Claude Code that supports no hooks', async () => {
    program('claude-1', 'echo "1.0.60 (Claude Code)"');
    const { settings } = await context();
    const old = { ...settings, claude_command: 'claude-1' };
    expect(await examine('Claude Code', { settings: old })).toMatchObject({ outcome: 'warning' });
  });
});

describe('files', () => {
  test.each([
    ['home', '', 0o755, 'chmod 700'],
    ['token', 'token', 0o644, 'chmod 600'],
    ['database', 'cbos.db', 0o640, 'chmod 600'],
  ])('an open %s', async (_what, name, mode, cure) => {
    const file = join(world.cbosHome, name);
    if (name !== '') writeFileSync(file, '');
    chmodSync(file, mode);
    expect(await examine('Home')).toMatchObject({ outcome: 'fault', cure: expect.stringContaining(cure) });
  });

  test('an open directory of Screen', async () => {
    chmodSync(world.screenDir, 0o755);
    expect(await examine("Screen's directory")).toMatchObject({
      outcome: 'fault',
      cure: `chmod 700 ${world.screenDir}`,
    });
  });

  test('a directory of Screen whose path leaves no room for names', async () => {
    const dir = world.project('x'.repeat(80));
    const openScreen = async () => ({ dir, env: {}, pidDigits: 7 });
    expect(await examine("Screen's directory", { openScreen })).toMatchObject({
      outcome: 'fault',
      detail: expect.stringMatching(/names of more than \d+ letters do not fit/),
    });
  });

  test('recordings whose directory is missing', async () => {
    const { settings } = await context();
    writeFileSync(join(world.dir, 'file'), '');
    const blocked = { ...settings, stream_dir: join(world.dir, 'file', 'streams') };
    expect(await examine('Recordings', { settings: blocked })).toMatchObject({ outcome: 'fault' });
  });

  test('recordings that others can read, and a directory that they can list', async () => {
    const recording = join(world.streamDir, 'AUTH.typescript');
    for (const name of ['AUTH.typescript', 'AUTH.cbos', 'mine.typescript']) {
      writeFileSync(join(world.streamDir, name), '', { mode: 0o600 });
    }
    // A recording that nothing marks as CBOS's belongs to the user, who may make it readable for everybody.
    chmodSync(join(world.streamDir, 'mine.typescript'), 0o644);
    expect(await examine('Recordings')).toMatchObject({ outcome: 'ok' });
    chmodSync(recording, 0o644);
    expect(await examine('Recordings')).toMatchObject({ outcome: 'warning', cure: `chmod -R go= ${recording}` });
    chmodSync(world.streamDir, 0o755);
    expect(await examine('Recordings')).toMatchObject({ outcome: 'warning', cure: `chmod 700 ${world.streamDir}` });
  });

  test('dropped parts of recordings are reported, even without a server', async () => {
    expect(await examine('Dropped recordings')).toMatchObject({ outcome: 'ok', detail: 'none' });
    const database = openDatabase(join(world.cbosHome, 'cbos.db'));
    const drops = createDropStore(database);
    const at = Date.parse('2026-11-20T12:00:00Z');
    drops.add({ recording: 'AUTH', reason: 'max_recording_size', bytes: 3_000_000, whole: false }, at);
    drops.add({ recording: 'AUTH', reason: 'max_recording_size', bytes: 2_000_000, whole: false }, at + 1_000);
    database.close();
    const detail = '5 MB in all; last the oldest 5 MB of AUTH (max_recording_size), 2026-11-20';
    expect(await examine('Dropped recordings')).toMatchObject({ outcome: 'ok', detail });
  });

  test('payloads that nobody reads although a server is running', async () => {
    const spool = join(world.cbosHome, 'hooks');
    mkdirSync(spool, { mode: 0o700 });
    const file = join(spool, '1700000000000000000.x.1.2.json');
    writeFileSync(file, '{}');
    utimesSync(file, 1, 1);
    expect(await examine('Hook spool')).toMatchObject({ outcome: 'ok' });
    expect(await examine('Hook spool', { askServer: async () => ({ version: '0.1.0' }) })).toMatchObject({
      outcome: 'warning',
      detail: expect.stringContaining('1 hook payloads'),
    });
  });
});

test.each(['disableAllHooks', 'allowManagedHooksOnly'])("the user's %s is reported", async (name) => {
  mkdirSync(join(world.home, '.claude'));
  writeFileSync(join(world.home, '.claude', 'settings.json'), JSON.stringify({ [name]: true }));
  expect(await examine('Hooks')).toMatchObject({ outcome: 'warning', cure: expect.stringContaining(name) });
});

test.each(['settings.json', 'settings.local.json'])(
  'disableAllHooks in %s of the folder of a running session is reported',
  async (name) => {
    const folder = world.project('silent');
    mkdirSync(join(folder, '.claude'));
    const file = join(folder, '.claude', name);
    writeFileSync(file, JSON.stringify({ disableAllHooks: true }));
    const session = { slug: 'QUIET', pid: 4_242, path: folder };
    expect(await examine('Hooks', { askSessions: async () => [session] })).toMatchObject({
      outcome: 'warning',
      detail: expect.stringContaining(file),
    });
    expect(await examine('Hooks', { askSessions: async () => [{ ...session, pid: null }] })).toMatchObject({
      outcome: 'ok',
    });
  },
);

test('a running session whose hooks do not report is named, with the cure', async () => {
  const session = { slug: 'QUIET', pid: 4_242, path: world.home, hooks_silent: true as const };
  expect(await examine('Hooks', { askSessions: async () => [session] })).toMatchObject({
    outcome: 'warning',
    detail: expect.stringContaining('no hook of QUIET has reported'),
    cure: expect.stringContaining('cbos stop QUIET && cbos restart QUIET'),
  });
});

test("a rule that never matches is named with the rule that would, in the home's file and in a trusted one", async () => {
  const outcome = (): Promise<Check> => examine('Approval rules');
  const home = join(world.cbosHome, 'rules.toml');
  writeFileSync(home, '[[deny]]\ncommand = "git push"\n[[allow]]\ncommand = "timeout 60 make"\n');
  expect(await outcome()).toMatchObject({
    outcome: 'warning',
    detail: expect.stringMatching(
      /^.*rules\.toml: a rule never matches: timeout 60 make: .*Instead: command = "make"$/,
    ),
    cure: expect.stringContaining(home),
  });
  writeFileSync(home, '[[deny]]\ncommand = "git push"\n');
  expect(await outcome()).toMatchObject({ outcome: 'ok' });

  const folder = world.project('shop');
  const content = '[[deny]]\ntool = "Bsh"\n';
  const sha256 = createHash('sha256').update(content).digest('hex');
  mkdirSync(join(folder, '.cbos'));
  writeFileSync(join(folder, '.cbos/rules.toml'), content);
  const database = openDatabase(join(world.cbosHome, DATABASE_FILE));
  createRuleStore(database).trust({ folder, sha256, content }, 1);
  database.close();
  expect(await outcome()).toMatchObject({
    outcome: 'warning',
    detail: expect.stringContaining('Instead: tool = "Bash"'),
    cure: expect.stringContaining(`cbos rules trust ${folder}`),
  });
});

describe('limits of file watching', () => {
  /** Returns a proc file system with these limits, in which one process holds one instance with some watches. */
  function proc(limits: { instances: number; watches: number; held: number }): string {
    const dir = world.project('proc');
    const limitsDir = world.project('proc/sys/fs/inotify');
    writeFileSync(join(limitsDir, 'max_user_instances'), `${limits.instances}\n`);
    writeFileSync(join(limitsDir, 'max_user_watches'), `${limits.watches}\n`);
    symlinkSync('anon_inode:inotify', join(world.project('proc/77/fd'), '5'));
    const line = 'inotify wd:1 ino:1 sdev:800001 mask:fce ignored_mask:0 fhandle-bytes:8\n';
    writeFileSync(join(world.project('proc/77/fdinfo'), '5'), `pos:\t0\n${line.repeat(limits.held)}`);
    return dir;
  }

  test('no instance left is a fault', async () => {
    expect(await examine('File watching', { proc: proc({ instances: 1, watches: 9_999, held: 3 }) })).toMatchObject({
      outcome: 'fault',
      detail: '3 of 9999 watches, 1 of 1 instances in use',
      cure: expect.stringContaining('fs.inotify.max_user_instances'),
    });
  });

  test('few watches left is a warning', async () => {
    const used = proc({ instances: 9, watches: 1_000, held: 900 });
    expect(await examine('File watching', { proc: used })).toMatchObject({
      outcome: 'warning',
      cure: expect.stringContaining('fs.inotify.max_user_watches'),
    });
  });
});

describe('the server', () => {
  test('one that answers on the local socket', async () => {
    const server = createServer((_request, response) => response.end('{"status":"ok","version":"0.1.0"}'));
    world.onDispose(() => void server.close());
    server.listen(join(world.cbosHome, 'cbos.sock'));
    await once(server, 'listening');
    chmodSync(join(world.cbosHome, 'cbos.sock'), 0o600);
    expect(await examine('Server')).toMatchObject({
      outcome: 'ok',
      detail: expect.stringMatching(/^0\.1\.0 answers on /),
    });
  });

  test('another version', async () => {
    expect(await examine('Server', { askServer: async () => ({ version: '0.0.9' }) })).toMatchObject({
      outcome: 'warning',
      cure: 'cbos down && cbos up',
    });
  });

  test('a process that holds the home and does not answer', async () => {
    const lock = takeHomeLock(world.cbosHome);
    lock?.describe({
      pid: process.pid,
      started_at: new Date().toISOString(),
      version: '0.1.0',
      address: null,
      screen_dir: '/s',
    });
    const check = await examine('Server');
    const notes = readFileSync(join(world.cbosHome, 'server.json'));
    lock?.release();
    expect(check).toMatchObject({ outcome: 'fault', cure: expect.stringContaining(`kill ${process.pid}`) });
    // The notes of a killed server are left behind, but they are not a running server.
    writeFileSync(join(world.cbosHome, 'server.json'), notes);
    expect(await examine('Server')).toMatchObject({ outcome: 'ok' });
  });

  test('a service that ends with the last logout', async () => {
    const serviceState = async () => ({ unitFile: '/u', running: true, enabled: true, notes: [] });
    expect(await examine('Service', { serviceState })).toMatchObject({ cure: 'loginctl enable-linger' });
    expect(await examine('Service', { serviceState, isLingering: () => true })).toMatchObject({ outcome: 'ok' });
  });

  test('a missing systemd is not a fault: the server runs without it', async () => {
    const serviceState = () => Promise.reject(new CatalogueError('no_systemd'));
    expect(await examine('Service', { serviceState })).toMatchObject({ outcome: 'ok' });
  });
});

describe('Screen sessions', () => {
  async function startScreen(name: string, command: string[]) {
    spawnSync('screen', ['-dmS', name, ...command], { env: { ...world.env, ...sessionMark() } });
    const dir = { dir: world.screenDir };
    const found = await waitFor(async () => (await listScreens(dir)).find((session) => session.name === name), {
      describe: `Screen lists ${name}`,
    });
    return found;
  }

  /** Returns the mark that a launch gives its processes. */
  function sessionMark() {
    return { CBOS_SESSION: 'launch-1', CBOS_SPOOL: join(world.cbosHome, 'hooks') };
  }

  test('a stopped daemon is named, with the command that continues it', async () => {
    const { id, pid } = await startScreen('one', ['sleep', '600']);
    await stopProcess(pid);
    expect(await examine('Screen sessions')).toMatchObject({
      outcome: 'fault',
      detail: expect.stringContaining(id),
      cure: `kill -CONT ${pid}`,
    });
  });

  test('processes that outlived their daemon are named, those of a living one are not', async () => {
    const { pid } = await startScreen('two', ['sh', '-c', 'trap "" HUP; sleep 600; :']);
    expect(await examine('Left-over processes')).toMatchObject({ outcome: 'ok', detail: 'none' });
    process.kill(pid, 'SIGKILL');
    await waitFor(() => !world.processes().some((left) => left.pid === pid), { describe: 'the daemon is gone' });
    const check = await examine('Left-over processes');
    expect(check).toMatchObject({ outcome: 'warning', detail: expect.stringContaining('sleep') });
    expect(await examine('Screen sessions')).toMatchObject({ outcome: 'warning', cure: 'screen -wipe' });
  });

  test('processes of another home are not reported', async () => {
    spawn('sleep', ['600'], {
      env: { ...world.env, CBOS_SESSION: 'x', CBOS_SPOOL: '/elsewhere/hooks' },
      stdio: 'ignore',
    });
    await waitFor(() => world.processes().length > 0, { describe: 'it runs' });
    expect(await examine('Left-over processes')).toMatchObject({ detail: 'none' });
  });
});

test('a check that fails to run is itself a fault, and the others continue', async () => {
  const askServer = () => Promise.reject(new Error('boom'));
  const checks: Check[] = [];
  for await (const check of runDoctor(await context({ askServer }))) checks.push(check);
  expect(checks.find(({ name }) => name === 'Server')).toMatchObject({
    outcome: 'fault',
    detail: 'could not be checked: boom',
  });
  expect(checks.at(-1)?.name).toBe('Left-over processes');
});
