import { z } from 'zod';
import { Session, type Settings } from '../../protocol/index.ts';
import type { ScreenHost } from '../gnu-screen/index.ts';
import type { ServiceState } from '../systemd/index.ts';

/** What the doctor needs to know about a session. An older server does not report all of it. */
export const AskedSession = z.object({
  ...Session.pick({ slug: true, pid: true }).shape,
  ...Session.pick({ path: true, place: true }).partial().shape,
  ...Session.pick({
    recording_stopped_because: true,
    brought_back: true,
    undrawn_since: true,
    hooks_silent: true,
  }).partial().shape,
});
export type AskedSession = z.infer<typeof AskedSession>;

/** What the doctor's checks work with. The checks change nothing. */
export interface DoctorContext {
  settings: Settings;
  /** the version of this program */
  version: string;
  /** the version of Node, without the leading v */
  nodeVersion: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** the environment that sessions would start with; Claude Code is asked for its version in this environment */
  sessionEnvironment: Readonly<Record<string, string>>;
  userHome: string;
  userId: number;
  /** the pid of the doctor's own process */
  pid: number;
  /** the current time, in Unix milliseconds */
  now: number;
  /** @throws CatalogueError screen_not_found, launch_failed */
  openScreen: () => Promise<Pick<ScreenHost, 'dir' | 'env' | 'pidDigits'>>;
  /** what the running server reports over the local socket, or null if nothing answers there */
  askServer: () => Promise<{ version: string } | null>;
  /** the sessions of the running server, or an empty list if nothing answers there */
  askSessions: () => Promise<readonly AskedSession[]>;
  /** @throws CatalogueError no_systemd */
  serviceState: () => Promise<ServiceState>;
  isLingering: () => boolean;
  /** the root of the proc file system; tests of the limits use a different one */
  proc: string;
}
