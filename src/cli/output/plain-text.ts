import { withoutReordering } from '../../text/terminal-text.ts';

/** Matches one escape sequence, complete or not. The last group may still become a sequence. */
const SEQUENCE =
  /\u001b\[([0-?]*)[ -/]*([@-~])|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[ -/]*[0-OQ-WYZ\\`-~]|(\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b]*\u001b?|[ -/]*)$)/g;

/**
 * Anything longer than this is not an escape sequence. Waiting for its end would hold back text that is then never
 * shown.
 */
const LONGEST_OPEN = 4_096;

/** A move over more cells than a line has is a mistake in the program that drew them. */
const MOST_BLANKS = 500;

/**
 * Turns a terminal's output into readable text as it arrives, without knowing the screen. Escape sequences are removed.
 * Those that move the cursor to the right become spaces, and those that move it to another line become a line feed,
 * because Claude Code separates words by cursor moves and not by spaces (seen in 2.1). Sequences may be split anywhere
 * between two chunks.
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

  /** A screen is redrawn with hundreds of moves, and the empty lines that they would cause mean nothing. */
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

/** Returns a cursor move as plain text. */
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
