import { existsSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { DoctorCheck, LocalHost, SettingFlags } from '../cli/local-host.ts';
import { addressToCall, thresholdsOf } from '../core/settings/index.ts';
import { attachCommand } from '../platform/gnu-screen/index.ts';
import { prepareHome, readSettings } from '../platform/settings/index.ts';
import { toHomeError } from '../platform/sqlite/home-fault.ts';
import type { ServiceContext } from '../platform/systemd/index.ts';
import { CatalogueError, type Settings, settingVariable } from '../protocol/index.ts';
import { readGitBranches } from './git-branch.ts';
import { readLastModels } from './last-model.ts';
import type { ThisProgram } from './this-program.ts';

const server = () => import('./server.ts');
const systemd = () => import('../platform/systemd/index.ts');

/**
 * Gives the command line access to this machine: the server's process, the settings, the service. Code that only the
 * server, the doctor, or the demo needs is loaded on demand, which halves the start time of `cbos ls`.
 */
export function createLocalMachine(self: ThisProgram): LocalHost {
  const { environment } = self;
  const read = (flags: SettingFlags) => readSettings({ flags, environment, cwd: self.cwd, userHome: self.userHome });
  const settingsOf = async (flags: SettingFlags = {}): Promise<Settings> => (await read(flags)).settings;

  /**
   * Refuses actions that an agent must not take from inside its session. The program runs with the user's full rights,
   * so it has to check this itself.
   */
  const requireOutside = async (): Promise<void> => {
    const { home, sessions_may } = await settingsOf();
    const { isSameHome, traceProcess } = await import('../platform/claude/index.ts');
    const isInside = traceProcess(self.pid)?.marks.some((mark) => mark.home === null || isSameHome(mark.home, home));
    if (sessions_may !== 'everything' && isInside === true) throw new CatalogueError('inside_session');
  };

  const machine: LocalHost = {
    settings: read,
    address: async () => {
      const settings = await settingsOf();
      const { runningServer } = await server();
      return (await runningServer(settings.home, self.pid))?.address ?? addressToCall(settings.host, settings.port);
    },
    serve: async (serve) => (await server()).runServer(self, serve),
    startInBackground: async (start) => (await server()).startInBackground(self, start),
    requireNotStopped: async () => (await server()).requireNotStopped((await settingsOf()).home, self.pid),
    stopServer: async () => {
      await requireOutside();
      const settings = await settingsOf();
      const { stopServerOf } = await server();
      return (await stopServerOf(settings.home, self.pid)) ? 'stopped' : 'not_running';
    },
    ...tokenOf({ read, requireOutside }),
    gitBranches: readGitBranches,
    lastModels: async (sessions) => readLastModels(environment, sessions),
    isFirstStart: async () => !existsSync(join((await settingsOf()).home, 'cbos.db')),
    openInBrowser: async (url) => {
      const { openInBrowser } = await import('./open-in-browser.ts');
      return openInBrowser(url, { environment, home: (await settingsOf()).home });
    },
    doctor: () => diagnose(self, serviceContext(self)),
    service: serviceOf(self, { read, requireOutside }),
    attachArgv: (screenId) => attachCommand(screenId),
    runAttached: async (argv) => {
      await requireOutside();
      const { runAttached } = await import('./attach.ts');
      return runAttached(self, argv, await settingsOf());
    },
    openSsh: async (request) => {
      const { openSsh } = await import('../platform/ssh/index.ts');
      return openSsh({ ...request, ssh: (await settingsOf()).fleet_ssh, environment });
    },
    openFarTerminal: async (request) => (await import('./far-terminal.ts')).openFarTerminal(request),
    demo: async (request) => (await import('./demo.ts')).runLocalDemo(self, request),
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
      // Loading these modules in parallel makes the screen appear about 50 ms sooner.
      const [{ openLocalTui }] = await Promise.all([
        import('./tui.ts'),
        machine.startInBackground({ flags: {}, onProgress: request.onProgress }),
      ]);
      return openLocalTui(self, machine, request);
    },
  };
  return machine;
}

/** What the parts of this machine need from it. */
interface Access {
  read: LocalHost['settings'];
  requireOutside(): Promise<void>;
}

function tokenOf({ read, requireOutside }: Access): Pick<LocalHost, 'readToken' | 'rotateToken'> {
  return {
    readToken: async () => {
      await requireOutside();
      const { settings } = await read({});
      if (settings.token !== null) return settings.token;
      await prepareHome(settings.home);
      const file = join(settings.home, 'token');
      const { ensureTokenFile, readToken } = await import('../server/auth/token.ts');
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
        const place = origin === 'file' ? 'config.toml' : settingVariable('token');
        throw new CatalogueError('invalid_setting', `The token comes from ${place}`, {
          hint: 'Change it there, then restart the server: `cbos down && cbos up`',
        });
      }
      await prepareHome(settings.home);
      const { rotateTokenFile } = await import('../server/auth/token.ts');
      return inHome(() => rotateTokenFile(join(settings.home, 'token')));
    },
  };
}

function serviceOf(self: ThisProgram, { read, requireOutside }: Access): LocalHost['service'] {
  return {
    install: async () => {
      await requireOutside();
      const [{ installService, serviceState }, { runningServer, stopServer }] = await Promise.all([
        systemd(),
        server(),
      ]);
      const context = serviceContext(self);
      // Stop a server that runs in the background, because it holds the home's lock. The service then takes its
      // place, and no session is affected.
      const { running } = await serviceState(context);
      const holder = await runningServer((await read({})).settings.home, self.pid);
      if (!running && holder !== null) await stopServer(holder);
      return installService(context);
    },
    uninstall: async () => {
      await requireOutside();
      return (await systemd()).uninstallService(serviceContext(self));
    },
    status: async () => (await systemd()).serviceState(serviceContext(self)),
  };
}

function serviceContext({ node, program, environment, userHome }: ThisProgram): ServiceContext {
  const { username: userName, uid: userId } = userInfo();
  return { node, program, environment, userHome, userName, userId };
}

/** Converts a failure of the home's disk into a catalogue error. */
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
