import { displayWidth, padEnd, truncate } from '../../text/display-width.ts';
import type { Style, StyleName } from '../../text/style.ts';

export interface Cell {
  /** cleaned text of one line */
  text: string;
  style?: StyleName | null;
}

export interface Column {
  /** empty for a column that needs none, as an icon */
  title: string;
  /** cut to fit the terminal; at most one column can give way */
  isFlexible?: boolean;
}

export interface TableOptions {
  columns: readonly Column[];
  rows: readonly (readonly Cell[])[];
  style: Style;
  /** width of the terminal in cells; null where lines may be of any length (a pipe) */
  width: number | null;
}

/** Between two columns; two, so that values with single blanks in them stay apart. */
const GAP = '  ';
/** A flexible column narrower than this says nothing: then the line is longer than the terminal. */
const LEAST_FLEXIBLE = 12;

/** A table as lines: aligned by what the eye sees, titles first, columns that are empty throughout left out. */
export function renderTable({ columns, rows, style, width }: TableOptions): string[] {
  const shown = columns
    .map((column, index) => ({ column, index }))
    .filter(({ column, index }) => {
      return column.title === '' || rows.some((row) => (row[index]?.text ?? '') !== '');
    });
  const widths = shown.map(({ column, index }) =>
    Math.max(displayWidth(column.title), ...rows.map((row) => displayWidth(row[index]?.text ?? ''))),
  );
  shrinkToWidth(
    widths,
    shown.findIndex(({ column }) => column.isFlexible === true),
    width,
  );

  const line = (cells: readonly Cell[]): string =>
    cells
      .map((cell, position) => {
        const cells = widths[position] ?? 0;
        const text = truncate(cell.text, cells);
        const dressed = style(cell.style ?? null, text);
        return dressed + padEnd(text, cells).slice(text.length);
      })
      .join(GAP)
      .trimEnd();

  return [
    line(shown.map(({ column }) => ({ text: column.title, style: 'dim' }))),
    ...rows.map((row) => line(shown.map(({ index }) => row[index] ?? { text: '' }))),
  ];
}

/** Takes from the flexible column what the terminal is too narrow for. */
function shrinkToWidth(widths: number[], flexible: number, width: number | null): void {
  const current = widths[flexible];
  if (current === undefined || width === null) return;
  const total = widths.reduce((sum, cells) => sum + cells, 0) + GAP.length * (widths.length - 1);
  if (total > width) widths[flexible] = Math.max(LEAST_FLEXIBLE, current - (total - width));
}
