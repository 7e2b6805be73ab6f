import { z } from 'zod';
import { type DeliveryRecord, statusOf } from '../../core/delivery/record.ts';
import { DeliveryPhase, type DeliveryStatus } from '../../protocol/index.ts';
import type { Database } from './database.ts';

const Row = z.object({
  id: z.string(),
  session_id: z.string(),
  text: z.string(),
  command: z.number(),
  created_at: z.number(),
  updated_at: z.number(),
  removed: z.number(),
  idempotency_key: z.string().nullable(),
  phase: DeliveryPhase,
  into_queue: z.number(),
  held: z.number(),
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
export function createDeliveryStore(database: Database): DeliveryStore {
  const save = database.prepare(`
    INSERT INTO deliveries (id, session_id, text, command, status, created_at, updated_at, removed, idempotency_key,
      phase, into_queue, held, reason, sender, changed_as)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,
      (SELECT coalesce(max(changed_as), 0) + 1 FROM deliveries WHERE session_id = ?2))
    ON CONFLICT (id) DO UPDATE SET changed_as = excluded.changed_as, text = excluded.text, status = excluded.status,
      updated_at = excluded.updated_at, removed = excluded.removed, phase = excluded.phase,
      into_queue = excluded.into_queue, held = excluded.held, reason = excluded.reason`);
  const get = database.prepare('SELECT * FROM deliveries WHERE session_id = ? AND id = ?');
  const byKey = database.prepare('SELECT * FROM deliveries WHERE session_id = ? AND idempotency_key = ?');
  const list = database.prepare(`SELECT * FROM deliveries WHERE session_id = ? ORDER BY rowid DESC LIMIT ${LISTED}`);
  const recent = database.prepare('SELECT * FROM deliveries WHERE session_id = ? ORDER BY changed_as DESC LIMIT ?');
  const withStatus = database.prepare('SELECT * FROM deliveries WHERE session_id = ? AND status = ? ORDER BY rowid');
  return {
    save: (record) => {
      const { id, sessionId, text, command, createdAt, updatedAt, removed, idempotencyKey } = record;
      const { phase, intoQueue, held, reason, sender } = record;
      save.run(
        ...[id, sessionId, text, command ? 1 : 0, statusOf(record), createdAt, updatedAt, removed, idempotencyKey],
        ...[phase, intoQueue ? 1 : 0, held ? 1 : 0, reason, sender],
      );
    },
    get: (sessionId, id) => toRecordOrNull(get.get(sessionId, id)),
    byKey: (sessionId, idempotencyKey) => toRecordOrNull(byKey.get(sessionId, idempotencyKey)),
    list: (sessionId) => list.all(sessionId).map(toRecord),
    recent: (sessionId, count) => recent.all(sessionId, count).map(toRecord),
    withStatus: (sessionId, status) => withStatus.all(sessionId, status).map(toRecord),
  };
}

const toRecordOrNull = (row: unknown): DeliveryRecord | null => (row === undefined ? null : toRecord(row));

function toRecord(value: unknown): DeliveryRecord {
  const { session_id, command, created_at, updated_at, idempotency_key, into_queue, held, ...row } = Row.parse(value);
  return {
    ...{ ...row, command: command === 1, intoQueue: into_queue === 1, held: held === 1 },
    ...{ sessionId: session_id, createdAt: created_at, updatedAt: updated_at, idempotencyKey: idempotency_key },
  };
}
