import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { DoctorCheck, LocalHost, SettingFlags } from '../cli/local-host.ts';
import { addressToCall, thresholdsOf } from '../core/settings/index.ts';
import { isSameHome, traceProcess } from '../platform/claude/index.ts';
import { attachCommand } from '../platform/gnu-screen/index.ts';
import { prepareHome, readSettings } from '../platform/settings/index.ts';
import { toHomeError } from '../platform/sqlite/home-fault.ts';
import { installService, type ServiceContext, serviceState, uninstallService } from '../platform/systemd/index.ts';
import { CatalogueError, type Settings } from '../protocol/index.ts';
import { ensureTokenFile, readToken, rotateTokenFile } from '../server/auth/token.ts';
import { runLocalDemo } from './demo.ts';
import { readGitBranches } from './git-branch.ts';
import { readLastModels } from './last-model.ts';
import { openInBrowser } from './open-in-browser.ts';
import { requireNotStopped, runningServer, runServer, startInBackground, stopServer, stopServerOf } from './server.ts';
import type { ThisProgram } from './this-program.ts';

/**
 * This machine, as the command line needs it: the server's process, the settings, the service. Code that only the
 * server, the doctor and the demo need is loaded on demand: without it, `cbos ls` starts in half the time.
 */
export function createLocalMachine(self: ThisProgram): LocalHost {
  const { environment } = self;
  const read = (flags: SettingFlags) => readSettings({ flags, environment, cwd: self.cwd, userHome: self.userHome });
  const settingsOf = async (flags: SettingFlags = {}): Promise<Settings> => (await read(flags)).settings;
  const serviceContext = () => {
    const { username, uid } = userInfo();
    return {
      node: self.node,
      program: self.program,
      environment,
      userHome: self.userHome,
      userName: username,
      userId: uid,
    };
  };

  /**
   * Refuses what an agent must not do from inside its session. The program runs with its user's rights, so it must
   * check this itself.
   */
  const requireOutside = async (): Promise<void> => {
    const { home, sessions_may } = await settingsOf();
    const isInside = traceProcess(self.pid)?.marks.some((mark) => mark.home === null || isSameHome(mark.home, home));
    if (sessions_may !== 'everything' && isInside === true) throw new CatalogueError('inside_session');
  };

  const machine: LocalHost = {
    settings: read,
    address: async () => {
      const settings = await settingsOf();
      return (await runningServer(settings.home, self.pid))?.address ?? addressToCall(settings.host, settings.port);
    },
    serve: (serve) => runServer(self, serve),
    startInBackground: (start) => startInBackground(self, start),
    requireNotStopped: async () => requireNotStopped((await settingsOf()).home, self.pid),
    stopServer: async () => {
      await requireOutside();
      const settings = await settingsOf();
      return (await stopServerOf(settings.home, self.pid)) ? 'stopped' : 'not_running';
    },
    readToken: async () => {
      await requireOutside();
      const settings = await settingsOf();
      if (settings.token !== null) return settings.token;
      await prepareHome(settings.home);
      const file = join(settings.home, 'token');
      return inHome(() => {
        ensureTokenFile(file);
        return readToken(file);
      });
    },
    rotateToken: async () => {
      await requireOutside();
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
      return inHome(() => rotateTokenFile(join(settings.home, 'token')));
    },
    gitBranches: readGitBranches,
    lastModels: (sessions) => readLastModels(environment, sessions),
    isFirstStart: async () => !existsSync(join((await settingsOf()).home, 'cbos.db')),
    openInBrowser: async (url) => openInBrowser(url, { environment, home: (await settingsOf()).home }),
    doctor: () => diagnose(self, serviceContext()),
    service: {
      install: async () => {
        await requireOutside();
        const context = serviceContext();
        // A server in the background holds the home. The service replaces it, and the sessions do not notice.
        const { running } = await serviceState(context);
        const holder = await runningServer((await settingsOf()).home, self.pid);
        if (!running && holder !== null) await stopServer(holder);
        return installService(context);
      },
      uninstall: async () => {
        await requireOutside();
        return uninstallService(serviceContext());
      },
      status: () => serviceState(serviceContext()),
    },
    attachArgv: (screenId) => attachCommand(screenId),
    runAttached: async (argv) => {
      await requireOutside();
      return runAttached(argv, await attachEnvironment(self, await settingsOf()));
    },
    demo: (request) => runLocalDemo(self, request),
    recordMisdetection: async (request) => {
      const { writeMisdetection } = await import('./misdetection.ts');
      const { home } = await settingsOf();
      await prepareHome(home);
      return inHome(() => writeMisdetection(request, { home, version: self.version }));
    },
    exportRecording: async (request) => {
      const { exportRecording } = await import('./recordings.ts');
      return exportRecording(request, { settings: await settingsOf(), cwd: self.cwd });
    },
    replay: async (request) => {
      const { replay } = await import('./recordings.ts');
      return replay(request, { settings: await settingsOf(), cwd: self.cwd });
    },
    timeline: async (request) => {
      const { readTimeline } = await import('./timeline.ts');
      const { settings, rules } = await read({});
      return readTimeline(request, { settings, thresholds: thresholdsOf(settings), rules, cwd: self.cwd });
    },
    tui: async (request) => {
      // In parallel: the screen appears some 50 ms sooner.
      const [{ openLocalTui }] = await Promise.all([
        import('./tui.ts'),
        machine.startInBackground({ flags: {}, onProgress: request.onProgress }),
      ]);
      return openLocalTui(self, machine, request);
    },
  };
  return machine;
}

/** Reports a failure of the home's disk as a catalogue error. */
async function inHome<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw toHomeError(cause);
  }
}

async function* diagnose(self: ThisProgram, service: ServiceContext): AsyncGenerator<DoctorCheck> {
  const { localDoctorContext, runDoctor } = await import('../platform/doctor/index.ts');
  const { settings } = await readSettings({ ...self, flags: {} });
  yield* runDoctor(
    localDoctorContext({
      settings,
      service,
      version: self.version,
      pid: self.pid,
      nodeVersion: process.versions.node,
      now: Date.now(),
      tempDir: tmpdir(),
    }),
  );
}

/**
 * The environment for `screen -x`: it must look where the server's sessions are, and must not believe that it runs
 * inside a Screen.
 */
async function attachEnvironment(
  { environment, pid }: ThisProgram,
  settings: Settings,
): Promise<ThisProgram['environment']> {
  const { STY: _, ...rest } = environment;
  const dir = (await runningServer(settings.home, pid))?.screen_dir ?? settings.screen_dir;
  return dir === null ? rest : { ...rest, SCREENDIR: dir };
}

function runAttached(argv: readonly string[], environment: ThisProgram['environment']): Promise<number> {
  const [program = '', ...args] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', env: { ...environment } });
    child.once('error', (cause) =>
      reject(new CatalogueError('screen_not_found', `${program} did not start`, { cause })),
    );
    child.once('exit', (code, signal) => resolve(signal === null ? (code ?? 1) : 1));
  });
}
