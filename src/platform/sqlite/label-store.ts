import { z } from 'zod';
import type { Labels } from '../../core/labels/index.ts';
import type { Database } from './database.ts';
import { KeptStatements } from './kept-statements.ts';
import { json, Table } from './table.ts';

const Columns = z.object({
  sessionId: z.string(),
  tags: json(z.array(z.string()).readonly()),
  repository: z.string().nullable(),
  archivedAt: z.number().nullable(),
});

/** Stores the labels of each session, keyed by the session's id. */
export interface LabelStore {
  all(): Map<string, Labels>;
  /** inserts or replaces a row, which is deleted together with its session */
  save(sessionId: string, labels: Labels): void;
}

export function createLabelStore(database: Database): LabelStore {
  const table = new Table(new KeptStatements(database), 'labels', Columns);
  return {
    all: () => new Map(table.all('').map(({ sessionId, ...labels }) => [sessionId, labels])),
    save: (sessionId, labels) => table.save({ ...labels, sessionId }, 'sessionId'),
  };
}
