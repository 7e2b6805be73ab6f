import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '../../src/protocol/index.ts';
import { type Cbos, runCbos, startCbos } from '../harness/cbos.ts';
import { stopProcess } from '../harness/stop-process.ts';
import { waitFor } from '../harness/wait-for.ts';
import { createWorld, type World } from '../harness/world.ts';
import { garble, mountFailingDisk, mountSmallDisk, remount } from './harness/disk.ts';

let world: World;
let env: { CBOS_PORT: string; CBOS_CLAUDE_COMMAND: string };
let cbos: Cbos;
beforeEach(async () => {
  world = createWorld();
  // The tests create only JSON sessions that never run a turn. CBOS starts no process for them.
  env = { CBOS_PORT: String(await world.freePort()), CBOS_CLAUDE_COMMAND: '/bin/true' };
});
afterEach(() => world.dispose());

const run = (...args: string[]) => runCbos(world, args, { env });
const inHome = (name: string): string => join(world.cbosHome, name);
const hasEnded = (): boolean => !world.processes().some(({ pid }) => pid === cbos.pid);
const slugs = async (): Promise<string[]> =>
  (await cbos.call<Session[]>('GET', '/sessions')).body.map(({ slug }) => slug);

/** Starts a server with one session. */
async function start(): Promise<void> {
  cbos = await startCbos(world, env);
  expect((await run('new', 'J', '--type', 'json')).stderr).toBe('');
}

/** Returns the lines of an error, of which there must be one. */
const oneLine = (text: string): string[] =>
  text
    .trim()
    .split('\n')
    .filter((line) => !line.includes('starting'));

describe('a home that is lost while its server runs', () => {
  test.each([
    ['removed', () => rmSync(world.cbosHome, { recursive: true })],
    ['emptied', () => spawnEmpty()],
    ['moved', () => renameSync(world.cbosHome, `${world.cbosHome}-2`)],
  ])('%s: the server ends, reports it, and the next one starts', async (how, lose) => {
    await start();
    lose();
    await waitFor(hasEnded, { describe: 'the server has ended' });
    if (how === 'moved') {
      const log = readFileSync(join(`${world.cbosHome}-2`, 'server.log'), 'utf8');
      expect(log).toContain(`was moved to ${world.cbosHome}-2`);
    }
    expect(await run('ls')).toMatchObject({ code: 5, stderr: expect.stringContaining('cbos up') });
    expect(await run('up')).toMatchObject({ code: 0 });
    expect(await run('doctor')).toMatchObject({ stdout: expect.stringMatching(/✓ Server/) });
    expect(await run('down')).toMatchObject({ code: 0, stdout: expect.stringContaining('stopped') });
    if (how !== 'moved') return;
    const moved = { ...env, CBOS_HOME: `${world.cbosHome}-2` };
    expect((await runCbos(world, ['up'], { env: moved })).code).toBe(0);
    expect((await runCbos(world, ['ls'], { env: moved })).stdout).toMatch(/\bJ\b/);
    expect((await runCbos(world, ['down'], { env: moved })).code).toBe(0);
  });

  test('a server that cannot notice is named, with its cure, by every command', async () => {
    await start();
    await stopProcess(cbos.pid);
    rmSync(world.cbosHome, { recursive: true });
    const cure = expect.stringContaining(`kill -CONT ${cbos.pid}`);
    expect(await run('up')).toMatchObject({ code: 1, stderr: cure });
    expect(await run('down')).toMatchObject({ code: 5, stderr: cure });
    const { stdout } = await run('doctor');
    expect(stdout).toMatch(new RegExp(`Server: process ${cbos.pid} still serves a home directory that was removed`));
    process.kill(cbos.pid, 'SIGCONT');
    await waitFor(hasEnded, { describe: 'the server has ended' });
    expect(await run('down')).toMatchObject({ code: 0, stdout: expect.stringContaining("CBOS isn't running") });
  });
});

