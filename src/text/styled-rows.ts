import type { IBuffer, IBufferCell, Terminal } from '@xterm/headless';
import { withoutReordering } from './terminal-text.ts';

/**
 * Returns the window's rows as coloured text. Each row begins and ends in the terminal's default style. No matter what
 * the recorded program wrote, the rows contain only printable text and SGR sequences.
 * @param maxCols the column at which rows are cut off, for a terminal that is narrower than the window
 */
export function styledRows(terminal: Terminal, maxCols: number): string[] {
  const buffer = terminal.buffer.active;
  const cols = { from: 0, to: Math.min(terminal.cols, maxCols) };
  return Array.from({ length: terminal.rows }, (_, row) => styledRow(buffer, buffer.baseY + row, cols));
}

export interface RowOptions {
  /** the first column to render, and the column after the last one */
  from: number;
  to: number;
  /** whether to render colours; if false, only bold, inverse, and other attributes are rendered */
  hasColours?: boolean;
  /**
   * Returns a sequence that moves the cursor to a column, counted from `from`. Terminals disagree about the width of
   * some characters. A move follows each of these, so that the next character is drawn in the right cell.
   */
  placeAt?(col: number): string;
}

/** Renders one row of a buffer. Rows are counted from the first line of the scrollback. */
export function styledRow(buffer: IBuffer, row: number, options: RowOptions): string {
  const { from, to, hasColours = true, placeAt } = options;
  const line = buffer.getLine(row);
  if (line === undefined) return '';
  const cell = buffer.getNullCell();
  let text = '';
  let style = '';
  for (let col = from; col < to; col++) {
    if (line.getCell(col, cell) === undefined) break;
    const width = cell.getWidth();
    if (width === 0) {
      // This is the right half of a wide character whose left half was cut off.
      if (col === from) text += ' ';
      continue;
    }
    const next = styleOf(cell, hasColours);
    if (next !== style) text += `\u001b[0${next}m`;
    style = next;
    const written = cell.getChars();
    const characters = written.length > 1 ? withoutReordering(written) : written;
    const isCut = col + width > to;
    text += isCut || characters === '' ? ' ' : characters;
    if (placeAt !== undefined && !isCut && hasDoubtfulWidth(characters)) text += placeAt(col - from + width);
  }
  return style === '' ? text.trimEnd() : `${text}\u001b[0m`;
}

/**
 * Reports whether terminals may disagree about the width of a cell's characters. They agree that a single Latin, Greek,
 * Cyrillic, punctuation, arrow, box-drawing, or Braille character takes one cell.
 */
function hasDoubtfulWidth(characters: string): boolean {
  const code = characters.charCodeAt(0);
  const isPlain = code < 0x300 || (code >= 0x370 && code < 0x530) || (code >= 0x2010 && code < 0x2028);
  const isDrawing = (code >= 0x2500 && code < 0x25a0) || (code >= 0x2800 && code < 0x2900);
  return characters.length > 1 || !(isPlain || isDrawing || characters === '');
}

/** A cell, or another xterm.js object that has a style. */
export type Styled = Pick<IBufferCell, Extract<keyof IBufferCell, `is${string}` | `get${'F' | 'B'}g${string}`>>;

/** Returns the SGR parameters to append to a reset. Each parameter begins with a `;`. */
export function styleOf(cell: Styled, hasColours: boolean): string {
  if (cell.isAttributeDefault()) return '';
  let style = '';
  if (cell.isBold() !== 0) style += ';1';
  if (cell.isDim() !== 0) style += ';2';
  if (cell.isItalic() !== 0) style += ';3';
  if (cell.isUnderline() !== 0) style += ';4';
  if (cell.isBlink() !== 0) style += ';5';
  if (cell.isInverse() !== 0) style += ';7';
  if (cell.isInvisible() !== 0) style += ';8';
  if (cell.isStrikethrough() !== 0) style += ';9';
  if (cell.isOverline() !== 0) style += ';53';
  if (!hasColours) return style;
  if (cell.isFgPalette()) style += `;${paletteColour(cell.getFgColorMode(), cell.getFgColor(), 30)}`;
  if (cell.isFgRGB()) style += `;38;2;${rgb(cell.getFgColor())}`;
  return style + backgroundOf(cell);
}

/** Returns the part of a style that is visible even in an empty cell. */
export function backgroundOf(cell: Styled): string {
  if (cell.isBgPalette()) return `;${paletteColour(cell.getBgColorMode(), cell.getBgColor(), 40)}`;
  return cell.isBgRGB() ? `;48;2;${rgb(cell.getBgColor())}` : '';
}

/**
 * The mode that xterm.js (6.0.0) stores for a colour that was set as one of the sixteen standard colours. Other palette
 * colours are among the 256.
 */
const SIXTEEN_COLOURS = 1 << 24;

/**
 * @param base 30 for the foreground, 40 for the background; the short form reduces the size of a colourful row to a
 * third
 */
function paletteColour(mode: number, colour: number, base: 30 | 40): string {
  if (mode !== SIXTEEN_COLOURS) return `${base + 8};5;${colour}`;
  return String(colour < 8 ? base + colour : base + 60 + colour - 8);
}

function rgb(color: number): string {
  return `${(color >> 16) & 255};${(color >> 8) & 255};${color & 255}`;
}
