import { StringDecoder } from 'node:string_decoder';
import type { Dispose } from '../../client/index.ts';

/** An action of the user at the terminal. */
export type InputEvent =
  /**
   * the name of the key, such as `a`, `enter`, `ctrl+s`, `shift+tab`, `alt+enter`, or `up`; `text` is the text that the
   * key types, or empty if it types nothing
   */
  | { kind: 'key'; name: string; text: string }
  | { kind: 'paste'; text: string }
  | { kind: 'focus'; hasFocus: boolean }
  | MouseEvent;

/** A press of a mouse button, or a step of the wheel. Cells are counted from 0. */
export interface MouseEvent {
  kind: 'mouse';
  what: 'click' | 'wheel-up' | 'wheel-down';
  row: number;
  col: number;
}

/**
 * How long to wait after an escape character before it counts as the Esc key. The parts of a sequence from a remote
 * terminal may arrive a few milliseconds apart.
 */
const ESCAPE_MS = 40;

const PASTE_START = '\u001b[200~';
const PASTE_END = '\u001b[201~';

/** The names of keys by the final character of `CSI … X` and `SS3 X`. */
const LETTER_KEYS: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  F: 'end',
  H: 'home',
  Z: 'shift+tab',
};
/** The names of keys by the number in `CSI N ~`. */
const NUMBER_KEYS: Readonly<Record<string, string>> = {
  '1': 'home',
  '3': 'delete',
  '4': 'end',
  '5': 'pageup',
  '6': 'pagedown',
  '7': 'home',
  '8': 'end',
};
/**
 * The names of keys by the code in `CSI N u` and `CSI 27 ; … ; N ~`, for terminals that distinguish Shift+Enter from
 * Enter.
 */
const CODE_KEYS: Readonly<Record<string, string>> = { '9': 'tab', '13': 'enter', '27': 'escape', '127': 'backspace' };

