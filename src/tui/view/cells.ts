import { displayWidth, padEnd, truncate } from '../../text/display-width.ts';

/** The text in exactly that many cells: cut with `…`, or filled up with blanks. */
export function fitTo(text: string, cells: number): string {
  return padEnd(truncate(text, cells), cells);
}

/**
 * Puts the cursor into a column, from 0: what follows stands there, however wide the terminal thinks that the text
 * before is.
 */
export function column(col: number): string {
  return `\u001b[${col + 1}G`;
}

/** Breaks clean text into lines of a width, at blanks where there are some. */
export function wrap(text: string, cells: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(1, cells)));
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Each of these takes one cell. */
const ASCII = /^[\x20-\x7e]*$/;

function wrapLine(line: string, cells: number): string[] {
  const isAscii = ASCII.test(line);
  if ((isAscii ? line.length : displayWidth(line)) <= cells) return [line];
  const rows: string[] = [];
  let row = '';
  let width = 0;
  for (const { segment } of segmenter.segment(line)) {
    const wide = isAscii ? 1 : displayWidth(segment);
    if (width + wide > cells) {
      const blank = segment === ' ' ? row.length : row.lastIndexOf(' ');
      // A word longer than a line is broken where it must be.
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
