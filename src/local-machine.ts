import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DoctorCheck, LocalHost, ServeRequest, SettingFlags, StartRequest } from './cli/local-host.ts';
import { openInBrowser } from './open-in-browser.ts';
import { resolveClaude } from './platform/claude/index.ts';
import { attachCommand } from './platform/gnu-screen/index.ts';
import { isAlive, readProcess, waitUntil } from './platform/process/index.ts';
import { prepareHome, readSettings } from './platform/settings/index.ts';
import { type LockHolder, readLockHolder, takeHomeLock } from './platform/sqlite/home-lock.ts';
import { installService, type ServiceContext, serviceState, uninstallService } from './platform/systemd/index.ts';
import { CatalogueError, SETTING_ROWS, type Settings } from './protocol/index.ts';
import { ensureTokenFile, readToken, rotateTokenFile } from './server/auth/token.ts';
import { systemClock } from './server/clock.ts';

/** A server is ready within half a second; a machine under load, or one with many sessions, takes longer. */
const START_LIMIT_MS = 20_000;
/** Open answers are let finish; then it goes. */
const STOP_LIMIT_MS = 15_000;
const LOOK_EVERY_MS = 20;
/** The log of the runs before is kept once, so the disk never fills up with it. */
const LOG_LIMIT_BYTES = 10_000_000;

type Environment = Readonly<Record<string, string | undefined>>;

export interface LocalMachineOptions {
  environment: Environment;
  cwd: string;
  userHome: string;
  /** Node and the program, to run themselves again in the background */
  node: string;
  program: string;
  /** how a person calls it: `cbos`, or in a checkout by its path */
  calledAs: string;
  pid: number;
  version: string;
}

/**
 * This machine, as the command line needs it: the server's process, the settings, the service. What only the server, the
 * doctor and the demo need is loaded when they are asked for: `cbos ls` starts in half the time without it.
 */
export function createLocalMachine(options: LocalMachineOptions): LocalHost {
  const { environment } = options;
  const read = (flags: SettingFlags) =>
    readSettings({ flags, environment, cwd: options.cwd, userHome: options.userHome });
  const settingsOf = async (flags: SettingFlags = {}): Promise<Settings> => (await read(flags)).settings;
  const serviceContext = () => {
    const { username, uid } = userInfo();
    return {
      node: options.node,
      program: options.program,
      environment,
      userHome: options.userHome,
      userName: username,
      userId: uid,
    };
  };

  const machine: LocalHost = {
    settings: read,
    address: async () => {
      const settings = await settingsOf();
      return runningServer(settings.home)?.address ?? `http://${settings.host}:${settings.port}`;
    },
    serve: (serve) => runServer(options, serve),
    startInBackground: (start) => startInBackground(options, start),
    stopServer: async () => {
      const settings = await settingsOf();
      const holder = runningServer(settings.home);
      if (holder === null) return 'not_running';
      await stopProcess(holder);
      return 'stopped';
    },
    readToken: async () => {
      const settings = await settingsOf();
      if (settings.token !== null) return settings.token;
      await prepareHome(settings.home);
      const file = join(settings.home, 'token');
      ensureTokenFile(file);
      return readToken(file);
    },
    rotateToken: async () => {
      const { settings, rows } = await read({});
      const origin = rows.find((row) => row.name === 'token')?.origin;
      if (settings.token !== null) {
        throw new CatalogueError(
          'invalid_setting',
          `The token comes from ${origin === 'file' ? 'config.toml' : 'CBOS_TOKEN'}`,
          {
            hint: 'Change it there and restart the server (cbos down && cbos up)',
          },
        );
      }
      await prepareHome(settings.home);
      return rotateTokenFile(join(settings.home, 'token'));
    },
    openInBrowser: async (url) => openInBrowser(url, { environment, home: (await settingsOf()).home }),
    doctor: () => diagnose(options, serviceContext()),
    service: {
      install: async () => {
        const context = serviceContext();
        // A server in the background holds the home; the service takes its place, and the sessions never notice.
        const { running } = await serviceState(context);
        const holder = runningServer((await settingsOf()).home);
        if (!running && holder !== null) await stopProcess(holder);
        return installService(context);
      },
      uninstall: () => uninstallService(serviceContext()),
      status: () => serviceState(serviceContext()),
    },
    attachArgv: (screenId) => attachCommand(screenId),
    runAttached: async (argv) => runAttached(argv, attachEnvironment(options, await settingsOf())),
    demo: ({ signal, onProgress }) => demonstrate(options, { signal, print: onProgress }),
    recordMisdetection: async (request) => {
      const { writeMisdetection } = await import('./local-misdetection.ts');
      const { home } = await settingsOf();
      await prepareHome(home);
      return writeMisdetection(request, { home, version: options.version });
    },
    exportRecording: async (request) => {
      const { exportRecording } = await import('./local-recordings.ts');
      return exportRecording(request, { settings: await settingsOf(), cwd: options.cwd });
    },
    replay: async (request) => {
      const { replay } = await import('./local-recordings.ts');
      return replay(request, { settings: await settingsOf(), cwd: options.cwd });
    },
    timeline: async (request) => {
      const { readTimeline } = await import('./local-timeline.ts');
      return readTimeline(request, { ...(await read({})), cwd: options.cwd });
    },
    tui: async (request) => {
      // Side by side: the picture comes some 50 ms sooner.
      const [{ openLocalTui }] = await Promise.all([
        import('./local-tui.ts'),
        machine.startInBackground({ flags: {}, onProgress: request.onProgress }),
      ]);
      return openLocalTui(options, machine, request);
    },
  };
  return machine;
}

