import type { Changes, Patch } from '../../protocol/index.ts';
import { baseText, changedName, changeLetter, changeStyle, leftOutLines, linesText } from '../../text/changes-words.ts';
import { displayWidth } from '../../text/display-width.ts';
import { type PatchRow, rowText } from '../../text/patch-rows.ts';
import type { Style, StyleName } from '../../text/style.ts';
import type { PatchColours } from '../../text/syntax/patch-colours.ts';
import { dressPieces, slicePieces, terminalPieces } from '../../text/syntax/terminal-colours.ts';
import { wrap } from '../view/cells.ts';
import { type CommentPlace, commentPlaces } from './review.ts';

/** A session's changes as they were last read. */
export interface ReadChanges {
  changes: Changes;
  patch: Patch;
  rows: readonly PatchRow[];
  colours: PatchColours;
  /** the files that are marked as reviewed */
  reviewed: ReadonlySet<string>;
}

/** A line of the page. A row of the patch that is wider than the page takes up several lines. */
interface Line {
  text: string;
  style: StyleName | null;
  /** the row of the patch, or null if the line is not part of the patch */
  row: number | null;
  /** the position of the line in the text of its row */
  from: number;
}

export interface Drawn {
  cols: number;
  read: ReadChanges;
  lines: Line[];
  /** the lines at which the files begin */
  files: number[];
  /** for each line, the place in a file that it shows, or null if it shows none */
  places: (CommentPlace | null)[];
}

const STYLES: Readonly<Record<PatchRow['kind'], StyleName | null>> = {
  file: 'bold',
  said: 'dim',
  hunk: 'cyan',
  context: null,
  added: 'green',
  removed: 'red',
  note: 'dim',
};

/** How long lines are coloured before keys are handled again. No user notices a pause of this length. */
const SLICE_MS = 8;

/** Draws the list of files, and the changes in these files below it. The lines have no colours yet. */
export function drawChanges(read: ReadChanges, cols: number): Drawn {
  const { changes, patch, rows, reviewed } = read;
  const lines: Line[] = [];
  const files: number[] = [];
  const places: (CommentPlace | null)[] = [];
  const add = (text: string, style: StyleName | null, of: { row: number; place: CommentPlace | null } | null): void => {
    let from = 0;
    for (const part of displayWidth(text) < cols ? [text] : wrap(text, cols - 1)) {
      // The spaces at which a row is broken are not part of its lines.
      from = text.indexOf(part, from);
      lines.push({ text: part, style, row: of?.row ?? null, from });
      places.push(of?.place ?? null);
      from += part.length;
    }
  };
  add(baseText(changes.base), 'dim', null);
  for (const file of changes.files) {
    const mark = reviewed.has(file.path) ? '  ✓ reviewed' : '';
    add(`${changeLetter(file)} ${changedName(file)}  ${linesText(file)}${mark}`, changeStyle(file), null);
  }
  for (const line of leftOutLines(changes)) add(line, 'dim', null);
  const shown = commentPlaces(rows);
  for (const [at, row] of rows.entries()) {
    if (row.kind === 'file') {
      add('', null, null);
      files.push(lines.length);
    }
    add(rowText(row), STYLES[row.kind], { row: at, place: shown[at] ?? null });
  }
  if (patch.cut) add('The patch is longer than this; cbos diff shows single files', 'dim', null);
  return { cols, read, lines, files, places };
}

/** Reports whether the colours of all these lines are known. */
export function isColoured({ read }: Drawn, lines: readonly Line[]): boolean {
  return lines.every(({ row }) => row === null || read.colours.isDone(row));
}

/** Works out the colours of some lines, as far as it can be done in a moment. */
export function colourLines({ read }: Drawn, lines: readonly Line[], now: () => number): void {
  const end = now() + SLICE_MS;
  const isPauseDue = (): boolean => now() >= end;
  for (const { row } of lines) {
    if (row !== null) read.colours.colour(row, isPauseDue);
    if (isPauseDue()) return;
  }
}

/** Returns a line in its colours, as far as they are known. */
export function dressLine(dress: Style, { read }: Drawn, { text, style, row, from }: Line): string {
  const of = row === null ? undefined : read.rows[row];
  const tokens = row === null ? null : read.colours.tokens(row);
  if (of === undefined || tokens === null) return dress(style, text);
  return dressPieces(dress, style, slicePieces(terminalPieces(of, tokens), from, from + text.length));
}
