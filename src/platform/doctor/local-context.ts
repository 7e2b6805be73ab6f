import { request } from 'node:http';
import { z } from 'zod';
import { parseJson, type Settings } from '../../protocol/index.ts';
import { sessionEnvironment } from '../claude/index.ts';
import { openScreenHost } from '../gnu-screen/index.ts';
import { isLingering, type ServiceContext, serviceState } from '../systemd/index.ts';
import { AskedSession, type DoctorContext } from './context.ts';

export interface LocalDoctorOptions {
  settings: Settings;
  service: ServiceContext;
  /** the version of this program */
  version: string;
  /** the version of Node, without the leading v */
  nodeVersion: string;
  /** the current time, in Unix milliseconds */
  now: number;
  /** the pid of the doctor's own process */
  pid: number;
  /** an existing directory in which temporary files can be created */
  tempDir: string;
}

/**
 * How long to wait for the server. A healthy server answers in a millisecond, but one that is scanning a thousand
 * recordings may take longer.
 */
const ANSWER_MS = 2_000;

/** Returns what the doctor's checks need to know about this machine. */
export function localDoctorContext(options: LocalDoctorOptions): DoctorContext {
  const { settings, service, tempDir, pid } = options;
  const { environment, userHome, userId, userName } = service;
  return {
    settings,
    version: options.version,
    nodeVersion: options.nodeVersion,
    now: options.now,
    environment,
    userHome,
    userId,
    pid,
    proc: '/proc',
    sessionEnvironment: sessionEnvironment(environment, {
      launchId: 'doctor',
      spool: `${settings.home}/hooks`,
      alternateScreen: settings.claude_alternate_screen,
    }),
    // The doctor passes nothing to Screen, so any existing directory is good enough.
    openScreen: () => openScreenHost({ env: environment, screenDir: settings.screen_dir, runDir: tempDir, tempDir }),
    askServer: () => askHealth(settings.socket),
    askSessions: () => askSessions(settings.socket),
    serviceState: () => serviceState(service),
    isLingering: () => isLingering(userName),
  };
}

/**
 * Sends a `GET` request over the local socket. Returns null if nothing answers, or if the answer does not come from
 * CBOS.
 */
function askServer(socketPath: string, path: string): Promise<unknown> {
  return new Promise((resolve) => {
    const asked = request({ socketPath, path, headers: { host: 'localhost' }, timeout: ANSWER_MS }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('error', () => resolve(null));
      answer.on('end', () => resolve(parseJson(Buffer.concat(pieces).toString('utf8'))));
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(null));
    asked.on('close', () => resolve(null));
    asked.end();
  });
}

const Health = z.object({ version: z.string() });

async function askHealth(socket: string): Promise<{ version: string } | null> {
  return Health.safeParse(await askServer(socket, '/health')).data ?? null;
}

async function askSessions(socket: string): Promise<readonly AskedSession[]> {
  return z.array(AskedSession).safeParse(await askServer(socket, '/sessions')).data ?? [];
}
