import { z } from 'zod';
import { Session, type Settings } from '../../protocol/index.ts';
import type { ScreenHost } from '../gnu-screen/index.ts';
import type { ServiceState } from '../systemd/index.ts';

/** What the doctor asks of a session. A server of an older version does not tell all. */
export const AskedSession = z.object({
  ...Session.pick({ slug: true, pid: true }).shape,
  ...Session.pick({ recording_stopped_because: true, brought_back: true, undrawn_since: true }).partial().shape,
});
export type AskedSession = z.infer<typeof AskedSession>;

/** What the doctor looks at. It changes nothing. */
export interface DoctorContext {
  settings: Settings;
  /** this program's version */
  version: string;
  /** without the leading v */
  nodeVersion: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** what sessions would be started with: the environment that Claude Code is asked for its version in */
  sessionEnvironment: Readonly<Record<string, string>>;
  userHome: string;
  userId: number;
  /** the doctor's own process */
  pid: number;
  /** Unix milliseconds */
  now: number;
  /** @throws CatalogueError screen_not_found, launch_failed */
  openScreen: () => Promise<Pick<ScreenHost, 'dir' | 'env' | 'pidDigits'>>;
  /** what the running server says on the local socket; null when nothing answers there */
  askServer: () => Promise<{ version: string } | null>;
  /** the sessions of the running server; none when nothing answers there */
  askSessions: () => Promise<readonly AskedSession[]>;
  /** @throws CatalogueError no_systemd */
  serviceState: () => Promise<ServiceState>;
  isLingering: () => boolean;
  /** root of the proc file system, for tests of the limits */
  proc: string;
}
