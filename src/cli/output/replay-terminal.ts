import { Emitter } from '../../emitter/emitter.ts';
import type { TerminalIo } from '../terminal-io.ts';

export interface ReplayTerminal {
  /** now: a terminal may be resized */
  size(): { cols: number; rows: number };
  /** Takes the terminal over: another screen, and each key as it is typed. */
  enter(): void;
  onTyped(listener: (typed: string) => void): () => void;
  /** Gives it back as it was. More than one call, or one without `enter`, does nothing. */
  restore(): void;
}

/** Where a terminal does not tell. */
const [DEFAULT_COLS, DEFAULT_ROWS] = [80, 24];
/** The alternate screen leaves what stood there alone. */
const ENTER = '\u001b[?1049h\u001b[2J\u001b[H';
/**
 * Style, margins, wrapping, the cursor; then mouse, focus and paste modes, should anything have set them; then the
 * screen.
 */
const LEAVE =
  '\u001b[0m\u001b[r\u001b[?7h\u001b[?25h\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l\u001b[?1004l\u001b[?2004l\u001b[?1049l';

/** Standard input and output as a stage for a replay. */
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
