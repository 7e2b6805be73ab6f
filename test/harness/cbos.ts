import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import type { ErrorBody, Session, StreamFrame } from '../../src/protocol/index.ts';
import { removeBeforeRetry } from './attempts.ts';
import { waitFor } from './wait-for.ts';
import type { World } from './world.ts';

/** The built program, because tests run what users run. */
export const PROGRAM = fileURLToPath(new URL('../../dist/cbos.js', import.meta.url));

export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** A response from the API, with its error if it is one. */
export interface ApiResult<T = unknown> {
  status: number;
  body: T;
  error: (ErrorBody & Record<string, unknown>) | null;
}

/** A world's CBOS server, run as users run it, with the functions that tests need. */
export interface Cbos {
  url: string;
  token: string;
  pid: number;
  call<T = unknown>(method: string, path: string, body?: unknown): Promise<ApiResult<T>>;
  session(slug: string): Promise<Session>;
  /** runs `cbos ARGS` in the world */
  cli(args: readonly string[], options?: CliOptions): Promise<CliResult>;
  /** resolves with the session once the condition holds */
  until(slug: string, condition: (session: Session) => boolean, describe: string, timeoutMs?: number): Promise<Session>;
  /** waits until the session has this primary and detail: `waiting/permission` */
  untilStatus(slug: string, status: string, timeoutMs?: number): Promise<Session>;
  /** a WebSocket client that keeps every frame */
  watch(): Promise<Watcher>;
  /** stops the server; its sessions continue */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export interface CliOptions {
  stdin?: string;
  env?: Record<string, string>;
  cwd?: string;
}

export interface Watcher {
  frames: (StreamFrame & { receivedAt: number })[];
  send(command: unknown): void;
  /** the statuses of one session in the order in which they arrived: `idle/ready` */
  statuses(slug: string): string[];
  close(): void;
}

/** Runs `cbos ARGS` in a world, and resolves when it has ended. */
export async function runCbos(world: World, args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...world.env, ...options.env },
    cwd: options.cwd ?? world.projectDir,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // A command that refuses its arguments ends before it reads its input, which breaks the pipe.
  child.stdin.on('error', () => undefined).end(options.stdin ?? '');
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: code ?? -1, stdout, stderr };
}

/**
 * Starts a world's server and waits until it answers. The server ends with the world.
 * @param through a command that runs the server in special circumstances
 */
export async function startCbos(
  world: World,
  extraEnv: Record<string, string> = {},
  through: readonly string[] = [],
): Promise<Cbos> {
  const port = Number(extraEnv.CBOS_PORT ?? (await world.freePort()));
  const env = { ...world.env, CBOS_PORT: String(port), ...extraEnv };
  const [command = '', ...args] = [...through, process.execPath, PROGRAM, 'serve'];
  const child = spawn(command, args, { env, cwd: world.dir, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  const url = `http://127.0.0.1:${port}`;
  await waitFor(
    async () => (child.exitCode === null ? (await fetch(`${url}/health`).catch(() => null))?.ok === true : true),
    {
      describe: `the server answers at ${url}`,
      timeoutMs: 120_000,
    },
  );
  if (child.exitCode !== null) throw new Error(`the server ended at once: ${said}`);
  world.onDispose(() => stopChild(child, 'SIGTERM'));
  const tokenFile = join(world.cbosHome, 'token');
  const token = existsSync(tokenFile) ? readFileSync(tokenFile, 'utf8').trim() : '';
  return openCbos({ world, child, url, token });
}

function openCbos(parts: { world: World; child: ChildProcess; url: string; token: string }): Cbos {
  const { world, child, url, token } = parts;
  const call = async <T>(method: string, path: string, body?: unknown): Promise<ApiResult<T>> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const value: unknown = text === '' ? null : JSON.parse(text);
    if (response.ok && method === 'POST' && path === '/sessions') willRemove((value as Session).slug);
    const error = response.ok ? null : (value as { error: ErrorBody & Record<string, unknown> }).error;
    return { status: response.status, body: value as T, error };
  };
  const willRemove = (slug: string): void =>
    removeBeforeRetry(async () => {
      await call('POST', `/sessions/${slug}/kill`);
      await call('DELETE', `/sessions/${slug}`);
    });
  const session = async (slug: string): Promise<Session> => {
    const result = await call<Session>('GET', `/sessions/${slug}`);
    if (result.error !== null) throw new Error(`${result.error.code}: ${result.error.message}`);
    return result.body;
  };
  const until: Cbos['until'] = async (slug, condition, describe, timeoutMs = 30_000) => {
    let last: Session | null = null;
    await waitFor(
      async () => {
        last = await session(slug);
        return condition(last);
      },
      {
        describe: `${slug} ${describe}`,
        actual: () => `${JSON.stringify(last?.status)}\n${last?.buffer_tail}`,
        timeoutMs,
      },
    );
    return session(slug);
  };
  return {
    url,
    token,
    pid: child.pid ?? -1,
    call,
    session,
    cli: (args, options) => {
      if (args[0] === 'new' && args[1] !== undefined) willRemove(args[1]);
      return runCbos(world, args, options);
    },
    until,
    untilStatus: (slug, status, timeoutMs) => until(slug, (one) => isInStatus(one, status), `is ${status}`, timeoutMs),
    watch: () => openWatcher(url, token, world),
    stop: (signal = 'SIGTERM') => stopChild(child, signal),
  };
}

/**
 * Reports whether a session has this status. A session in a terminal is only idle once something is on its screen: on a
 * loaded machine, the registry may report it as idle a moment before.
 */
function isInStatus({ status: { primary, detail }, type, buffer_tail: tail }: Session, status: string): boolean {
  const isDrawn = type !== 'screen' || primary !== 'idle' || (tail ?? '').trim() !== '';
  return `${primary}/${detail}` === status && isDrawn;
}

async function openWatcher(url: string, token: string, world: World): Promise<Watcher> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/stream`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const frames: Watcher['frames'] = [];
  socket.on('message', (data) => {
    frames.push({ ...(JSON.parse(String(data)) as StreamFrame), receivedAt: Date.now() });
  });
  await once(socket, 'open');
  world.onDispose(() => socket.terminate());
  return {
    frames,
    send: (command) => socket.send(JSON.stringify(command)),
    statuses: (slug) =>
      frames.flatMap((frame) =>
        frame.type === 'session_state' && frame.session === slug
          ? [`${frame.status.primary}/${frame.status.detail}`]
          : [],
      ),
    close: () => socket.close(),
  };
}

async function stopChild(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}
