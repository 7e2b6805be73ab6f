import { z } from 'zod';
import { type DeliveryRecord, statusOf } from '../../core/delivery/record.ts';
import { DeliveryPhase, type DeliveryStatus } from '../../protocol/index.ts';
import type { Database } from './database.ts';
import { KeptStatements } from './kept-statements.ts';
import { flag, Table } from './table.ts';

const Columns = z.object({
  id: z.string(),
  sessionId: z.string(),
  text: z.string(),
  command: flag,
  createdAt: z.number(),
  updatedAt: z.number(),
  removed: z.number(),
  idempotencyKey: z.string().nullable(),
  phase: DeliveryPhase,
  intoQueue: flag,
  held: flag,
  reason: z.string().nullable(),
  sender: z.string().nullable(),
});

/** How many deliveries a list shows. */
const LISTED = 200;

export interface DeliveryStore {
  save(record: DeliveryRecord): void;
  get(sessionId: string, id: string): DeliveryRecord | null;
  byKey(sessionId: string, idempotencyKey: string): DeliveryRecord | null;
  /** a session's deliveries, newest first */
  list(sessionId: string): DeliveryRecord[];
  /**
   * the `count` deliveries that changed most recently, latest first; a held delivery may be typed long after newer ones
   */
  recent(sessionId: string, count: number): DeliveryRecord[];
  /** the deliveries in the order in which they were accepted */
  withStatus(sessionId: string, status: DeliveryStatus): DeliveryRecord[];
}

/** Deliveries are ordered by a counter rather than by time, because the clock may be set back. */
const SAVE = `
  INSERT INTO deliveries (id, session_id, text, command, status, created_at, updated_at, removed, idempotency_key,
    phase, into_queue, held, reason, sender, changed_as)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,
    (SELECT coalesce(max(changed_as), 0) + 1 FROM deliveries WHERE session_id = ?2))
  ON CONFLICT (id) DO UPDATE SET changed_as = excluded.changed_as, text = excluded.text, status = excluded.status,
    updated_at = excluded.updated_at, removed = excluded.removed, phase = excluded.phase,
    into_queue = excluded.into_queue, held = excluded.held, reason = excluded.reason`;

export function createDeliveryStore(database: Database): DeliveryStore {
  const sql = new KeptStatements(database);
  const table = new Table(sql, 'deliveries', Columns);
  return {
    save: (record) => {
      const { id, sessionId, text, command, createdAt, updatedAt, removed, idempotencyKey, reason, sender } = record;
      const progress = [record.phase, Number(record.intoQueue), Number(record.held)];
      sql.run(
        SAVE,
        ...[id, sessionId, text, Number(command), statusOf(record), createdAt, updatedAt, removed, idempotencyKey],
        ...[...progress, reason, sender],
      );
    },
    get: (sessionId, id) => table.get('WHERE session_id = ? AND id = ?', sessionId, id),
    byKey: (sessionId, key) => table.get('WHERE session_id = ? AND idempotency_key = ?', sessionId, key),
    list: (sessionId) => table.all(`WHERE session_id = ? ORDER BY rowid DESC LIMIT ${LISTED}`, sessionId),
    recent: (sessionId, count) => table.all('WHERE session_id = ? ORDER BY changed_as DESC LIMIT ?', sessionId, count),
    withStatus: (sessionId, status) =>
      table.all('WHERE session_id = ? AND status = ? ORDER BY rowid', sessionId, status),
  };
}
