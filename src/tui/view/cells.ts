import { displayWidth, padEnd, truncate } from '../../text/display-width.ts';
import { graphemes } from '../../text/graphemes.ts';

/**
 * Makes the text exactly as wide as the given number of cells, either by cutting it off with `…` or by padding it with
 * spaces.
 */
export function fitTo(text: string, cells: number): string {
  return padEnd(truncate(text, cells), cells);
}

/**
 * Returns the sequence that moves the cursor to a column, counted from 0. The text that follows starts there, no matter
 * how wide the terminal draws the preceding text.
 */
export function column(col: number): string {
  return `\u001b[${col + 1}G`;
}

/** Breaks clean text into lines of the given width, preferably at spaces. */
export function wrap(text: string, cells: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(1, cells)));
}

/** Matches characters that take one cell each. */
const ASCII = /^[\x20-\x7e]*$/;

function wrapLine(line: string, cells: number): string[] {
  const isAscii = ASCII.test(line);
  if ((isAscii ? line.length : displayWidth(line)) <= cells) return [line];
  const rows: string[] = [];
  let row = '';
  let width = 0;
  for (const segment of isAscii ? line : graphemes(line)) {
    const wide = isAscii ? 1 : displayWidth(segment);
    if (width + wide > cells) {
      const blank = segment === ' ' ? row.length : row.lastIndexOf(' ');
      // Break a word that is longer than a line at the end of the line.
      const cut = blank > row.search(/\S/) ? blank : row.length;
      rows.push(row.slice(0, cut).trimEnd());
      row = row.slice(cut).trimStart();
      width = isAscii ? row.length : displayWidth(row);
      if (segment === ' ') continue;
    }
    row += segment;
    width += wide;
  }
  return [...rows, row];
}
