import { withoutReordering } from '../../text/terminal-text.ts';

/**
 * Matches one escape sequence, whether it is complete or not. The last group is the beginning of a sequence that may
 * still be completed.
 */
const SEQUENCE =
  /\u001b\[([0-?]*)[ -/]*([@-~])|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[ -/]*[0-OQ-WYZ\\`-~]|(\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b]*\u001b?|[ -/]*)$)/g;

/** The maximum length of an escape sequence. Waiting for the end of anything longer could hold back text forever. */
const LONGEST_OPEN = 4_096;

/**
 * The widest cursor move that is kept. No line has more cells than this, so a longer move is a bug in the program that
 * wrote it.
 */
const MOST_BLANKS = 500;

/**
 * Turns terminal output into readable text as it arrives, without emulating the screen. Escape sequences are removed,
 * with two exceptions: a move to the right becomes spaces, and a move to another line becomes a line feed. This is
 * necessary because Claude Code separates words by cursor moves instead of spaces (seen in 2.1). A sequence may be
 * split between two chunks at any point.
 */
export class PlainText {
  #open = '';
  #isLineEmpty = true;

  read(chunk: string): string {
    const input = this.#open + chunk;
    this.#open = '';
    const plain = input.replace(SEQUENCE, (sequence, parameters?: string, final?: string, open?: string) => {
      if (open !== undefined) {
        if (open.length <= LONGEST_OPEN) this.#open = open;
        return '';
      }
      return sequence.startsWith('\u001b[') ? moveAsText(parameters ?? '', final ?? '') : '';
    });
    return this.#withoutEmptyLines(
      withoutReordering(plain.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '')),
    );
  }

  /** Redrawing a screen takes hundreds of cursor moves. The empty lines that they would produce mean nothing. */
  #withoutEmptyLines(text: string): string {
    let kept = '';
    for (const character of text) {
      if (character === '\n') {
        if (!this.#isLineEmpty) kept += character;
        this.#isLineEmpty = true;
        continue;
      }
      if (character !== ' ') this.#isLineEmpty = false;
      kept += character;
    }
    return kept;
  }
}

/** Returns the plain text that replaces a cursor move. */
function moveAsText(parameters: string, final: string): string {
  switch (final) {
    case 'C':
      return ' '.repeat(Math.min(MOST_BLANKS, Math.max(1, Number.parseInt(parameters, 10) || 1)));
    case 'G':
      return ' ';
    case 'A':
    case 'B':
    case 'E':
    case 'F':
    case 'H':
    case 'd':
    case 'f':
      return '\n';
    default:
      return '';
  }
}
