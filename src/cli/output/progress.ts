import type { TerminalIo } from '../terminal-io.ts';

/** How long to wait before showing progress. Work that takes less time needs no progress line. */
const PATIENCE_MS = 1_000;
/** How often to update the line. A user cannot read numbers that change faster. */
const REDRAW_MS = 100;
const CLEAR_LINE = '\r\u001b[K';

/**
 * Shows the progress of work that takes a while, as one line on standard error that is removed at the end. If standard
 * error is not a terminal, nothing is shown.
 */
export interface Progress {
  /** @param share the fraction of the work that is done, from 0 to 1 */
  show(share: number): void;
  end(): void;
}

/** @param doing a short description of the work, which must not contain text from a session */
export function createProgress({ stderr, env, now }: TerminalIo, doing: string): Progress {
  const isTerminal = stderr.isTTY === true && !['', 'dumb'].includes(env.TERM ?? '');
  let next = now() + PATIENCE_MS;
  let isShown = false;
  return {
    show(share) {
      if (!isTerminal || now() < next) return;
      next = now() + REDRAW_MS;
      isShown = true;
      stderr.write(`${CLEAR_LINE}${doing}: ${Math.min(99, Math.floor(share * 100))} %`);
    },
    end() {
      if (isShown) stderr.write(CLEAR_LINE);
    },
  };
}
