import { z } from 'zod';
import type { Attended } from '../../core/attention/index.ts';
import type { Database } from './database.ts';

const Row = z.object({
  session_id: z.string(),
  news: z.number(),
  seen: z.number(),
  marked: z.number(),
  turn_runs: z.number(),
  asked: z.string().nullable(),
  snooze: z.string().nullable(),
});

const Rule = z.object({
  since: z.number(),
  until: z.number().nullable(),
  untilAsks: z.boolean(),
  untilTurnEnds: z.boolean(),
  untilEnds: z.array(z.string()),
});

/**
 * Stores whether someone has looked at each session and until when the session is snoozed, keyed by the session's id.
 */
export interface AttentionStore {
  all(): Map<string, Attended>;
  /** inserts or replaces a row, which is deleted together with its session */
  save(sessionId: string, attended: Attended): void;
}

export function createAttentionStore(database: Database): AttentionStore {
  const all = database.prepare('SELECT * FROM attention');
  const save = database.prepare(`
    INSERT INTO attention VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (session_id) DO UPDATE SET news = excluded.news, seen = excluded.seen, marked = excluded.marked,
      turn_runs = excluded.turn_runs, asked = excluded.asked, snooze = excluded.snooze`);
  return {
    all: () => new Map(all.all().map(toEntry)),
    save: (sessionId, { news, seen, isMarked, turnRuns, asked, snooze }) => {
      const rule = snooze === null ? null : JSON.stringify(snooze);
      save.run(sessionId, news, seen, isMarked ? 1 : 0, turnRuns ? 1 : 0, asked, rule);
    },
  };
}

function toEntry(value: unknown): [string, Attended] {
  const { session_id: sessionId, marked, turn_runs, snooze, ...row } = Row.parse(value);
  const rule = snooze === null ? null : Rule.parse(JSON.parse(snooze));
  return [sessionId, { ...row, isMarked: marked === 1, turnRuns: turn_runs === 1, snooze: rule }];
}
