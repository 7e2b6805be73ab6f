import type { PatchRow } from '../../text/patch-rows.ts';

/**
 * Two rows that are shown next to each other. A row that belongs to neither side, such as a hunk header, is on both.
 */
export interface RowPair {
  before: PatchRow | null;
  after: PatchRow | null;
}

/** Pairs removed lines with the added lines that follow them, in the same order. */
export function sideBySide(rows: readonly PatchRow[]): RowPair[] {
  const pairs: RowPair[] = [];
  let removed: PatchRow[] = [];
  let added: PatchRow[] = [];
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      pairs.push({ before: removed[at] ?? null, after: added[at] ?? null });
    removed = [];
    added = [];
  };
  for (const row of rows) {
    if (row.kind === 'removed') {
      // A removed line after an added line begins another change.
      if (added.length > 0) flush();
      removed.push(row);
    } else if (row.kind === 'added') {
      added.push(row);
    } else {
      flush();
      pairs.push({ before: row, after: row });
    }
  }
  flush();
  return pairs;
}
