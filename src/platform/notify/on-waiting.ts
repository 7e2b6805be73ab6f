import { spawn } from 'node:child_process';

/** A command that hangs must not pile up: it is ended after so long. */
const COMMAND_LIMIT_MS = 30_000;

export interface WaitingNotice {
  slug: string;
  state: string;
  detail: string;
  /** what is asked, empty where the prompt simply waits */
  question: string;
}

/**
 * Runs the user's own command from config.toml when a session starts to wait. What the session says goes in through the
 * environment (`CBOS_SLUG`, `CBOS_STATE`, `CBOS_DETAIL`, `CBOS_QUESTION`), never into the shell line.
 */
export function runOnWaiting(options: {
  command: string;
  environment: Readonly<Record<string, string | undefined>>;
  notice: WaitingNotice;
  /** called when the command cannot start or ends with another code than 0 */
  onFault: (message: string) => void;
}): void {
  const { command, environment, notice, onFault } = options;
  const child = spawn('/bin/sh', ['-c', command], {
    stdio: 'ignore',
    timeout: COMMAND_LIMIT_MS,
    killSignal: 'SIGKILL',
    env: {
      ...environment,
      CBOS_SLUG: notice.slug,
      CBOS_STATE: notice.state,
      CBOS_DETAIL: notice.detail,
      CBOS_QUESTION: notice.question,
    },
  });
  child.once('error', (cause) => onFault(`on_waiting did not start: ${cause.message}`));
  child.once('exit', (code, signal) => {
    if (code !== 0) onFault(`on_waiting ended with ${code === null ? signal : `code ${code}`}`);
  });
  child.unref();
}
