import type { Dispose } from '../../client/index.ts';

/** Standard input as a terminal, such as `process.stdin`. */
export interface TuiInput extends NodeJS.ReadableStream {
  setRawMode?(isRaw: boolean): unknown;
}

/** Standard output as a terminal, such as `process.stdout`. */
export interface TuiOutput extends NodeJS.WritableStream {
  readonly columns?: number;
  readonly rows?: number;
}

/** Turns on the alternate screen, bracketed paste, and focus reports, and turns off automatic wrapping. */
const ENTER = '\u001b[?1049h\u001b[?7l\u001b[?2004h\u001b[?1004h\u001b[2J';
const LEAVE = '\u001b[0m\u001b[?1004l\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[?1049l';

/**
 * Turns on reports of mouse buttons and the wheel, with positions in cells, for terminals of any size. Terminals
 * without mouse support ignore this. The user can still select text by holding Shift.
 */
const [MOUSE_ON, MOUSE_OFF] = ['\u001b[?1000h\u001b[?1006h', '\u001b[?1006l\u001b[?1000l'];

/** The size to assume if the terminal does not report its size. */
const DEFAULT_SIZE = { cols: 80, rows: 24 };

export interface OwnScreen {
  size(): { cols: number; rows: number };
  /** Takes over the terminal. */
  enter(): void;
  /** Restores the terminal, temporarily or permanently. Does nothing if `enter` has not been called. */
  leave(): void;
  write(text: string): void;
  /** Sets whether the terminal reports the mouse. */
  useMouse(isOn: boolean): void;
  /** false while the terminal has not accepted all of the output so far; any further output would just be queued */
  hasRoom(): boolean;
  onInput(listener: (bytes: Uint8Array | string) => void): Dispose;
  /** called when the terminal was resized or accepts output again */
  onChange(listener: (what: 'resized' | 'drained') => void): Dispose;
  /** called when the terminal is gone */
  onGone(listener: () => void): Dispose;
}

/** Opens the user's terminal for use by the TUI. */
export function openOwnScreen({ stdin, stdout }: { stdin: TuiInput; stdout: TuiOutput }): OwnScreen {
  let isEntered = false;
  let hasRoom = true;
  let hasMouse = false;
  return {
    size: () => ({ cols: stdout.columns ?? DEFAULT_SIZE.cols, rows: stdout.rows ?? DEFAULT_SIZE.rows }),
    enter() {
      isEntered = true;
      stdin.setRawMode?.(true);
      stdin.resume();
      stdout.write(hasMouse ? `${ENTER}${MOUSE_ON}` : ENTER);
    },
    leave() {
      if (!isEntered) return;
      isEntered = false;
      stdout.write(hasMouse ? `${MOUSE_OFF}${LEAVE}` : LEAVE);
      stdin.pause();
      stdin.setRawMode?.(false);
    },
    write(text) {
      if (isEntered) hasRoom = stdout.write(text);
    },
    useMouse(isOn) {
      if (isOn === hasMouse) return;
      hasMouse = isOn;
      if (isEntered) stdout.write(isOn ? MOUSE_ON : MOUSE_OFF);
    },
    hasRoom: () => hasRoom,
    onInput(listener) {
      const hear = (bytes: Buffer | string): void => {
        if (isEntered) listener(bytes);
      };
      stdin.on('data', hear);
      return () => stdin.off('data', hear);
    },
    onChange(listener) {
      const resized = (): void => listener('resized');
      const drained = (): void => {
        hasRoom = true;
        listener('drained');
      };
      stdout.on('resize', resized);
      stdout.on('drain', drained);
      return () => {
        stdout.off('resize', resized);
        stdout.off('drain', drained);
      };
    },
    onGone(listener) {
      stdin.on('end', listener);
      stdout.on('error', listener);
      return () => {
        stdin.off('end', listener);
        stdout.off('error', listener);
      };
    },
  };
}
