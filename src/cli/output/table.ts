import { displayWidth, padEnd, truncate, truncateMiddle, truncateStart } from '../../text/display-width.ts';
import type { Style, StyleName } from '../../text/style.ts';

export interface Cell {
  /** cleaned single-line text */
  text: string;
  style?: StyleName | null;
}

export interface Column {
  /** empty for a column without a title, such as an icon */
  title: string;
  /**
   * which part of a value is kept if the terminal is too narrow; if omitted, values are never cut, as with an id to
   * copy
   */
  keeps?: 'start' | 'end' | 'both ends';
  /** the minimum number of cells that a cut column keeps */
  least?: number;
  /**
   * If cutting is not enough, the column with the lowest worth is left out first. A column without a worth is never
   * left out.
   */
  worth?: number;
  /** shown only if no other column has to be cut to make room for it */
  isExtra?: boolean;
}

export interface TableOptions {
  columns: readonly Column[];
  rows: readonly (readonly Cell[])[];
  style: Style;
  /** width of the terminal in cells, or null if lines may be of any length (a pipe) */
  width: number | null;
}

/** The gap between two columns. It has two spaces, so that values containing single spaces stay apart. */
const GAP = '  ';
/** A value cut to fewer cells than this means nothing. */
const LEAST = 12;
/** How many cells a column that can be cut keeps while an extra column is next to it. */
const COMFORTABLE = 30;

/**
 * Returns a table as lines no wider than the terminal, aligned by display width, with titles first. Columns without any
 * values are left out, and so are columns with a low worth if the terminal is too narrow.
 */
export function renderTable({ columns, rows, style, width }: TableOptions): string[] {
  const filled = columns
    .map((column, index) => ({ column, index }))
    .filter(({ column, index }) => {
      return column.title === '' || rows.some((row) => (row[index]?.text ?? '') !== '');
    })
    .map(({ column, index }) => {
      const natural = rows.map((row) => displayWidth(row[index]?.text ?? ''));
      return { column, index, cells: Math.max(displayWidth(column.title), ...natural) };
    });
  const shown = width === null ? filled : fitted(filled, width);

  const line = (cellOf: (at: ShownColumn) => Cell): string =>
    shown
      .map((at) => {
        const { text: whole, style: name = null } = cellOf(at);
        const text = cut(whole, at);
        return style(name, text) + padEnd(text, at.cells).slice(text.length);
      })
      .join(GAP)
      .trimEnd();

  return [
    line(({ column }) => ({ text: column.title, style: 'dim' })),
    ...rows.map((row) => line(({ index }) => row[index] ?? { text: '' })),
  ];
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
  cells: number;
}

/** Returns the columns that fit, each with its width in cells. */
function fitted(columns: readonly ShownColumn[], width: number): readonly ShownColumn[] {
  const gaps = GAP.length * (columns.length - 1);
  const wanted = columns.reduce((sum, { column, cells }) => {
    return sum + (column.keeps === undefined ? cells : Math.min(cells, COMFORTABLE));
  }, gaps);
  const extras = columns.filter(({ column }) => column.isExtra === true);
  if (wanted > width && extras.length > 0) return fitted(withoutLeast(columns, extras), width);
  const over = columns.reduce((sum, { cells }) => sum + cells, gaps) - width;
  const narrowed = columns.map((column) => ({ ...column }));
  // The widest column is cut first, so that one long name takes nothing away from the other columns.
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

/** Drops the column with the lowest worth. Returns all columns if none of them has a worth. */
function withoutLeast(columns: readonly ShownColumn[], some: readonly ShownColumn[]): readonly ShownColumn[] {
  const worths = some.flatMap(({ column }) => column.worth ?? []);
  const least = Math.min(...worths);
  return columns.filter((shown) => !(some.includes(shown) && shown.column.worth === least));
}
