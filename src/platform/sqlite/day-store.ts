import { z } from 'zod';
import type { SpentAs } from '../../core/history/index.ts';
import type { Database } from './database.ts';

const Row = z.object({
  session_id: z.string(),
  day: z.string(),
  worked_ms: z.int(),
  waited_ms: z.int(),
  stuck_ms: z.int(),
  idle_ms: z.int(),
  error_ms: z.int(),
});
export type SessionDay = z.infer<typeof Row>;

/** Stores how each session spent its time on each day. */
export interface DayStore {
  add(sessionId: string, day: string, spent: SpentAs, ms: number): void;
  /** Returns the days since `since` (null for all days), oldest first, for one session or for all sessions. */
  read(sessionId: string | null, since: string | null): SessionDay[];
}

export function createDayStore(database: Database): DayStore {
  const add = database.prepare(`
    INSERT INTO session_days VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (session_id, day) DO UPDATE SET worked_ms = worked_ms + excluded.worked_ms, waited_ms = waited_ms + excluded.waited_ms,
      stuck_ms = stuck_ms + excluded.stuck_ms, idle_ms = idle_ms + excluded.idle_ms, error_ms = error_ms + excluded.error_ms`);
  const read = database.prepare(`
    SELECT * FROM session_days WHERE (?1 IS NULL OR session_id = ?1) AND (?2 IS NULL OR day >= ?2) ORDER BY day, rowid`);
  return {
    add: (sessionId, day, spent, ms) => {
      const part = (kind: SpentAs): number => (kind === spent ? Math.round(ms) : 0);
      add.run(sessionId, day, part('worked'), part('waited'), part('stuck'), part('idle'), part('error'));
    },
    read: (sessionId, since) => read.all(sessionId, since).map((row) => Row.parse(row)),
  };
}
