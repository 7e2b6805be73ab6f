import { readProcess } from '../../../src/platform/process/index.ts';
import type { Session } from '../../../src/protocol/index.ts';

/** What a session in a terminal is made of, the outermost first. */
export interface SessionProcesses {
  /** Screen's */
  daemon: number;
  /** `script`, which records */
  recorder: number;
  claude: number;
}

export async function processesOf(session: Session): Promise<SessionProcesses> {
  const claude = session.pid ?? 0;
  const recorder = (await readProcess(claude))?.ppid ?? 0;
  const daemon = (await readProcess(recorder))?.ppid ?? 0;
  if (session.screen_id?.startsWith(`${daemon}.`) !== true) throw new Error(`${session.slug} does not run in Screen`);
  return { daemon, recorder, claude };
}
