import { StatusChange } from '../../protocol/index.ts';
import type { Database } from './database.ts';

/**
 * How many changes are kept for each session. A busy session produces a few thousand per day. Older ones are deleted
 * first.
 */
const KEPT_PER_SESSION = 20_000;
/** How many changes are stored before old ones are deleted again. Each deletion reads a session's whole index. */
const PRUNE_EVERY = 500;

export interface HistoryStore {
  append(sessionId: string, change: StatusChange): void;
  /**
   * the changes in the order in which they were appended, regardless of the clock; if `sinceMs` is given, only those
   * after it
   */
  read(sessionId: string, sinceMs: number | null): StatusChange[];
  /** the newest change; the others are not read */
  last(sessionId: string): StatusChange | null;
}

export function createHistoryStore(database: Database): HistoryStore {
  const insert = database.prepare('INSERT INTO status_changes VALUES (?, ?, ?)');
  const read = database.prepare('SELECT change FROM status_changes WHERE session_id = ? AND at > ? ORDER BY rowid');
  const last = database.prepare('SELECT change FROM status_changes WHERE session_id = ? ORDER BY rowid DESC LIMIT 1');
  const prune = database.prepare(`
    DELETE FROM status_changes WHERE session_id = ? AND rowid <= (
      SELECT rowid FROM status_changes WHERE session_id = ? ORDER BY rowid DESC LIMIT 1 OFFSET ${KEPT_PER_SESSION})`);
  let appended = 0;
  return {
    append: (sessionId, change) => {
      insert.run(sessionId, Date.parse(change.at), JSON.stringify(change));
      appended += 1;
      if (appended % PRUNE_EVERY === 0) prune.run(sessionId, sessionId);
    },
    read: (sessionId, sinceMs) => read.all(sessionId, sinceMs ?? -1).map(toChange),
    last: (sessionId) => {
      const row = last.get(sessionId);
      return row === undefined ? null : toChange(row);
    },
  };
}

function toChange({ change }: Record<string, unknown>): StatusChange {
  return StatusChange.parse(JSON.parse(String(change)));
}
