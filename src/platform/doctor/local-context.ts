import { request } from 'node:http';
import type { Settings } from '../../protocol/index.ts';
import { sessionEnvironment } from '../claude/index.ts';
import { openScreenHost } from '../gnu-screen/index.ts';
import { isLingering, type ServiceContext, serviceState } from '../systemd/index.ts';
import type { DoctorContext } from './context.ts';

export interface LocalDoctorOptions {
  settings: Settings;
  service: ServiceContext;
  /** this program's version */
  version: string;
  /** without the leading v */
  nodeVersion: string;
  /** Unix milliseconds */
  now: number;
  /** a directory for temporary files that exists */
  tempDir: string;
}

/** A healthy server answers in a millisecond; one that scans a thousand recordings may take a while. */
const ANSWER_MS = 2_000;

/** The doctor's view of this machine. */
export function localDoctorContext(options: LocalDoctorOptions): DoctorContext {
  const { settings, service, tempDir } = options;
  const { environment, userHome, userId, userName } = service;
  return {
    settings,
    version: options.version,
    nodeVersion: options.nodeVersion,
    now: options.now,
    environment,
    userHome,
    userId,
    proc: '/proc',
    sessionEnvironment: sessionEnvironment(environment, {
      launchId: 'doctor',
      spool: `${settings.home}/hooks`,
      alternateScreen: settings.claude_alternate_screen,
    }),
    // nothing is handed to Screen here, so a directory that is there already will do
    openScreen: () => openScreenHost({ env: environment, screenDir: settings.screen_dir, runDir: tempDir, tempDir }),
    askServer: () => askServer(settings.socket),
    serviceState: () => serviceState(service),
    isLingering: () => isLingering(userName),
  };
}

/** `GET /health` over the local socket; null where nothing answers, or something else than CBOS. */
function askServer(socketPath: string): Promise<{ version: string } | null> {
  return new Promise((resolve) => {
    const asked = request(
      { socketPath, path: '/health', headers: { host: 'localhost' }, timeout: ANSWER_MS },
      (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('error', () => resolve(null));
        answer.on('end', () => resolve(readVersion(Buffer.concat(pieces).toString('utf8'))));
      },
    );
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(null));
    asked.on('close', () => resolve(null));
    asked.end();
  });
}

function readVersion(body: string): { version: string } | null {
  try {
    const { version } = JSON.parse(body) as { version?: unknown };
    return typeof version === 'string' ? { version } : null;
  } catch {
    return null; // not ours
  }
}
