export const LARGEST_PORT = 65_535;

const PORT_RANGE = /^(\d{1,5})-(\d{1,5})$/;

/** The first and last port that can be assigned to worktrees. */
export interface PortRange {
  first: number;
  last: number;
}

/** Reads `FIRST-LAST`. Returns null if the text is not a range, or if the range is empty. */
export function parsePortRange(text: string): PortRange | null {
  const [, first = 0, last = 0] = PORT_RANGE.exec(text)?.map(Number) ?? [];
  return first >= 1 && first <= last && last <= LARGEST_PORT ? { first, last } : null;
}
