import { existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServeRequest, SettingFlags, StartRequest } from '../cli/local-host.ts';
import { openLogFile } from '../platform/files/log-file.ts';
import { writeFault } from '../platform/files/write-fault.ts';
import {
  isAlive,
  isFilesLimit,
  isStopped,
  keepFreedMemorySmall,
  processNow,
  readProcess,
  startDetached,
  waitUntil,
} from '../platform/process/index.ts';
import { prepareHome, readSettings } from '../platform/settings/index.ts';
import { homeFault, toHomeError } from '../platform/sqlite/home-fault.ts';
import { findHomeHolders, type HomeHolder } from '../platform/sqlite/home-holders.ts';
import { LOCK_FILE, type LockHolder, readLockHolder, takeHomeLock } from '../platform/sqlite/home-lock.ts';
import { CatalogueError, SETTING_ROWS } from '../protocol/index.ts';
import { createSystemClock } from '../server/clock.ts';
import { docsDirectory, searchProgram, type ThisProgram, webDirectory } from './this-program.ts';

/**
 * How long to wait for the server to start. It is usually ready within half a second, but takes longer under load or
 * with many sessions.
 */
const START_LIMIT_MS = 20_000;
/** How long to wait for the server to stop. Before it stops, it completes the responses that it is still sending. */
const STOP_LIMIT_MS = 15_000;
const LOOK_EVERY_MS = 20;
/**
 * The maximum size of the log when a server starts. A larger log is set aside, and only one older log is kept, so that
 * logs never fill the disk.
 */
const LOG_LIMIT_BYTES = 10_000_000;

/** A running server. Fields are null if the server could not record them, for example because the disk was full. */
export type ServerProcess = Pick<LockHolder, 'pid' | 'address' | 'reach' | 'screen_dir'>;

/**
 * Returns a home's server, or null if no server is running. It checks the lock, so that files left behind by a killed
 * server are ignored.
 */
export async function runningServer(home: string, self: number): Promise<ServerProcess | null> {
  if (!isLocked(home)) return null;
  const written = readLockHolder(home);
  const holders = (await findHomeHolders(home, self)).filter(({ isRemoved }) => !isRemoved);
  if (written !== null && (holders.length === 0 || holders.some(({ pid }) => pid === written.pid))) return written;
  const [holder] = holders;
  return holder === undefined ? null : { pid: holder.pid, address: null, reach: null, screen_dir: null };
}

/** @throws CatalogueError no_server if the server's process has been stopped by a signal */
export async function requireNotStopped(home: string, self: number): Promise<void> {
  const holder = await runningServer(home, self);
  if (holder !== null) requireRunning(holder.pid);
}

const isStoppedNow = (pid: number): boolean => {
  const info = processNow(pid);
  return info !== null && isStopped(info);
};

function requireRunning(pid: number): void {
  if (!isStoppedNow(pid)) return;
  throw new CatalogueError('no_server', `The server does not respond: its process (pid ${pid}) is stopped`, {
    hint: `Resume it: \`kill -CONT ${pid}\``,
  });
}

function isLocked(home: string): boolean {
  if (!existsSync(join(home, LOCK_FILE))) return false;
  const lock = takeHomeLock(home);
  lock?.release();
  return lock === null;
}

/**
 * Runs the server in this process until `signal` is aborted.
 * @throws CatalogueError for expected errors, including failures of the home's disk
 */
export async function runServer(self: ThisProgram, request: ServeRequest): Promise<void> {
  await serve(self, request).catch((cause: unknown) => {
    throw toHomeError(cause);
  });
}

async function serve(self: ThisProgram, { flags, signal, onReady }: ServeRequest): Promise<void> {
  keepFreedMemorySmall();
  const [{ startServer }, { pino }] = await Promise.all([import('../server/start-server.ts'), import('pino')]);
  const { settings, rules, budgets: budgetRules } = await readSettings({ ...self, flags });
  await prepareHome(settings.home);
  const logFile = join(settings.home, 'server.log');
  keepLogSmall(logFile);
  const log = pino({ level: self.environment.CBOS_LOG_LEVEL ?? 'info', base: null }, openLogFile(logFile));
  // A disk failure must never keep CBOS from watching sessions. If a write fails during a user's request, the request
  // is refused. If a record cannot be written, it is written together with the next change.
  process.on('uncaughtException', (cause) => {
    if (homeFault(cause) === null && !isFilesLimit(cause)) throw cause;
    log.error({ err: cause }, 'a file in the home directory could not be read or written');
  });
  const server = await startServer({
    settings,
    rules,
    budgetRules,
    environment: self.environment,
    tempDir: tmpdir(),
    version: self.version,
    webDir: webDirectory(self),
    docsDir: docsDirectory(self),
    pid: self.pid,
    searchProgram: searchProgram(self),
    clock: createSystemClock(),
    log,
  });
  onReady(server.address, server.reach);
  const lost = await Promise.race([server.lost, untilAborted(signal)]);
  await server.close();
  if (lost !== null) throw lost;
}

function untilAborted(signal: AbortSignal): Promise<null> {
  if (signal.aborted) return Promise.resolve(null);
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }));
}

