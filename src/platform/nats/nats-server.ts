import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { CatalogueError } from '../../protocol/index.ts';
import { isAlive, type ProcessId, readProcess, waitUntil } from '../process/index.ts';

const START_MS = 10_000;
const STOP_MS = 5_000;
const LOOK_EVERY_MS = 20;

export const CONFIG_FILE = 'nats.conf';
export const PID_FILE = 'nats.pid';
export const LOG_FILE = 'nats.log';

export interface NatsServerOptions {
  /** the directory with the configuration, closed to others */
  dir: string;
  host: string;
  port: number;
  /** the program's absolute path */
  program: string;
  /** the whole environment of the process; it needs no secret */
  env: Readonly<Record<string, string>>;
}

/**
 * Starts the NATS server of a fleet, unless the one that an earlier server of this home started still runs. It lives
 * on if this process is killed, so that the other machines notice nothing.
 * @throws CatalogueError nats_failed
 */
export async function ensureNatsServer(options: NatsServerOptions): Promise<void> {
  const { dir, host, port, program, env } = options;
  if ((await findNatsServer(dir)) !== null) return;
  const output = openSync(join(dir, 'nats.out'), 'w', 0o600);
  const child = spawn(program, ['-c', join(dir, CONFIG_FILE)], {
    detached: true,
    stdio: ['ignore', output, output],
    cwd: dir,
    env: { ...env },
  });
  closeSync(output);
  let ended = false;
  child.once('error', () => {
    ended = true;
  });
  child.once('exit', () => {
    ended = true;
  });
  child.unref();
  const isUp = await waitUntil(async () => (ended ? 'ended' : (await accepts(host, port)) ? 'up' : null), {
    timeoutMs: START_MS,
    everyMs: LOOK_EVERY_MS,
  });
  if (isUp === 'up' && !ended) return;
  if (!ended) child.kill('SIGKILL');
  const said = await lastWords(dir);
  throw new CatalogueError('nats_failed', `The NATS server does not run at ${host}:${port}${said}`);
}

/** Makes the running server read its configuration again. It ends the connections of everybody who is not in it. */
export async function reloadNatsServer(dir: string): Promise<void> {
  const found = await findNatsServer(dir);
  if (found !== null) process.kill(found.pid, 'SIGHUP');
}

export async function stopNatsServer(dir: string): Promise<void> {
  const found = await findNatsServer(dir);
  if (found === null) return;
  process.kill(found.pid, 'SIGTERM');
  const gone = await waitUntil(async () => ((await isAlive(found)) ? null : true), {
    timeoutMs: STOP_MS,
    everyMs: LOOK_EVERY_MS,
  });
  if (gone === null && (await isAlive(found))) process.kill(found.pid, 'SIGKILL');
}

/**
 * Finds the server that runs on this directory's configuration. A pid file alone proves nothing, because pids are
 * reused.
 */
export async function findNatsServer(dir: string): Promise<ProcessId | null> {
  const pid = Number(await readFile(join(dir, PID_FILE), 'utf8').catch(() => ''));
  if (!Number.isSafeInteger(pid) || pid <= 1) return null;
  const found = await readProcess(pid);
  if (found === null || !(await isAlive(found))) return null;
  return runsConfig(pid, join(dir, CONFIG_FILE)) ? found : null;
}

function runsConfig(pid: number, config: string): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return words[1] === '-c' && words[2] === config;
  } catch {
    return false; // it has just ended, or belongs to somebody else
  }
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

async function lastWords(dir: string): Promise<string> {
  for (const file of [LOG_FILE, 'nats.out']) {
    const text = await readFile(join(dir, file), 'utf8').catch(() => '');
    const fault = text.split('\n').findLast((line) => /\[(FTL|ERR)\]|nats-server:/.test(line));
    if (fault !== undefined) return `: ${fault.replace(/^.*\[(?:FTL|ERR)\] /, '')}`;
  }
  return '';
}
