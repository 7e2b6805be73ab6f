import { z } from 'zod';
import { type Database, inTransaction } from './database.ts';

const Mark = z.object({ launch_id: z.string(), cost_usd: z.number() });
const Day = z.object({ session_id: z.string(), day: z.string(), cost_usd: z.number() });
export type TerminalCost = z.infer<typeof Day>;

/** Stores the daily cost of terminal sessions, as far as Claude Code has reported it. */
export interface TerminalCostStore {
  /** Counts the cost of a launch from zero, because its conversation is new. */
  beginAtZero(session: { id: string; launchId: string }): void;
  /**
   * Counts a total that a launch has reported. Claude Code may start from the total of a resumed conversation, so
   * counting begins at the first total that the launch reports. If a total is smaller than the previous one, Claude
   * Code has started counting from zero again.
   */
  count(session: { id: string; launchId: string }, day: string, totalUsd: number): void;
  /**
   * Returns the cost per session and day, oldest first, for one session or for all sessions, including deleted ones.
   */
  read(sessionId: string | null, since: string | null): TerminalCost[];
}

export function createTerminalCostStore(database: Database): TerminalCostStore {
  const mark = database.prepare('SELECT launch_id, cost_usd FROM terminal_cost_marks WHERE session_id = ?');
  const saveMark = database.prepare(`
    INSERT INTO terminal_cost_marks VALUES (?, ?, ?)
    ON CONFLICT (session_id) DO UPDATE SET launch_id = excluded.launch_id, cost_usd = excluded.cost_usd`);
  const add = database.prepare(`
    INSERT INTO terminal_costs VALUES (?, ?, ?)
    ON CONFLICT (session_id, day) DO UPDATE SET cost_usd = cost_usd + excluded.cost_usd`);
  const read = database.prepare(`
    SELECT * FROM terminal_costs WHERE (?1 IS NULL OR session_id = ?1) AND (?2 IS NULL OR day >= ?2)
    ORDER BY day, rowid`);
  return {
    beginAtZero: ({ id, launchId }) => void saveMark.run(id, launchId, 0),
    count: ({ id, launchId }, day, totalUsd) =>
      inTransaction(database, () => {
        const found = mark.get(id);
        const before = found === undefined ? null : Mark.parse(found);
        if (before?.launch_id === launchId && before.cost_usd === totalUsd) return;
        saveMark.run(id, launchId, totalUsd);
        if (before?.launch_id !== launchId) return;
        const spent = totalUsd < before.cost_usd ? totalUsd : totalUsd - before.cost_usd;
        if (spent > 0) add.run(id, day, spent);
      }),
    read: (sessionId, since) => read.all(sessionId, since).map((row) => Day.parse(row)),
  };
}
