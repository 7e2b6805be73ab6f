import { z } from 'zod';
import { StashWhen } from '../../protocol/index.ts';
import { type Database, inTransaction } from './database.ts';

/** A reply that is kept for later. Times are in Unix milliseconds. */
export interface StashRecord {
  id: string;
  sessionId: string;
  /** the text, without control characters */
  response: string;
  question: string | null;
  when: StashWhen;
  createdAt: number;
  /** when the reply was applied, or null until then */
  appliedAt: number | null;
  /** the delivery that was created from the reply */
  deliveryId: string | null;
}

/** What applying a reply has led to. */
export interface Application {
  id: string;
  appliedAt: number;
  deliveryId: string;
}

const Row = z.object({
  id: z.string(),
  session_id: z.string(),
  response: z.string(),
  question: z.string().nullable(),
  apply_when: StashWhen,
  created_at: z.number(),
  applied_at: z.number().nullable(),
  delivery_id: z.string().nullable(),
});

export interface StashStore {
  add(record: StashRecord): void;
  get(sessionId: string, id: string): StashRecord | null;
  /** the replies in the order in which they were stored */
  list(sessionId: string): StashRecord[];
  /**
   * Marks a reply as applied and runs `journal`. Either both take effect or neither, so after a crash, the reply is
   * either still kept or has its delivery. Returns false and changes nothing if the reply has already been applied or
   * no longer exists.
   */
  apply(application: Application, journal: () => void): boolean;
  remove(id: string): void;
}

export function createStashStore(database: Database): StashStore {
  const add = database.prepare('INSERT INTO stash VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const get = database.prepare('SELECT * FROM stash WHERE session_id = ? AND id = ?');
  const list = database.prepare('SELECT * FROM stash WHERE session_id = ? ORDER BY created_at, rowid');
  const mark = database.prepare(
    'UPDATE stash SET applied_at = ?, delivery_id = ? WHERE id = ? AND applied_at IS NULL RETURNING id',
  );
  const remove = database.prepare('DELETE FROM stash WHERE id = ?');
  return {
    add: ({ id, sessionId, response, question, when, createdAt, appliedAt, deliveryId }) =>
      void add.run(id, sessionId, response, question, when, createdAt, appliedAt, deliveryId),
    get: (sessionId, id) => {
      const row = get.get(sessionId, id);
      return row === undefined ? null : toRecord(row);
    },
    list: (sessionId) => list.all(sessionId).map(toRecord),
    apply: ({ id, appliedAt, deliveryId }, journal) =>
      inTransaction(database, () => {
        const isMarked = mark.all(appliedAt, deliveryId, id).length === 1;
        if (isMarked) journal();
        return isMarked;
      }),
    remove: (id) => void remove.run(id),
  };
}

function toRecord(value: unknown): StashRecord {
  const { session_id: sessionId, apply_when: when, created_at, applied_at, delivery_id, ...row } = Row.parse(value);
  return { ...row, sessionId, when, createdAt: created_at, appliedAt: applied_at, deliveryId: delivery_id };
}
