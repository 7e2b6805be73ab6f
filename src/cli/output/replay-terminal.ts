import { Emitter } from '../../emitter/emitter.ts';
import type { TerminalIo } from '../terminal-io.ts';

export interface ReplayTerminal {
  /** the current size, because a terminal may be resized */
  size(): { cols: number; rows: number };
  /** Takes over the terminal: switches to the alternate screen, and receives each key as it is typed. */
  enter(): void;
  onTyped(listener: (typed: string) => void): () => void;
  /** Restores the terminal. Does nothing when called again, or if `enter` was not called. */
  restore(): void;
}

/** The size if the terminal does not report one. */
const [DEFAULT_COLS, DEFAULT_ROWS] = [80, 24];
/** The alternate screen leaves the existing contents unchanged. */
const ENTER = '\u001b[?1049h\u001b[2J\u001b[H';
/**
 * Resets style, margins, wrapping, and the cursor, then the mouse, focus, and paste modes in case anything has set
 * them, then the screen.
 */
const LEAVE =
  '\u001b[0m\u001b[r\u001b[?7h\u001b[?25h\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l\u001b[?1004l\u001b[?2004l\u001b[?1049l';

/** Provides standard input and output as the stage for a replay. */
export function openReplayTerminal({ stdin, stdout }: TerminalIo, write: (text: string) => unknown): ReplayTerminal {
  let isEntered = false;
  const typed = new Emitter<[string]>();
  const hear = (bytes: Buffer | string): void => typed.tell(bytes.toString());
  return {
    size: () => ({ cols: stdout.columns ?? DEFAULT_COLS, rows: stdout.rows ?? DEFAULT_ROWS }),
    enter() {
      isEntered = true;
      stdin.setRawMode?.(true);
      stdin.on('data', hear);
      stdin.resume();
      write(ENTER);
    },
    onTyped: typed.on,
    restore() {
      if (!isEntered) return;
      isEntered = false;
      write(LEAVE);
      stdin.off('data', hear);
      stdin.pause();
      stdin.setRawMode?.(false);
    },
  };
}
