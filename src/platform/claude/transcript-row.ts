import { parseJson } from '../../protocol/index.ts';

/** A line of a transcript. */
export type Row = Readonly<Record<string, unknown>>;

/** Reads a line of a transcript; null if the line is cut off or is not an object. */
export function parseRow(line: string): Row | null {
  const value = parseJson(line);
  return typeof value === 'object' && value !== null ? (value as Row) : null;
}
