import { z } from 'zod';
import type { Attended } from '../../core/attention/index.ts';
import type { Database } from './database.ts';
import { KeptStatements } from './kept-statements.ts';
import { flag, json, Table } from './table.ts';

const Snooze = z.object({
  since: z.number(),
  until: z.number().nullable(),
  untilAsks: z.boolean(),
  untilTurnEnds: z.boolean(),
  untilEnds: z.array(z.string()).readonly(),
});

const Columns = z.object({
  sessionId: z.string(),
  news: z.number(),
  seen: z.number(),
  isMarked: flag,
  turnRuns: flag,
  asked: z.string().nullable(),
  snooze: json(Snooze).nullable(),
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
  const table = new Table(new KeptStatements(database), 'attention', Columns);
  return {
    all: () => new Map(table.all('').map(({ sessionId, ...attended }) => [sessionId, attended])),
    save: (sessionId, attended) => table.save({ ...attended, sessionId }, 'sessionId'),
  };
}