const SEQUENCE = /^\u001b(?:\[([0-9;:<=>?]*)([ -/]*)([@-~])|O([@-~]))/;
/** Matches the beginning of a sequence whose end has not arrived yet. */
const OPEN_SEQUENCE = /^\u001b(?:\[[0-9;:<=>?]*[ -/]*|O)?$/;

export interface KeyReader {
  feed(bytes: Uint8Array | string): void;
  dispose(): void;
}

/**
 * Parses the input from a terminal in raw mode. A sequence or character may be split between two chunks at any point.
 */
export function createKeyReader(options: {
  onEvent(event: InputEvent): void;
  startTimer(callback: () => void, delayMs: number): Dispose;
}): KeyReader {
  const decoder = new StringDecoder('utf8');
  let pending = '';
  let pasted: string | null = null;
  let stopTimer: Dispose | null = null;

  /** Removes one event from the front of `pending`. Returns false if the end of the event has not arrived yet. */
  const takeOne = (): boolean => {
    if (pasted !== null) {
      const end = pending.indexOf(PASTE_END);
      // The end marker itself may be split between chunks, so keep anything that may be its beginning.
      const taken = end === -1 ? Math.max(0, pending.length - PASTE_END.length) : end;
      pasted += pending.slice(0, taken);
      pending = pending.slice(end === -1 ? taken : taken + PASTE_END.length);
      if (end === -1) return false;
      const text = pasted;
      pasted = null;
      options.onEvent({ kind: 'paste', text });
      return true;
    }
    if (pending.startsWith(PASTE_START)) {
      pending = pending.slice(PASTE_START.length);
      pasted = '';
      return true;
    }
    if (OPEN_SEQUENCE.test(pending)) return false;
    const { length, event } = readKey(pending);
    pending = pending.slice(length);
    if (event !== null) options.onEvent(event);
    return true;
  };

  const readAll = (): void => {
    while (pending !== '' && takeOne());
  };

  return {
    feed(bytes) {
      stopTimer?.();
      stopTimer = null;
      pending += typeof bytes === 'string' ? bytes : decoder.write(Buffer.from(bytes));
      readAll();
      if (pending === '' || pasted !== null) return;
      stopTimer = options.startTimer(() => {
        const rest = pending;
        pending = '';
        options.onEvent({ kind: 'key', name: 'escape', text: '' });
        // If `Esc [` arrives on its own, the user typed the bracket right after pressing Esc.
        if (rest.length > 1) options.onEvent({ kind: 'key', name: rest.slice(1), text: rest.slice(1) });
      }, ESCAPE_MS);
    },
    dispose: () => stopTimer?.(),
  };
}

/**
 * Reads the key at the beginning of non-empty input. The key is null for a sequence that has no meaning here, such as
 * an answer to a query.
 */
function readKey(text: string): { length: number; event: InputEvent | null } {
  const sequence = SEQUENCE.exec(text);
  if (sequence !== null) return { length: sequence[0].length, event: readSequence(sequence) };
  if (text.startsWith('\u001b')) {
    // The user held Alt, or pressed Esc before something that is not a sequence.
    const rest = readKey(text.slice(1));
    const { event } = rest;
    const isAlt = event?.kind === 'key';
    return { length: rest.length + 1, event: isAlt ? { kind: 'key', name: `alt+${event.name}`, text: '' } : event };
  }
  const character = String.fromCodePoint(text.codePointAt(0) ?? 0);
  return { length: character.length, event: readCharacter(character) };
}

const CONTROL_KEYS: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'ctrl+j',
  '\t': 'tab',
  '\u007f': 'backspace',
  '\b': 'backspace',
  '\u0000': 'ctrl+space',
};

function readCharacter(character: string): InputEvent {
  const name = CONTROL_KEYS[character];
  if (name !== undefined) return { kind: 'key', name, text: '' };
  const code = character.charCodeAt(0);
  if (code < 0x20) return { kind: 'key', name: `ctrl+${String.fromCharCode(code + 0x60)}`, text: '' };
  return { kind: 'key', name: character, text: character };
}

function readSequence([, parameters = '', , final = '', afterSs3]: RegExpExecArray): InputEvent | null {
  if (afterSs3 !== undefined) return namedKey(afterSs3 === 'M' ? 'enter' : LETTER_KEYS[afterSs3], '');
  if (parameters.startsWith('<')) return readMouse(parameters.slice(1), final);
  // This answers a query that CBOS did not send.
  if (/^[=>?]/.test(parameters)) return null;
  if (final === 'I' || final === 'O') return { kind: 'focus', hasFocus: final === 'I' };
  const [first = '', second = '', third = ''] = parameters.split(';');
  if (final === '~' && first === '27') return namedKey(CODE_KEYS[third], second);
  if (final === '~') return namedKey(NUMBER_KEYS[first], second);
  if (final === 'u') return namedKey(CODE_KEYS[first] ?? characterOf(first), second);
  return namedKey(LETTER_KEYS[final], second);
}

/**
 * The buttons in an SGR mouse report (DEC mode 1006): the left button and the wheel. Other buttons, and buttons pressed
 * with a modifier key, are ignored.
 */
const BUTTONS: Readonly<Record<string, MouseEvent['what']>> = { '0': 'click', '64': 'wheel-up', '65': 'wheel-down' };

function readMouse(parameters: string, final: string): InputEvent | null {
  const [button = '', col = '', row = ''] = parameters.split(';');
  const what = BUTTONS[button];
  // `m` means that the button was released.
  if (what === undefined || final !== 'M' || !/^[1-9]\d*$/.test(row) || !/^[1-9]\d*$/.test(col)) return null;
  return { kind: 'mouse', what, row: Number(row) - 1, col: Number(col) - 1 };
}

function characterOf(code: string): string | undefined {
  const value = Number.parseInt(code, 10);
  return value > 0x20 && value < 0x11_0000 ? String.fromCodePoint(value) : undefined;
}

/** @param modifiers 1, plus 1 for Shift, 2 for Alt, and 4 for Ctrl */
function namedKey(name: string | undefined, modifiers: string): InputEvent | null {
  if (name === undefined) return null;
  const bits = (Number.parseInt(modifiers, 10) || 1) - 1;
  const prefix = `${(bits & 4) === 0 ? '' : 'ctrl+'}${(bits & 2) === 0 ? '' : 'alt+'}${(bits & 1) === 0 ? '' : 'shift+'}`;
  return { kind: 'key', name: `${prefix}${name}`, text: '' };
}
