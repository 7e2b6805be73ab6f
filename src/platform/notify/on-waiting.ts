import { type ChildProcess, spawn } from 'node:child_process';
import { cleanBlock } from '../../text/terminal-text.ts';

/** How long a command may run. The limit keeps hanging commands from piling up. */
const COMMAND_LIMIT_MS = 30_000;
/**
 * How many characters of a question are passed to a command, which is enough for a notification. Linux refuses
 * variables of more than 128 kB.
 */
const LONGEST_QUESTION = 4_000;

export interface WaitingNotice {
  slug: string;
  state: string;
  detail: string;
  /** the text of the question, or an empty string if the prompt is just waiting */
  question: string;
}

/**
 * Runs the user's own command from config.toml when a session starts to wait. The command receives what it needs to
 * know about the session through the environment (`CBOS_SLUG`, `CBOS_STATE`, `CBOS_DETAIL`, `CBOS_QUESTION`), never
 * through the shell command line. Control characters are removed from the question, which is truncated to 4,000
 * characters.
 */
export function runOnWaiting(options: {
  command: string;
  environment: Readonly<Record<string, string | undefined>>;
  notice: WaitingNotice;
  /** called when the command cannot be started, or exits with a code other than 0 */
  onFault: (message: string) => void;
}): void {
  const { command, environment, notice, onFault } = options;
  let child: ChildProcess;
  try {
    child = spawn('/bin/sh', ['-c', command], {
      stdio: 'ignore',
      timeout: COMMAND_LIMIT_MS,
      killSignal: 'SIGKILL',
      env: {
        ...environment,
        CBOS_SLUG: notice.slug,
        CBOS_STATE: notice.state,
        CBOS_DETAIL: notice.detail,
        CBOS_QUESTION: cleanBlock(notice.question).slice(0, LONGEST_QUESTION),
      },
    });
  } catch (cause) {
    onFault(`the on_waiting command did not start: ${(cause as Error).message}`);
    return;
  }
  child.once('error', (cause) => onFault(`the on_waiting command did not start: ${cause.message}`));
  child.once('exit', (code, signal) => {
    if (code !== 0) onFault(`the on_waiting command ended with ${code === null ? signal : `exit code ${code}`}`);
  });
  child.unref();
}