async function* diagnose(options: LocalMachineOptions, service: ServiceContext): AsyncGenerator<DoctorCheck> {
  const { localDoctorContext, runDoctor } = await import('./platform/doctor/index.ts');
  const { settings } = await readSettings({ ...options, flags: {} });
  yield* runDoctor(
    localDoctorContext({
      settings,
      service,
      version: options.version,
      nodeVersion: process.versions.node,
      now: Date.now(),
      tempDir: tmpdir(),
    }),
  );
}

/** With the user's Claude Code, or in a checkout with the pinned one. */
async function demonstrate(
  options: LocalMachineOptions,
  { signal, print }: { signal: AbortSignal; print: (line: string) => void },
): Promise<void> {
  const [{ NO_CLAUDE, runDemo }, { openDemoFleet }, { pino }] = await Promise.all([
    import('./demo/index.ts'),
    import('./demo-fleet.ts'),
    import('pino'),
  ]);
  const { settings } = await readSettings({ ...options, flags: {} });
  const claude = findDemoClaude(options, settings);
  if (claude === null) throw new CatalogueError('claude_not_found', NO_CLAUDE);
  await runDemo({
    claude,
    nodeDirectory: dirname(options.node),
    temporaryDirectory: tmpdir(),
    program: options.calledAs,
    openFleet: (environment) =>
      openDemoFleet({
        environment,
        pid: options.pid,
        searchProgram: searchProgramOf(options),
        version: options.version,
        webDir: webDirectory(options),
        log: pino({ level: 'silent' }),
      }),
    print,
    signal,
  });
}

function findDemoClaude(options: LocalMachineOptions, settings: Settings): string | null {
  const pinned = join(
    dirname(options.program),
    '..',
    'node_modules',
    '@anthropic-ai',
    `claude-code-linux-${process.arch}`,
    'claude',
  );
  for (const command of [settings.claude_command, pinned]) {
    try {
      return resolveClaude(command, options.environment.PATH ?? '');
    } catch (cause) {
      if (!(cause instanceof CatalogueError)) throw cause;
    }
  }
  return null;
}

