import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endMarked, findMarked, folderPrefix, MARK, type MarkedProcess } from './marked-processes.mjs';
import { currentRunId } from './run-id.ts';

/**
 * A separate environment for one test. It contains nothing that belongs to the person who runs the tests, and none of
 * it remains afterwards.
 */
export interface World {
  /** `/dev/shm/cb-…` or `/tmp/cb-…`, short because socket paths are limited; everything else is inside it */
  dir: string;
  home: string;
  cbosHome: string;
  screenDir: string;
  streamDir: string;
  /** a directory that sessions may work in; `project` creates more */
  projectDir: string;
  /** TMPDIR */
  temporary: string;
  /** the complete environment for the world's processes, built from an allow-list and never inherited */
  env: Record<string, string>;
  /** the value of the environment mark by which the world's processes are found */
  mark: string;
  /** creates a directory for a session to work in */
  project(name: string): string;
  /** a TCP port on loopback on which nothing was listening just now */
  freePort(): Promise<number>;
  /** this world's living processes */
  processes(): MarkedProcess[];
  /**
   * registers a function that runs when the world ends, before the world's processes are killed; the functions run in
   * reverse order
   */
  onDispose(end: () => void | Promise<void>): void;
  /** ends all of the world's processes and removes its folder; calling it again does nothing */
  dispose(): Promise<void>;
}

/** The marks of the worlds that this process has created, in order: what a test file uses, its worlds use. */
const createdMarks: string[] = [];

/** Returns the marks of the worlds that this process has created, except the first ones. */
export const createdMarksAfter = (first: number): readonly string[] => createdMarks.slice(first);

/** The directories in which Debian keeps programs. A person's own PATH could contain another `claude` or `screen`. */
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export interface WorldOptions {
  /** directories that come before the system's in PATH */
  path?: readonly string[];
}

/**
 * Creates a world: directories of mode 0700 and an environment. Use `await using`, or `dispose()` in a `finally` or
 * `afterEach`.
 */
export function createWorld(options: WorldOptions = {}): World & AsyncDisposable {
  const run = currentRunId();
  const dir = mkdtempSync(join(tmpdir(), folderPrefix(run)));
  const mark = `${run}.${dir.slice(-6)}`;
  createdMarks.push(mark);
  const make = (...parts: string[]): string => {
    const path = join(dir, ...parts);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  };
  const home = make('home');
  const screenDir = make('s');
  const streamDir = make('streams');
  const projectDir = make('project');
  // Programs put sockets and scratch files there (Claude Code 2.1.329: `cc-socks`, `claude-UID`), which are removed
  // with the world.
  const temporary = make('t');
  const cbosHome = join(dir, 'cbos');
  const nodeDirectory = join(process.execPath, '..');
  const endings: (() => void | Promise<void>)[] = [];
  let disposed: Promise<void> | null = null;

  const world: World = {
    dir,
    home,
    cbosHome,
    screenDir,
    streamDir,
    projectDir,
    temporary,
    mark,
    env: {
      PATH: [...(options.path ?? []), nodeDirectory, SYSTEM_PATH].join(':'),
      LANG: 'C.UTF-8',
      TERM: 'xterm-256color',
      HOME: home,
      SHELL: '/bin/sh',
      USER: 'user',
      TMPDIR: temporary,
      CBOS_HOME: cbosHome,
      // The kernel chooses a free one. Another server on this machine may have the default port.
      CBOS_PORT: '0',
      CBOS_STREAM_STREAM_DIR: streamDir,
      SCREENDIR: screenDir,
      [MARK]: mark,
    },
    project: (name) => make(name),
    freePort,
    processes: () => findMarked((other) => other === mark),
    onDispose: (end) => void endings.push(end),
    dispose: () => {
      disposed ??= disposeWorld({ dir, mark, endings });
      return disposed;
    },
  };
  return { ...world, [Symbol.asyncDispose]: world.dispose };
}

async function disposeWorld(world: {
  dir: string;
  mark: string;
  endings: (() => void | Promise<void>)[];
}): Promise<void> {
  const failures: unknown[] = [];
  for (const end of world.endings.reverse()) {
    try {
      await end();
    } catch (error) {
      failures.push(error);
    }
  }
  await endMarked((mark) => mark === world.mark);
  // The removal is retried, because a process that was just killed may have been writing there.
  rmSync(world.dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  if (failures.length > 0) throw new AggregateError(failures, 'ending the world failed in parts');
}

/**
 * The ports that tests use: below those from which a kernel takes the ports of connections (from 32,768 by default), so
 * that no connection takes a port between the moment it is found free and the moment its server listens.
 */
const PORTS = { first: 20_000, count: 12_000 };
/** Workers that run side by side use different ports: worker 1 of 8 every eighth port. */
const WORKERS = 8;
const WORKER = Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS;
const PORTS_OF_A_WORKER = PORTS.count / WORKERS;
let lastPort = Math.floor(Math.random() * PORTS_OF_A_WORKER);

async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS_OF_A_WORKER; tries += 1) {
    lastPort = (lastPort + 1) % PORTS_OF_A_WORKER;
    const port = PORTS.first + lastPort * WORKERS + WORKER;
    if (await isFree(port)) return port;
  }
  throw new Error(`none of the ports from ${PORTS.first} on is free`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
