import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { CatalogueError } from '../../protocol/index.ts';
import { isAlive, type ProcessId, readProcess, startDetached, waitUntil } from '../process/index.ts';

const START_MS = 10_000;
const STOP_MS = 5_000;
const LOOK_EVERY_MS = 20;

export const CONFIG_FILE = 'nats.conf';
export const PID_FILE = 'nats.pid';
export const LOG_FILE = 'nats.log';
const OUTPUT_FILE = 'nats.out';

export interface NatsServerOptions {
  /** the directory that contains the configuration, to which other users have no access */
  dir: string;
  host: string;
  port: number;
  /** the absolute path of the NATS server's executable */
  program: string;
  /** the whole environment of the process, which needs no secrets */
  env: Readonly<Record<string, string>>;
}

/**
 * Starts the fleet's NATS server, unless the one that an earlier CBOS server of this home started is still running. The
 * NATS server keeps running if this process is killed, so the other machines notice nothing.
 * @returns whether the NATS server was started just now, and has therefore read its configuration
 * @throws CatalogueError nats_failed
 */
export async function ensureNatsServer(options: NatsServerOptions): Promise<boolean> {
  const { dir, host, port, program, env } = options;
  if ((await findNatsServer(dir)) !== null) return false;
  const server = startDetached(program, ['-c', join(dir, CONFIG_FILE)], {
    cwd: dir,
    env,
    output: join(dir, OUTPUT_FILE),
  });
  const isUp = await waitUntil(async () => (server.hasEnded() ? 'ended' : (await accepts(host, port)) ? 'up' : null), {
    timeoutMs: START_MS,
    everyMs: LOOK_EVERY_MS,
  });
  if (isUp === 'up' && !server.hasEnded()) return true;
  if (!server.hasEnded()) server.kill();
  const said = await lastWords(dir);
  throw new CatalogueError('nats_failed', `The NATS server is not running at ${host}:${port}${said}`);
}

/**
 * Makes the running NATS server reload its configuration. The server then closes the connections of machines that are
 * no longer in the configuration.
 */
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
 * Finds the NATS server that is running with the configuration in this directory. A pid file alone proves nothing,
 * because pids are reused.
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
    return false; // the process has just ended, or belongs to another user
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
  for (const file of [LOG_FILE, OUTPUT_FILE]) {
    const text = await readFile(join(dir, file), 'utf8').catch(() => '');
    const fault = text.split('\n').findLast((line) => /\[(FTL|ERR)\]|nats-server:/.test(line));
    if (fault !== undefined) return `: ${fault.replace(/^.*\[(?:FTL|ERR)\] /, '')}`;
  }
  return '';
}
