import type { IBufferLine } from '@xterm/headless';

/**
 * How the emulator (6.0.0) stores a line internally: three numbers per cell, which contain everything except for
 * characters that consist of several code points.
 */
interface RawLine {
  _line?: { _data?: unknown };
}

/** The bit that is set in a cell's first number if the cell's characters are stored elsewhere. */
const IS_COMBINED = 1 << 21;
const NUMBERS_PER_CELL = 3;

interface Kept {
  cells: Uint32Array;
  look: string;
  text: string;
}

/**
 * The rows of a session's screen, as last rendered. To find that a line has not changed, only numbers have to be
 * compared.
 */
export interface RowCache {
  /**
   * @param look everything except for the line itself that affects the rendered text: where it is cut off, its
   * position, and the colours
   * @param make renders the line
   */
  row(line: IBufferLine, look: string, make: () => string): string;
}

/**
 * Creates a cache of rows by line. When a screen scrolls, only the new rows have to be rendered. If the emulator stores
 * lines in a way that this code does not know, nothing is cached and every row is rendered.
 */
export function createRowCache(): RowCache {
  const kept = new WeakMap<object, Kept>();
  return {
    row(line, look, make) {
      const raw = (line as IBufferLine & RawLine)._line;
      const cells = raw?._data;
      if (raw === undefined || !(cells instanceof Uint32Array)) return make();
      const known = kept.get(raw);
      if (known !== undefined && known.look === look && isSame(known.cells, cells)) return known.text;
      const text = make();
      if (hasCombined(cells)) kept.delete(raw);
      else kept.set(raw, { cells: cells.slice(), look, text });
      return text;
    },
  };
}

function isSame(one: Uint32Array, other: Uint32Array): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}

function hasCombined(cells: Uint32Array): boolean {
  for (let at = 0; at < cells.length; at += NUMBERS_PER_CELL) if (((cells[at] ?? 0) & IS_COMBINED) !== 0) return true;
  return false;
}