/** The server of a home, null when none runs. Looks at the lock, so what a killed server left behind does not count. */
function runningServer(home: string): LockHolder | null {
  const holder = readLockHolder(home);
  if (holder === null) return null;
  const lock = takeHomeLock(home);
  if (lock === null) return holder;
  lock.release();
  return null;
}

async function stopProcess(holder: LockHolder): Promise<void> {
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

async function runServer(options: LocalMachineOptions, { flags, signal, onReady }: ServeRequest): Promise<void> {
  const [{ startServer }, { pino }] = await Promise.all([import('./server/start-server.ts'), import('pino')]);
  const { settings, rules } = await readSettings({ ...options, flags });
  await prepareHome(settings.home);
  const logFile = join(settings.home, 'server.log');
  keepLogSmall(logFile);
  const log = pino(
    { level: options.environment.CBOS_LOG_LEVEL ?? 'info', base: null },
    pino.destination({ dest: logFile, append: true, mode: 0o600, sync: true }),
  );
  const server = await startServer({
    settings,
    rules,
    environment: options.environment,
    tempDir: tmpdir(),
    version: options.version,
    webDir: webDirectory(options),
    pid: options.pid,
    searchProgram: searchProgramOf(options),
    clock: systemClock,
    log,
  });
  onReady(server.address);
  if (!signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  await server.close();
}

/** Beside the program, where the build puts it. */
function webDirectory({ program }: LocalMachineOptions): string {
  return join(dirname(program), 'web');
}

/** The build puts it beside the program. */
function searchProgramOf({ program }: LocalMachineOptions): string {
  return join(dirname(program), 'parts', 'search-worker.js');
}

function keepLogSmall(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_LIMIT_BYTES) renameSync(file, `${file}.1`);
}

/** The server as a process of its own session, so that neither Ctrl+C nor a closed terminal ends it. */
async function startInBackground(
  options: LocalMachineOptions,
  { flags, onProgress }: StartRequest,
): Promise<'started' | 'already_running'> {
  const { settings } = await readSettings({ ...options, flags });
  if (await isAnswering(settings.socket)) return 'already_running';
  await prepareHome(settings.home);
  onProgress('starting the server');
  const outputFile = join(settings.home, 'server.out');
  const output = openSync(outputFile, 'w', 0o600);
  const child = spawn(options.node, [options.program, 'serve'], {
    detached: true,
    stdio: ['ignore', output, output],
    cwd: settings.home,
    env: { ...options.environment, ...environmentOf(flags), CBOS_HOME: settings.home },
  });
  closeSync(output);
  let ended = false;
  child.once('error', () => {
    ended = true;
  });
  child.once('exit', () => {
    ended = true;
  });
  const deadline = Date.now() + START_LIMIT_MS;
  while (!(await isAnswering(settings.socket))) {
    if (ended) throw startFailure(readFileSync(outputFile, 'utf8'));
    if (Date.now() > deadline)
      throw new CatalogueError('timed_out', 'The server does not answer', {
        hint: `Look at ${join(settings.home, 'server.log')}`,
      });
    await delay(LOOK_EVERY_MS);
  }
  child.unref();
  return 'started';
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

/** `screen -x` must look where the server's sessions are, and must not believe that it runs inside of one. */
function attachEnvironment({ environment }: LocalMachineOptions, settings: Settings): Environment {
  const { STY: _, ...rest } = environment;
  const dir = runningServer(settings.home)?.screen_dir ?? settings.screen_dir;
  return dir === null ? rest : { ...rest, SCREENDIR: dir };
}

function runAttached(argv: readonly string[], environment: Environment): Promise<number> {
  const [program = '', ...args] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', env: { ...environment } });
    child.once('error', (cause) =>
      reject(new CatalogueError('screen_not_found', `${program} did not start`, { cause })),
    );
    child.once('exit', (code, signal) => resolve(signal === null ? (code ?? 1) : 1));
  });
}
