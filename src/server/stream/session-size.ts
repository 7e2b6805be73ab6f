import type { Session } from '../../protocol/index.ts';

/** The size of a session whose size is not known yet. */
const DEFAULT_SIZE = { cols: 80, rows: 24 };

export function sessionSize({ cols, rows }: Pick<Session, 'cols' | 'rows'>): { cols: number; rows: number } {
  return { cols: cols ?? DEFAULT_SIZE.cols, rows: rows ?? DEFAULT_SIZE.rows };
}
