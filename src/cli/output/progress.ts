import type { TerminalIo } from '../terminal-io.ts';

/** What is done sooner than this is done before anybody wonders. */
const PATIENCE_MS = 1_000;
/** As often as a person reads a number. */
const REDRAW_MS = 100;
const CLEAR_LINE = '\r\u001b[K';

/**
 * How far a long work is: one line on the terminal of standard error, gone at its end. Nothing where that is no
 * terminal.
 */
export interface Progress {
  /** @param share of the whole, 0 to 1 */
  show(share: number): void;
  end(): void;
}

/** @param doing what is being done, in words of CBOS */
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
