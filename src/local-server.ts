import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServeRequest, SettingFlags, StartRequest } from './cli/local-host.ts';
import { openLogFile } from './platform/files/log-file.ts';
import { isAlive, readProcess, waitUntil } from './platform/process/index.ts';
import { prepareHome, readSettings } from './platform/settings/index.ts';
import { isDiskFull } from './platform/sqlite/disk-full.ts';
import { type LockHolder, readLockHolder, takeHomeLock } from './platform/sqlite/home-lock.ts';
import { CatalogueError, SETTING_ROWS } from './protocol/index.ts';
import { createSystemClock } from './server/clock.ts';
import { searchProgram, type ThisProgram, webDirectory } from './this-program.ts';

/** A server is ready within half a second; a machine under load, or one with many sessions, takes longer. */
const START_LIMIT_MS = 20_000;
/** Open answers are let finish; then it goes. */
const STOP_LIMIT_MS = 15_000;
const LOOK_EVERY_MS = 20;
/** The log of the runs before is kept once, so the disk never fills up with it. */
const LOG_LIMIT_BYTES = 10_000_000;

/** The server of a home, null when none runs. Looks at the lock, so what a killed server left behind does not count. */
export function runningServer(home: string): LockHolder | null {
  const holder = readLockHolder(home);
  if (holder === null) return null;
  const lock = takeHomeLock(home);
  if (lock === null) return holder;
  lock.release();
  return null;
}

/** @throws CatalogueError no_server where the process of the home's server is stopped */
export async function requireNotStopped(home: string): Promise<void> {
  const holder = runningServer(home);
  const state = holder === null ? null : (await readProcess(holder.pid))?.state;
  if (holder === null || (state !== 'T' && state !== 't')) return;
  throw new CatalogueError('no_server', `The server does not answer: its process (pid ${holder.pid}) is stopped`, {
    hint: `kill -CONT ${holder.pid}`,
  });
}

function isHeld(home: string): boolean {
  const lock = takeHomeLock(home);
  lock?.release();
  return lock === null;
}

/** The server in this process, until `signal` aborts. */
export async function runServer(self: ThisProgram, { flags, signal, onReady }: ServeRequest): Promise<void> {
  const [{ startServer }, { pino }] = await Promise.all([import('./server/start-server.ts'), import('pino')]);
  const { settings, rules } = await readSettings({ ...self, flags });
  await prepareHome(settings.home);
  const logFile = join(settings.home, 'server.log');
  keepLogSmall(logFile);
  const log = pino({ level: self.environment.CBOS_LOG_LEVEL ?? 'info', base: null }, openLogFile(logFile));
  // What a person asked for is refused, what is only noted comes again with the next change: no full disk may end the watch over sessions.
  process.on('uncaughtException', (cause) => {
    if (!isDiskFull(cause)) throw cause;
    log.error({ err: cause }, 'the disk is full: something could not be written');
  });
  const server = await startServer({
    settings,
    rules,
    environment: self.environment,
    tempDir: tmpdir(),
    version: self.version,
    webDir: webDirectory(self),
    pid: self.pid,
    searchProgram: searchProgram(self),
    clock: createSystemClock(),
    log,
  });
  onReady(server.address);
  if (!signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  await server.close();
}

/** The server as a process of its own session, so that neither Ctrl+C nor a closed terminal ends it. */
export async function startInBackground(
  self: ThisProgram,
  { flags, onProgress }: StartRequest,
): Promise<'started' | 'already_running'> {
  const { settings } = await readSettings({ ...self, flags });
  await requireNotStopped(settings.home);
  if (await isAnswering(settings.socket)) return 'already_running';
  await prepareHome(settings.home);
  onProgress('starting the server');
  const outputFile = join(settings.home, 'server.out');
  const output = openSync(outputFile, 'w', 0o600);
  const child = spawn(self.node, [self.program, 'serve'], {
    detached: true,
    stdio: ['ignore', output, output],
    cwd: settings.home,
    env: { ...self.environment, ...environmentOf(flags), CBOS_HOME: settings.home },
  });
  closeSync(output);
  let ended = false;
  child.once('error', () => {
    ended = true;
  });
  child.once('exit', () => {
    ended = true;
  });
  const deadline = performance.now() + START_LIMIT_MS;
  while (!(await isAnswering(settings.socket))) {
    // Where somebody else's start was faster, that server is waited for.
    if (ended && !isHeld(settings.home)) throw startFailure(readFileSync(outputFile, 'utf8'));
    if (performance.now() > deadline)
      throw new CatalogueError('timed_out', 'The server does not answer', {
        hint: `Look at ${join(settings.home, 'server.log')}`,
      });
    await delay(LOOK_EVERY_MS);
  }
  child.unref();
  const pid = await answeringPid(settings.home, deadline);
  return pid === child.pid ? 'started' : 'already_running';
}

/** Whose server it is that answers: it says so right after it began to listen, and until then the file may be an older one's. */
async function answeringPid(home: string, deadline: number): Promise<number | null> {
  for (;;) {
    const pid = readLockHolder(home)?.pid ?? null;
    if ((pid !== null && (await readProcess(pid)) !== null) || performance.now() > deadline) return pid;
    await delay(LOOK_EVERY_MS);
  }
}

/** Flags of the caller as the environment of the server. */
function environmentOf(flags: SettingFlags): Record<string, string> {
  return Object.fromEntries(
    SETTING_ROWS.flatMap(({ name, environment }) => {
      const value = flags[name];
      return value === undefined || environment === null ? [] : [[environment, value]];
    }),
  );
}

/** What the server said on its way out: its own one-line error. */
function startFailure(said: string): CatalogueError {
  const last = said.trim().split('\n').at(-1) ?? '';
  const [message, hint] = last.replace(/^cbos: /, '').split(' — ', 2);
  return new CatalogueError(
    'no_server',
    message === undefined || message === '' ? 'The server ended at once' : message,
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

/** SIGTERM, and wait for its end. Sessions stay alive. */
export async function stopServer(holder: LockHolder): Promise<void> {
  const info = await readProcess(holder.pid);
  if (info === null) return;
  process.kill(holder.pid, 'SIGTERM');
  const gone = await waitUntil(async () => ((await isAlive(info)) ? null : true), {
    timeoutMs: STOP_LIMIT_MS,
    everyMs: LOOK_EVERY_MS,
  });
  if (gone === null)
    throw new CatalogueError('timed_out', `The server (pid ${holder.pid}) does not end`, {
      hint: `kill -9 ${holder.pid}: sessions stay alive`,
    });
}

function keepLogSmall(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_LIMIT_BYTES) renameSync(file, `${file}.1`);
}
