import { displayWidth, padEnd, truncate, truncateMiddle, truncateStart } from '../../text/display-width.ts';
import type { Style, StyleName } from '../../text/style.ts';

export interface Cell {
  /** returns the cell's text, already cleaned and on a single line */
  text: string;
  style?: StyleName | null;
}

export interface Column {
  /** the column's title, or an empty string if it has none, such as a column of icons */
  title: string;
  /**
   * which part of a value to keep if the terminal is too narrow; if omitted, values are never cut, for example ids that
   * users copy
   */
  keeps?: 'start' | 'end' | 'both ends';
  /** the minimum width, in cells, of a column that is cut */
  least?: number;
  /**
   * If cutting is not enough, columns are omitted, starting with the lowest `worth`. A column without a `worth` is
   * never omitted.
   */
  worth?: number;
  /** whether the column is shown only if no other column must be cut to make room for it */
  isExtra?: boolean;
}

export interface TableOptions {
  columns: readonly Column[];
  rows: readonly (readonly Cell[])[];
  style: Style;
  /** the width of the terminal in cells, or null if lines may have any length, as in a pipe */
  width: number | null;
}

/**
 * The gap between two columns. It is two spaces wide, so that columns remain distinct from values with single spaces in
 * them.
 */
const GAP = '  ';
/** The minimum number of cells. A value that is cut to fewer cells tells the user nothing. */
const LEAST = 12;
/** The minimum width, in cells, of a column that can be cut, if extra columns are to be shown. */
const COMFORTABLE = 30;

/**
 * Returns the lines of a table, titles first. No line is wider than the terminal, and columns are aligned by display
 * width. Columns without any values are omitted, and so are columns of little `worth` if the terminal is too narrow.
 */
export function renderTable({ columns, rows, style, width }: TableOptions): string[] {
  const filled = columns
    .map((column, index) => ({ column, index }))
    .filter(({ column, index }) => {
      return column.title === '' || rows.some((row) => (row[index]?.text ?? '') !== '');
    })
    .map(({ column, index }) => {
      const natural = rows.map((row) => displayWidth(row[index]?.text ?? ''));
      const cells = natural.reduce((most, one) => Math.max(most, one), displayWidth(column.title));
      return { column, index, natural, cells };
    });
  const shown = width === null ? filled : fitted(filled, width);

  /** Cuts and pads a cell. @param natural the width of its text, which is measured only once for each cell */
  const fill = ({ text, style: name = null }: Cell, natural: number, at: ShownColumn): string => {
    if (natural <= at.cells) return style(name, text) + ' '.repeat(at.cells - natural);
    const kept = cut(text, at);
    return style(name, kept) + padEnd(kept, at.cells).slice(kept.length);
  };
  const titles = shown.map((at) => {
    const { title } = at.column;
    return fill({ text: title, style: 'dim' }, displayWidth(title), at);
  });
  const lines = rows.map((row, number) =>
    shown.map((at) => fill(row[at.index] ?? { text: '' }, at.natural[number] ?? 0, at)),
  );
  return [titles, ...lines].map((cells) => cells.join(GAP).trimEnd());
}

function cut(text: string, { column, cells }: ShownColumn): string {
  switch (column.keeps) {
    case 'end':
      return truncateStart(text, cells);
    case 'both ends':
      return truncateMiddle(text, cells);
    default:
      return truncate(text, cells);
  }
}

interface ShownColumn {
  column: Column;
  index: number;
  /** the width of each row's text, in cells */
  natural: readonly number[];
  /** the width of the column */
  cells: number;
}

/** Returns the columns that fit, along with their widths in cells. */
function fitted(columns: readonly ShownColumn[], width: number): readonly ShownColumn[] {
  const gaps = GAP.length * (columns.length - 1);
  const wanted = columns.reduce((sum, { column, cells }) => {
    return sum + (column.keeps === undefined ? cells : Math.min(cells, COMFORTABLE));
  }, gaps);
  const extras = columns.filter(({ column }) => column.isExtra === true);
  if (wanted > width && extras.length > 0) return fitted(withoutLeast(columns, extras), width);
  const over = columns.reduce((sum, { cells }) => sum + cells, gaps) - width;
  const narrowed = columns.map((column) => ({ ...column }));
  // Cut the widest column first, so that a single long name takes no space from the other columns.
  for (let left = over; left > 0; left--) {
    const widest = narrowed
      .filter(({ column, cells }) => column.keeps !== undefined && cells > (column.least ?? LEAST))
      .reduce<ShownColumn | null>((most, one) => (one.cells > (most?.cells ?? 0) ? one : most), null);
    if (widest === null) {
      const kept = withoutLeast(columns, columns);
      return kept.length === columns.length ? narrowed : fitted(kept, width);
    }
    widest.cells -= 1;
  }
  return narrowed;
}

/** Drops the column with the lowest `worth`. Returns all columns if none has a `worth`. */
function withoutLeast(columns: readonly ShownColumn[], some: readonly ShownColumn[]): readonly ShownColumn[] {
  const worths = some.flatMap(({ column }) => column.worth ?? []);
  const least = Math.min(...worths);
  return columns.filter((shown) => !(some.includes(shown) && shown.column.worth === least));
}