describe('the database', () => {
  test('a copy of cbos.db alone has everything as soon as nothing is written', async () => {
    await start();
    const copy = join(world.dir, 'copy.db');
    await waitFor(
      () => {
        copyFileSync(inHome('cbos.db'), copy);
        const database = new DatabaseSync(copy);
        const rows = database.prepare('SELECT slug FROM sessions').all();
        database.close();
        return rows.length === 1;
      },
      { describe: 'the copy has the session', timeoutMs: 60_000 },
    );
  });

  test('its log, removed while the server runs, costs nothing', async () => {
    await start();
    rmSync(inHome('cbos.db-wal'));
    await waitFor(
      () => readFileSync(inHome('server.log'), 'utf8').includes("another program deleted the database's log"),
      {
        describe: 'the loss is logged',
      },
    );
    expect((await run('new', 'K', '--type', 'json')).code).toBe(0);
    await cbos.stop('SIGKILL');
    cbos = await startCbos(world, env);
    expect(await slugs()).toEqual(['J', 'K']);
  });

  test('a log that cannot be read is set aside, and reported', async () => {
    await start();
    await cbos.stop('SIGKILL');
    garble(inHome('cbos.db-wal'), { from: 0, bytes: 64 });
    cbos = await startCbos(world, env);
    expect(readFileSync(inHome('server.log'), 'utf8')).toContain('the last changes are lost');
    expect((await run('doctor')).stdout).toMatch(/Database: .*cbos\.db-wal\.damaged could not be read/);
  });

  test.each([
    ['empty', () => truncateSync(inHome('cbos.db'), 0)],
    ['cut off', () => truncateSync(inHome('cbos.db'), 20_000)],
    ['no database', () => garble(inHome('cbos.db'), { from: 0, bytes: 200 })],
    ['garbled', () => garble(inHome('cbos.db'), { from: 4_096, bytes: 60_000 })],
  ])('%s: start and doctor name the file and the cure, which works', async (_, damage) => {
    await start();
    await cbos.stop();
    damage();
    for (const command of ['serve', 'up']) {
      const { code, stderr } = await run(command);
      expect(oneLine(stderr), command).toEqual([
        expect.stringMatching(/The database .*cbos\.db is damaged \(.+\) — .*mv /),
      ]);
      expect(code).not.toBe(0);
    }
    expect((await run('doctor')).stdout).toMatch(/✗ Database: .*cbos\.db is damaged/);
    renameSync(inHome('cbos.db'), inHome('cbos.db.damaged'));
    expect((await run('up')).code).toBe(0);
    expect((await run('down')).code).toBe(0);
  });

  test('garbled while the server runs: the server stays up and reports it', async () => {
    await start();
    const { size } = { size: readFileSync(inHome('cbos.db')).length };
    garble(inHome('cbos.db-wal'), { from: 0, bytes: 8_000 });
    garble(inHome('cbos.db'), { from: 0, bytes: size });
    await waitFor(
      async () => (await cbos.call('POST', '/stash', { session_slug: 'J', response: 'x' })).error !== null,
      { describe: 'the damage is found' },
    );
    const { error } = await cbos.call('POST', '/stash', { session_slug: 'J', response: 'x' });
    expect(error?.code).toBe('database_damaged');
    expect(await slugs()).toEqual(['J']);
  });
});

describe('a home that cannot be written', () => {
  test('read-only from the start: one line gives the reason and the cure', async (context) => {
    const disk = mountSmallDisk(world, world.cbosHome, '3m');
    if (disk === null) return context.skip('nothing may be mounted here');
    await start();
    await cbos.stop();
    remount(disk.dir, 'ro');
    for (const command of ['serve', 'up']) {
      const { code, stderr } = await run(command);
      expect(oneLine(stderr), command).toEqual([expect.stringMatching(/is on a read-only file system — .*remount/)]);
      expect(code).toBe(1);
    }
    expect((await run('doctor')).stdout).toMatch(/✗ Home: .* is on a read-only file system/);
    remount(disk.dir, 'rw');
    expect((await run('up')).code).toBe(0);
    expect((await run('ls')).stdout).toMatch(/\bJ\b/);
    expect((await run('down')).code).toBe(0);
  });

  test('read-only while the server runs: it shows its sessions, and refuses what it could not record', async (context) => {
    mkdirSync(world.cbosHome, { recursive: true });
    const disk = mountFailingDisk(world, world.cbosHome);
    if (disk === null) return context.skip('there is no loop device with ext4 here');
    await start();
    disk.turnReadOnly();
    const { error } = await cbos.call('POST', '/stash', { session_slug: 'J', response: 'x' });
    expect(error?.code).toBe('home_read_only');
    for (const args of [
      ['new', 'K', '--type', 'json'],
      ['rm', '--yes', 'J'],
      ['token', '--rotate'],
    ]) {
      expect((await run(...args)).stderr, args.join(' ')).toMatch(/read-only/);
    }
    expect(await slugs()).toEqual(['J']);
    expect((await run('doctor')).stdout).toMatch(/✗ Home: .* is on a read-only file system/);
    expect((await run('down')).stdout).toContain('stopped');
  });
});

function spawnEmpty(): void {
  for (const name of ['cbos.db', 'cbos.db-wal', 'cbos.db-shm', 'server.lock', 'server.json', 'cbos.sock', 'token'])
    rmSync(inHome(name), { force: true });
}
