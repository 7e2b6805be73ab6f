import type { TerminalIo } from '../terminal-io.ts';

/** How long to wait before showing progress. Shorter work is finished before anybody wonders. */
const PATIENCE_MS = 1_000;
/** How often the line is updated, which is as often as a user can read a number. */
const REDRAW_MS = 100;
const CLEAR_LINE = '\r\u001b[K';

/**
 * The progress of work that takes a while: one line on standard error, removed at the end. Nothing is shown if standard
 * error is not a terminal.
 */
export interface Progress {
  /** @param share of the whole, 0 to 1 */
  show(share: number): void;
  end(): void;
}

/** @param doing what is being done, in CBOS's own words */
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
