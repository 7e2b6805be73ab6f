import { StringDecoder } from 'node:string_decoder';
import { Emitter } from '../../emitter/emitter.ts';
import type { TerminalIo } from '../terminal-io.ts';

export interface ReplayTerminal {
  /** the current size, read anew each time because the user may resize the terminal */
  size(): { cols: number; rows: number };
  /** Takes over the terminal: switches to the alternate screen, and receives each key as the user types it. */
  enter(): void;
  onTyped(listener: (typed: string) => void): () => void;
  onResized(listener: () => void): () => void;
  /** Restores the terminal. Does nothing if `enter` was not called, or if the terminal has already been restored. */
  restore(): void;
}

/** The size to assume if the terminal does not report its size. */
const [DEFAULT_COLS, DEFAULT_ROWS] = [80, 24];
/** The alternate screen leaves the contents of the normal screen unchanged. */
const ENTER = '\u001b[?1049h\u001b[2J\u001b[H';
/**
 * Resets the style, margins, wrapping, and cursor, then the mouse, focus, and paste modes (in case the recording has
 * set them), and finally the screen.
 */
const LEAVE =
  '\u001b[0m\u001b[r\u001b[?7h\u001b[?25h\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l\u001b[?1004l\u001b[?2004l\u001b[?1049l';

/** Provides standard input and output as the terminal for a replay. */
export function openReplayTerminal({ stdin, stdout }: TerminalIo, write: (text: string) => unknown): ReplayTerminal {
  let isEntered = false;
  const typed = new Emitter<[string]>();
  const decoder = new StringDecoder('utf8');
  const hear = (bytes: Buffer | string): void => typed.tell(typeof bytes === 'string' ? bytes : decoder.write(bytes));
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
    onResized: (listener) => {
      stdout.on('resize', listener);
      return () => stdout.off('resize', listener);
    },
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
