import type { IBufferLine } from '@xterm/headless';

/**
 * How the emulator stores a line behind its API (6.0.0): three numbers per cell, which describe everything except
 * characters made of several code points.
 */
interface RawLine {
  _line?: { _data?: unknown };
}

/** This bit is set in a cell's first number if its characters are stored elsewhere. */
const IS_COMBINED = 1 << 21;
const NUMBERS_PER_CELL = 3;

interface Kept {
  cells: Uint32Array;
  look: string;
  text: string;
}

/** The rows of a session's screen as last rendered. For a line that has not changed, only numbers are compared. */
export interface RowCache {
  /**
   * @param look everything except the line itself that affects its text: the cut, the position, the colours.
   * @param make renders the text
   */
  row(line: IBufferLine, look: string, make: () => string): string;
}

/**
 * Caches rows by line, so that only the new rows of a scrolling screen are rendered. If the emulator stores lines in a
 * way that this code does not know, nothing is cached and every row is rendered.
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
