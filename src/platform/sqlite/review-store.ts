import { z } from 'zod';
import { ReviewSide } from '../../protocol/index.ts';
import { type Database, inTransaction } from './database.ts';
import { KeptStatements } from './kept-statements.ts';
import { json, Table } from './table.ts';

const Lines = z.array(z.string()).readonly();

const Comment = z.object({
  id: z.string(),
  sessionId: z.string(),
  /** the round in which the comment was sent, or null until then */
  round: z.number().nullable(),
  file: z.string(),
  side: ReviewSide,
  line: z.number(),
  endLine: z.number(),
  context: json(z.object({ before: Lines, lines: Lines, after: Lines })),
  text: z.string(),
  createdAt: z.number(),
});
type Comment = z.infer<typeof Comment>;

/** A comment, as it was written. Times are in Unix milliseconds. */
export type CommentRecord = Omit<Comment, 'context'> & Comment['context'];

const RoundRecord = z.object({
  sessionId: z.string(),
  number: z.number(),
  /** the idempotency key of the round's delivery */
  key: z.string(),
  prompt: z.string(),
  sentAt: z.number(),
  /** the id of the delivery, or null until it is known */
  deliveryId: z.string().nullable(),
  answer: z.string().nullable(),
  answeredAt: z.number().nullable(),
});
export type RoundRecord = z.infer<typeof RoundRecord>;

export interface ReviewStore {
  addComment(record: CommentRecord): void;
  /** all comments on the changes of a session, in the order in which they were written */
  comments(sessionId: string): CommentRecord[];
  removeComment(id: string): void;
  /** the review rounds of a session, oldest first */
  rounds(sessionId: string): RoundRecord[];
  /** Stores a round and assigns its comments to it. Either both take effect or neither. */
  beginRound(round: RoundRecord, commentIds: readonly string[]): void;
  saveRound(round: RoundRecord): void;
  /** Removes a round that never arrived. Its comments are then open again. */
  undoRound(sessionId: string, number: number): void;
  /** the digests of the files that are marked as reviewed */
  marks(sessionId: string): Map<string, string>;
  mark(sessionId: string, file: string, mark: { digest: string; at: number } | null): void;
}

const MarkRow = z.object({ file: z.string(), digest: z.string() });

export function createReviewStore(database: Database): ReviewStore {
  const sql = new KeptStatements(database);
  const comments = new Table(sql, 'review_comments', Comment);
  const rounds = new Table(sql, 'review_rounds', RoundRecord);
  return {
    addComment: ({ before, lines, after, ...comment }) =>
      void comments.insert({ ...comment, context: { before, lines, after } }),
    comments: (sessionId) =>
      comments
        .all('WHERE session_id = ? ORDER BY created_at, rowid', sessionId)
        .map(({ context, ...comment }) => ({ ...comment, ...context })),
    removeComment: (id) => void sql.run('DELETE FROM review_comments WHERE id = ?', id),
    rounds: (sessionId) => rounds.all('WHERE session_id = ? ORDER BY number', sessionId),
    beginRound: (round, ids) =>
      inTransaction(database, () => {
        rounds.insert(round);
        for (const id of ids) sql.run('UPDATE review_comments SET round = ? WHERE id = ?', round.number, id);
      }),
    saveRound: ({ sessionId, number, deliveryId, answer, answeredAt }) =>
      void sql.run(
        'UPDATE review_rounds SET delivery_id = ?, answer = ?, answered_at = ? WHERE session_id = ? AND number = ?',
        ...[deliveryId, answer, answeredAt, sessionId, number],
      ),
    undoRound: (sessionId, number) =>
      inTransaction(database, () => {
        sql.run('UPDATE review_comments SET round = NULL WHERE session_id = ? AND round = ?', sessionId, number);
        sql.run('DELETE FROM review_rounds WHERE session_id = ? AND number = ?', sessionId, number);
      }),
    marks: (sessionId) =>
      new Map(
        sql.all('SELECT file, digest FROM reviewed_files WHERE session_id = ? ORDER BY file', sessionId).map((row) => {
          const { file, digest } = MarkRow.parse(row);
          return [file, digest];
        }),
      ),
    mark: (sessionId, file, given) => {
      if (given === null) sql.run('DELETE FROM reviewed_files WHERE session_id = ? AND file = ?', sessionId, file);
      else
        sql.run('INSERT OR REPLACE INTO reviewed_files VALUES (?, ?, ?, ?)', sessionId, file, given.digest, given.at);
    },
  };
}
