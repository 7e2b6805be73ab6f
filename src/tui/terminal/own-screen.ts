import type { Dispose } from '../../client/index.ts';

/** Standard input as a terminal: `process.stdin` fits. */
export interface TuiInput extends NodeJS.ReadableStream {
  setRawMode?(isRaw: boolean): unknown;
}

/** Standard output as a terminal: `process.stdout` fits. */
export interface TuiOutput extends NodeJS.WritableStream {
  readonly columns?: number;
  readonly rows?: number;
}

/**
 * The alternate screen; lines never wrap by themselves; pastes in brackets; tells when its window gets and loses the
 * focus.
 */
const ENTER = '\u001b[?1049h\u001b[?7l\u001b[?2004h\u001b[?1004h\u001b[2J';
const LEAVE = '\u001b[0m\u001b[?1004l\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[?1049l';

/**
 * Buttons and the wheel, told by cells however large the terminal is; one that has no mouse ignores it. With Shift a
 * person still selects text.
 */
const [MOUSE_ON, MOUSE_OFF] = ['\u001b[?1000h\u001b[?1006h', '\u001b[?1006l\u001b[?1000l'];

/** Where a terminal does not tell. */
const DEFAULT_SIZE = { cols: 80, rows: 24 };

export interface OwnScreen {
  size(): { cols: number; rows: number };
  /** Takes the terminal over. */
  enter(): void;
  /** Gives it back as it was, for a while or for good. Without `enter` it does nothing. */
  leave(): void;
  write(text: string): void;
  /** Whether it tells of the mouse. */
  useMouse(isOn: boolean): void;
  /** false while the terminal has not taken what it was sent: what comes now would only queue */
  hasRoom(): boolean;
  onInput(listener: (bytes: Uint8Array | string) => void): Dispose;
  /** it was resized, or has room again */
  onChange(listener: (what: 'resized' | 'drained') => void): Dispose;
  /** it is gone */
  onGone(listener: () => void): Dispose;
}

/** The terminal of the person, as long as the TUI has it. */
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
