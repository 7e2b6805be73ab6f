import type { IBufferLine } from '@xterm/headless';

/**
 * What the emulator keeps of a line behind its API (6.0.0): three numbers a cell, which say all of it but characters of
 * several code points.
 */
interface RawLine {
  _line?: { _data?: unknown };
}

/** A cell's first number has this bit where its characters are kept elsewhere. */
const IS_COMBINED = 1 << 21;
const NUMBERS_PER_CELL = 3;

interface Kept {
  cells: Uint32Array;
  look: string;
  text: string;
}

/** The rows of a session's screen as they were last made: a line that has not changed costs a comparison of numbers. */
export interface RowCache {
  /** @param look everything beside the line that its text depends on: cut, place, colours. @param make the text */
  row(line: IBufferLine, look: string, make: () => string): string;
}

/**
 * Keeps rows by line, so a screen that scrolls makes the new ones only. Where the emulator is of another make than the
 * one that is known here, nothing is kept and every row is made.
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
