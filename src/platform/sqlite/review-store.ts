import { z } from 'zod';
import { ReviewSide } from '../../protocol/index.ts';
import { type Database, inTransaction } from './database.ts';

/** A comment, as it was written. Times are in Unix milliseconds. */
export interface CommentRecord {
  id: string;
  sessionId: string;
  /** the round in which the comment was sent, or null until then */
  round: number | null;
  file: string;
  side: z.infer<typeof ReviewSide>;
  line: number;
  endLine: number;
  before: readonly string[];
  lines: readonly string[];
  after: readonly string[];
  text: string;
  createdAt: number;
}

export interface RoundRecord {
  sessionId: string;
  number: number;
  /** the idempotency key of the round's delivery */
  key: string;
  prompt: string;
  sentAt: number;
  /** the id of the delivery, or null until it is known */
  deliveryId: string | null;
  answer: string | null;
  answeredAt: number | null;
}

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

const Context = z.object({ before: z.array(z.string()), lines: z.array(z.string()), after: z.array(z.string()) });

const CommentRow = z.object({
  id: z.string(),
  session_id: z.string(),
  round: z.number().nullable(),
  file: z.string(),
  side: ReviewSide,
  line: z.number(),
  end_line: z.number(),
  context: z.string(),
  text: z.string(),
  created_at: z.number(),
});

const RoundRow = z.object({
  session_id: z.string(),
  number: z.number(),
  key: z.string(),
  prompt: z.string(),
  sent_at: z.number(),
  delivery_id: z.string().nullable(),
  answer: z.string().nullable(),
  answered_at: z.number().nullable(),
});

const MarkRow = z.object({ file: z.string(), digest: z.string() });

export function createReviewStore(database: Database): ReviewStore {
  const add = database.prepare('INSERT INTO review_comments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const comments = database.prepare('SELECT * FROM review_comments WHERE session_id = ? ORDER BY created_at, rowid');
  const remove = database.prepare('DELETE FROM review_comments WHERE id = ?');
  const rounds = database.prepare('SELECT * FROM review_rounds WHERE session_id = ? ORDER BY number');
  const begin = database.prepare('INSERT INTO review_rounds VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const give = database.prepare('UPDATE review_comments SET round = ? WHERE id = ?');
  const save = database.prepare(
    'UPDATE review_rounds SET delivery_id = ?, answer = ?, answered_at = ? WHERE session_id = ? AND number = ?',
  );
  const reopen = database.prepare('UPDATE review_comments SET round = NULL WHERE session_id = ? AND round = ?');
  const undo = database.prepare('DELETE FROM review_rounds WHERE session_id = ? AND number = ?');
  const marks = database.prepare('SELECT file, digest FROM reviewed_files WHERE session_id = ? ORDER BY file');
  const mark = database.prepare('INSERT OR REPLACE INTO reviewed_files VALUES (?, ?, ?, ?)');
  const unmark = database.prepare('DELETE FROM reviewed_files WHERE session_id = ? AND file = ?');
  return {
    addComment: ({ before, lines, after, ...one }) => {
      const context = JSON.stringify({ before, lines, after });
      const { id, sessionId, round, file, side, line, endLine, text, createdAt } = one;
      add.run(id, sessionId, round, file, side, line, endLine, context, text, createdAt);
    },
    comments: (sessionId) => comments.all(sessionId).map(toComment),
    removeComment: (id) => void remove.run(id),
    rounds: (sessionId) => rounds.all(sessionId).map(toRound),
    beginRound: ({ sessionId, number, key, prompt, sentAt, deliveryId, answer, answeredAt }, ids) =>
      inTransaction(database, () => {
        begin.run(sessionId, number, key, prompt, sentAt, deliveryId, answer, answeredAt);
        for (const id of ids) give.run(number, id);
      }),
    saveRound: ({ sessionId, number, deliveryId, answer, answeredAt }) =>
      void save.run(deliveryId, answer, answeredAt, sessionId, number),
    undoRound: (sessionId, number) =>
      inTransaction(database, () => {
        reopen.run(sessionId, number);
        undo.run(sessionId, number);
      }),
    marks: (sessionId) =>
      new Map(
        marks.all(sessionId).map((row) => {
          const { file, digest } = MarkRow.parse(row);
          return [file, digest];
        }),
      ),
    mark: (sessionId, file, given) => {
      if (given === null) unmark.run(sessionId, file);
      else mark.run(sessionId, file, given.digest, given.at);
    },
  };
}

function toComment(value: unknown): CommentRecord {
  const { session_id: sessionId, end_line: endLine, created_at: createdAt, context, ...row } = CommentRow.parse(value);
  return { ...row, sessionId, endLine, createdAt, ...Context.parse(JSON.parse(context)) };
}

function toRound(value: unknown): RoundRecord {
  const { session_id, sent_at, delivery_id, answered_at, ...row } = RoundRow.parse(value);
  return { ...row, sessionId: session_id, sentAt: sent_at, deliveryId: delivery_id, answeredAt: answered_at };
}
