import { displayWidth, padEnd, truncate } from '../../text/display-width.ts';
import { graphemes } from '../../text/graphemes.ts';

/** Fits the text into exactly the given number of cells: cut with `…`, or padded with spaces. */
export function fitTo(text: string, cells: number): string {
  return padEnd(truncate(text, cells), cells);
}

/**
 * Moves the cursor to a column, counted from 0. The text that follows starts there, however wide the terminal draws the
 * text before it.
 */
export function column(col: number): string {
  return `\u001b[${col + 1}G`;
}

/** Breaks clean text into lines of the given width, at spaces where possible. */
export function wrap(text: string, cells: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(1, cells)));
}

/** Characters that take one cell each. */
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
      // A word that is longer than a line is broken at the end of the line.
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
