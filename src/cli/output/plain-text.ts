import { withoutReordering } from '../../text/terminal-text.ts';

/** One escape sequence, whole or not yet: the last group is what may still become one. */
const SEQUENCE =
  /\u001b\[([0-?]*)[ -/]*([@-~])|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[ -/]*[0-OQ-WYZ\\`-~]|(\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b]*\u001b?|[ -/]*)$)/g;

/**
 * An escape sequence that is longer than this and still open is no sequence; what it held back would never be shown.
 */
const LONGEST_OPEN = 4_096;

/** More blank cells than a line has are a mistake of the program that drew. */
const MOST_BLANKS = 500;

/**
 * Makes readable text of a terminal's output as it comes, without knowing its screen: escape sequences go, but those
 * that move the cursor to the right become blanks and those that move it to another line become a line feed, because
 * Claude Code writes its words with moves between them instead of blanks (seen in 2.1). Sequences may be cut anywhere
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

  /** A screen is redrawn by hundreds of moves; their empty lines say nothing. */
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

/** What a move of the cursor looks like in plain text. */
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