/** Starts the server in a process session of its own, so that neither Ctrl+C nor closing the terminal ends it. */
export async function startInBackground(
  self: ThisProgram,
  { flags, onProgress }: StartRequest,
): Promise<'started' | 'already_running'> {
  const { settings } = await readSettings({ ...self, flags });
  await requireNotStopped(settings.home, self.pid);
  if (await isAnswering(settings.socket)) return 'already_running';
  const stray = (await findHomeHolders(settings.home, self.pid)).find(({ isRemoved }) => isRemoved);
  if (stray !== undefined) throw strayServer(settings.home, stray);
  await prepareHome(settings.home);
  onProgress('starting the server');
  const outputFile = join(settings.home, 'server.out');
  const server = startDetached(self.node, [self.program, 'serve'], {
    cwd: settings.home,
    env: { ...self.environment, ...environmentOf(flags), CBOS_HOME: settings.home },
    output: outputFile,
  });
  const deadline = performance.now() + START_LIMIT_MS;
  while (!(await isAnswering(settings.socket))) {
    // If another process has started a server first, wait for that server.
    if (server.hasEnded() && !isLocked(settings.home)) {
      const said = readFileSync(outputFile, 'utf8');
      if (said === '' && (await writeFault(settings.home)) !== null) throw new CatalogueError('disk_full');
      throw startFailure(said);
    }
    if (performance.now() > deadline)
      throw new CatalogueError('timed_out', 'The server does not respond', {
        hint: `See ${join(settings.home, 'server.log')}`,
      });
    await delay(LOOK_EVERY_MS);
  }
  const pid = await answeringPid(settings.home, { self: self.pid, deadline });
  const reach = (await runningServer(settings.home, self.pid))?.reach;
  if (reach != null) onProgress(`the server is open to ${reach}`);
  return pid === server.pid ? 'started' : 'already_running';
}

/**
 * Finds out which server is responding. A server records its pid right after it starts to listen. Until then, the file
 * may still be from an earlier server.
 */
async function answeringPid(
  home: string,
  { self, deadline }: { self: number; deadline: number },
): Promise<number | null> {
  for (;;) {
    const pid = (await runningServer(home, self))?.pid ?? null;
    if ((pid !== null && (await readProcess(pid)) !== null) || performance.now() > deadline) return pid;
    await delay(LOOK_EVERY_MS);
  }
}

/** Converts the flags of the command into the server's environment. */
function environmentOf(flags: SettingFlags): Record<string, string> {
  return Object.fromEntries(
    SETTING_ROWS.flatMap(({ name, environment }) => {
      const value = flags[name];
      return value === undefined || environment === null ? [] : [[environment, value]];
    }),
  );
}

/** A server ends when it notices that its home has been removed, but a stopped or hanging server cannot notice. */
function strayServer(home: string, { pid }: HomeHolder): CatalogueError {
  const ending = isStoppedNow(pid)
    ? `Resume it: after \`kill -CONT ${pid}\`, the server notices that and ends`
    : '`cbos down` ends it';
  return new CatalogueError(
    'server_running',
    `A server (pid ${pid}) is still running for a home directory that was removed from ${home}`,
    { hint: `${ending}; its sessions keep running` },
  );
}

/** Returns the one-line error that the server printed before it exited. */
function startFailure(said: string): CatalogueError {
  const last = said.trim().split('\n').at(-1) ?? '';
  const [message, hint] = last.replace(/^cbos: /, '').split(' — ', 2);
  return new CatalogueError(
    'no_server',
    message === undefined || message === '' ? 'The server exited as soon as it started' : message,
    {
      ...(hint === undefined ? {} : { hint }),
    },
  );
}

function isAnswering(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const ask = request({ socketPath: socket, path: '/health', timeout: 2_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ask.once('error', () => resolve(false));
    ask.once('timeout', () => ask.destroy());
    ask.end();
  });
}

/**
 * Stops a home's server, even if the home has been removed since.
 * @returns whether a server was running
 * @throws CatalogueError no_server if the server's process has been stopped by a signal
 */
export async function stopServerOf(home: string, self: number): Promise<boolean> {
  const found = (await runningServer(home, self)) ?? (await findHomeHolders(home, self)).find((one) => one.isRemoved);
  if (found == null) return false;
  // A stopped process would not act on the signal to end.
  requireRunning(found.pid);
  await stopServer(found);
  return true;
}

/** Sends SIGTERM and waits for the process to exit. Sessions stay alive. */
export async function stopServer(holder: Pick<ServerProcess, 'pid'>): Promise<void> {
  const info = await readProcess(holder.pid);
  if (info === null) return;
  process.kill(holder.pid, 'SIGTERM');
  const gone = await waitUntil(async () => ((await isAlive(info)) ? null : true), {
    timeoutMs: STOP_LIMIT_MS,
    everyMs: LOOK_EVERY_MS,
  });
  if (gone === null)
    throw new CatalogueError('timed_out', `The server (pid ${holder.pid}) did not stop`, {
      hint: `End it with \`kill -9 ${holder.pid}\`; sessions keep running`,
    });
}

function keepLogSmall(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_LIMIT_BYTES) renameSync(file, `${file}.1`);
}
