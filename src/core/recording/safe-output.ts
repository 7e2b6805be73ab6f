/**
 * Matches a single control character or escape sequence, either complete or cut off at the end. The alternatives are a
 * CSI sequence with its parameter, intermediate, and final bytes; a string (OSC, DCS, SOS, PM, APC) up to its end; a
 * charset designation or a short escape; an incomplete sequence; and a lone control character or a mark that reorders
 * text.
 */
const SEQUENCE =
  /(?:\u001b\[|\u009b)([0-?]*)([ -/]*)([@-~])|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u0018\u001a\u009c]*(?:\u0007|\u001b\\|\u0018|\u001a|\u009c|(?=\u001b[^\\]))|\u001b([ -/]*)([0-OQ-WYZ`-~])|((?:(?:\u001b\[|\u009b)[0-?]*[ -/]*|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u0018\u001a\u009c]*\u001b?|\u001b[ -/]*)$)|[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * The final characters of sequences that move, erase, insert, scroll, or set tabs and margins. These sequences only
 * draw, and a terminal answers none of them.
 */
const DRAWING_FINALS = new Set([...'@ABCDEFGHIJKLMPSTXZ`abdefgmrsu']);
/**
 * The modes for origin, wrapping at the edge, cursor blinking and visibility, and the alternate screen. A caller that
 * shows the output must leave the alternate screen afterwards.
 */
const DRAWING_MODES: ReadonlySet<string> = new Set(['6', '7', '12', '25', '47', '1047', '1048', '1049']);
/** Sequences that save and restore the cursor, move up or down a line with scrolling, or set a tab stop. */
const DRAWING_ESCAPES = new Set([...'78DEHM']);
const DRAWING_CONTROLS = new Set([...'\b\t\n\v\f\r\u000e\u000f']);
/**
 * A full reset would also undo the user's own settings in this terminal. It is enough to reset colours, margins, and
 * content.
 */
const INSTEAD_OF_RESET = '\u001b[0m\u001b[r\u001b[2J\u001b[H';
/**
 * A number larger than any screen. Terminals repeat an action as often as a count says: xterm.js 6.0.0 loops for hours
 * over 2,147,483,647.
 */
const LARGEST_PARAMETER = '9999';
/**
 * How many characters of an unfinished sequence are kept. Longer strings, such as clipboard contents or pictures, are
 * discarded as they arrive.
 */
const LONGEST_OPEN = 4_096;

/**
 * Lets through only sequences that draw. A recorded program may have sent other sequences to its own terminal, which
 * must not affect this terminal: clipboard access (OSC 52), titles, links, marks that reorder text, mouse and paste
 * modes, clearing the scrollback. Queries (DA, DSR, DCS) are dropped too, because a terminal's answers look as if
 * someone had typed them. A sequence may be split between two calls at any point.
 */
export class SafeOutput {
  #open = '';
  #isInString = false;

  read(text: string): string {
    const input = this.#afterString(this.#open + text);
    this.#open = '';
    return input.replace(
      SEQUENCE,
      (whole, params?: string, between?: string, final?: string, short?: string, letter?: string, open?: string) => {
        if (open !== undefined) {
          if (open.length <= LONGEST_OPEN) this.#open = open;
          else this.#isInString = /^(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])/.test(open);
          return '';
        }
        if (final !== undefined) return safeControl(params ?? '', between ?? '', final);
        if (letter !== undefined) return safeEscape(short ?? '', letter);
        return DRAWING_CONTROLS.has(whole) ? whole : '';
      },
    );
  }

  /**
   * Returns the input that follows the end of a string that was too long to keep. The result is empty if the string
   * continues.
   */
  #afterString(input: string): string {
    if (!this.#isInString) return input;
    const end = /[\u0007\u0018\u001a\u009c]|\u001b\\?/.exec(input);
    if (end === null) return '';
    this.#isInString = false;
    return end[0] === '\u001b' ? input.slice(end.index) : input.slice(end.index + end[0].length);
  }
}

function safeControl(params: string, between: string, final: string): string {
  if (between === ' ' && final === 'q') return `\u001b[${params} q`; // cursor shape
  if (between !== '') return '';
  if (/^[<=>?]/.test(params)) {
    if (!params.startsWith('?') || (final !== 'h' && final !== 'l')) return '';
    const modes = params
      .slice(1)
      .split(';')
      .filter((mode) => DRAWING_MODES.has(mode));
    return modes.length === 0 ? '' : `\u001b[?${modes.join(';')}${final}`;
  }
  if (!DRAWING_FINALS.has(final)) return '';
  if (final === 'J' && params === '3') return '';
  return `\u001b[${params.replace(/\d{5,}/g, LARGEST_PARAMETER)}${final}`;
}

function safeEscape(between: string, letter: string): string {
  if (between === '' && letter === 'c') return INSTEAD_OF_RESET;
  if (between === '') return DRAWING_ESCAPES.has(letter) ? `\u001b${letter}` : '';
  const isCharset = /^[()*+]$/.test(between) && /[0AB]/.test(letter);
  return isCharset || (between === '#' && letter === '8') ? `\u001b${between}${letter}` : '';
}
