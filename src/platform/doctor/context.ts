import { z } from 'zod';
import { Session, type Settings } from '../../protocol/index.ts';
import type { ScreenHost } from '../gnu-screen/index.ts';
import type { ServiceState } from '../systemd/index.ts';

/** The facts about a session that the doctor needs. A server of an older version does not report everything. */
export const AskedSession = z.object({
  ...Session.pick({ slug: true, pid: true }).shape,
  ...Session.pick({ recording_stopped_because: true, brought_back: true, undrawn_since: true }).partial().shape,
});
export type AskedSession = z.infer<typeof AskedSession>;

/** The context of the doctor's checks. The checks change nothing. */
export interface DoctorContext {
  settings: Settings;
  /** this program's version */
  version: string;
  /** without the leading v */
  nodeVersion: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** the environment that sessions would start with; Claude Code's version is asked in it */
  sessionEnvironment: Readonly<Record<string, string>>;
  userHome: string;
  userId: number;
  /** the doctor's own process */
  pid: number;
  /** Unix milliseconds */
  now: number;
  /** @throws CatalogueError screen_not_found, launch_failed */
  openScreen: () => Promise<Pick<ScreenHost, 'dir' | 'env' | 'pidDigits'>>;
  /** what the running server reports on the local socket; null if nothing answers there */
  askServer: () => Promise<{ version: string } | null>;
  /** the sessions of the running server; empty if nothing answers there */
  askSessions: () => Promise<readonly AskedSession[]>;
  /** @throws CatalogueError no_systemd */
  serviceState: () => Promise<ServiceState>;
  isLingering: () => boolean;
  /** the root of the proc file system; tests of the limits set another one */
  proc: string;
}
