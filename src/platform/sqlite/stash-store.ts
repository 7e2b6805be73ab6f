import { z } from 'zod';
import { StashWhen } from '../../protocol/index.ts';
import { type Database, inTransaction } from './database.ts';
import { KeptStatements } from './kept-statements.ts';
import { Table } from './table.ts';

const Columns = z.object({
  id: z.string(),
  sessionId: z.string(),
  /** the text, without control characters */
  response: z.string(),
  question: z.string().nullable(),
  applyWhen: StashWhen,
  createdAt: z.number(),
  /** when the reply was applied, or null until then */
  appliedAt: z.number().nullable(),
  /** the delivery that was created from the reply */
  deliveryId: z.string().nullable(),
});
type Columns = z.infer<typeof Columns>;

/** A reply that is kept for later. Times are in Unix milliseconds. */
export interface StashRecord extends Omit<Columns, 'applyWhen'> {
  when: StashWhen;
}

/** What applying a reply has led to. */
export interface Application {
  id: string;
  appliedAt: number;
  deliveryId: string;
}

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
  const sql = new KeptStatements(database);
  const table = new Table(sql, 'stash', Columns);
  return {
    add: ({ when, ...record }) => void table.insert({ ...record, applyWhen: when }),
    get: (sessionId, id) => table.all('WHERE session_id = ? AND id = ?', sessionId, id).map(toRecord)[0] ?? null,
    list: (sessionId) => table.all('WHERE session_id = ? ORDER BY created_at, rowid', sessionId).map(toRecord),
    apply: ({ id, appliedAt, deliveryId }, journal) =>
      inTransaction(database, () => {
        const isMarked = sql.run(
          'UPDATE stash SET applied_at = ?, delivery_id = ? WHERE id = ? AND applied_at IS NULL',
          ...[appliedAt, deliveryId, id],
        );
        if (isMarked) journal();
        return isMarked;
      }),
    remove: (id) => void sql.run('DELETE FROM stash WHERE id = ?', id),
  };
}

const toRecord = ({ applyWhen: when, ...row }: Columns): StashRecord => ({ ...row, when });
