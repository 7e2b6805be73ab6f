import { readProcess } from '../../../src/platform/process/index.ts';
import type { Session } from '../../../src/protocol/index.ts';

/** The processes of a session in a terminal, the outermost first. */
export interface SessionProcesses {
  /** the daemon of Screen */
  daemon: number;
  /** the `script` that records */
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
