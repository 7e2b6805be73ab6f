import type { PendingTool } from '../evidence.ts';

/**
 * How many characters of a tool's input, as JSON, are kept. The limit is large enough for anything that a model can
 * write in one call (64,000 tokens), because users should not have to allow what they cannot see. The input is sent to
 * the clients with each change to the session, and 200 kB take 1 ms.
 */
const MOST_INPUT = 200_000;

/** How deeply an input may be nested. No known tool has an input that is nested more deeply. */
const MOST_DEPTH = 20;

/** How many characters of each string are kept if an input is truncated. */
const CUT_TEXT = 2_000;

/** How many entries of each list and object are kept if an input is truncated. */
const CUT_ENTRIES = 100;

const CUT_DEPTH = 6;

/** Returns a tool's input as CBOS keeps it: in full, or truncated if it is so long that no one could read all of it. */
export function boundInput(value: unknown): Pick<PendingTool, 'input' | 'cut'> {
  return sizeOf(value, 0) <= MOST_INPUT ? { input: value } : { input: cutInput(value, 0), cut: true };
}

/** Returns the approximate length of a value as JSON, in characters, or infinity if the value is nested too deeply. */
function sizeOf(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 5;
  if (depth >= MOST_DEPTH) return Number.POSITIVE_INFINITY;
  return Object.entries(value).reduce((size, [key, entry]) => size + key.length + 4 + sizeOf(entry, depth + 1), 2);
}

function cutInput(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.length > CUT_TEXT ? `${value.slice(0, CUT_TEXT)}…` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= CUT_DEPTH) return '…';
  if (Array.isArray(value)) return value.slice(0, CUT_ENTRIES).map((entry) => cutInput(entry, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, CUT_ENTRIES)
      .map(([key, entry]) => [key.slice(0, CUT_TEXT), cutInput(entry, depth + 1)]),
  );
}
