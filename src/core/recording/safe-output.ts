/**
 * One control or escape sequence, complete or cut off at the end. The alternatives: CSI with its parameters,
 * intermediates and final; a string (OSC, DCS, SOS, PM, APC) up to its end; a designation or a short escape; an
 * incomplete sequence; a lone control character, or a mark that reorders text.
 */
const SEQUENCE =
  /(?:\u001b\[|\u009b)([0-?]*)([ -/]*)([@-~])|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u0018\u001a\u009c]*(?:\u0007|\u001b\\|\u0018|\u001a|\u009c|(?=\u001b[^\\]))|\u001b([ -/]*)([0-OQ-WYZ`-~])|((?:(?:\u001b\[|\u009b)[0-?]*[ -/]*|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u0018\u001a\u009c]*\u001b?|\u001b[ -/]*)$)|[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Moves, erasures, insertions, scrolling, tabs and margins: everything that draws, and nothing that a terminal answers.
 */
const DRAWING_FINALS = new Set([...'@ABCDEFGHIJKLMPSTXZ`abdefgmrsu']);
/**
 * Origin, wrapping at the edge, the cursor's blinking and visibility. The alternate screen passes too; whoever shows
 * the output must restore it afterwards.
 */
const DRAWING_MODES: ReadonlySet<string> = new Set(['6', '7', '12', '25', '47', '1047', '1048', '1049']);
/** Saving and restoring the cursor, line feeds up and down, a tab stop. */
const DRAWING_ESCAPES = new Set([...'78DEHM']);
const DRAWING_CONTROLS = new Set([...'\b\t\n\v\f\r\u000e\u000f']);
/**
 * A reset would also undo what the person has set up in this terminal. Resetting colours, margins and content is enough
 * here.
 */
const INSTEAD_OF_RESET = '\u001b[0m\u001b[r\u001b[2J\u001b[H';
/** Larger than every screen. Terminals loop over counts: xterm.js 6.0.0 loops for hours over 2,147,483,647. */
const LARGEST_PARAMETER = '9999';
/**
 * How many characters of an open sequence are kept. Longer strings, such as a clipboard or a picture, are discarded
 * piece by piece.
 */
const LONGEST_OPEN = 4_096;

/**
 * Passes only sequences that draw. What a recorded program once sent to its own terminal must not affect this one: the
 * clipboard (OSC 52), titles, links, marks that reorder text, mouse and paste modes, a cleared scrollback. The same
 * holds for queries (DA, DSR, DCS), whose answers the terminal sends as if they were typed. Sequences may be cut
 * anywhere between two calls.
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

  /** The input after the end of a string that was too long to keep; empty if the string continues. */
  #afterString(input: string): string {
    if (!this.#isInString) return input;
    const end = /[\u0007\u0018\u001a\u009c]|\u001b\\?/.exec(input);
    if (end === null) return '';
    this.#isInString = false;
    return end[0] === '\u001b' ? input.slice(end.index) : input.slice(end.index + end[0].length);
  }
}

function safeControl(params: string, between: string, final: string): string {
  if (between === ' ' && final === 'q') return `\u001b[${params} q`; // the cursor's shape
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
