import { z } from 'zod';
import type { Database } from './database.ts';
import { KeptStatements } from './kept-statements.ts';

/** A person's answer to a command that a session wanted to run. */
export interface GivenAnswer {
  /** Unix milliseconds */
  at: number;
  /** the session's name */
  session: string;
  /** the session's folder, links followed */
  folder: string;
  /** of the tool Bash, whole */
  input: unknown;
  said: 'yes' | 'no';
}

/** Answers of about a year. Older ones do not show what the person wants now. */
const MOST_KEPT = 20_000;

const AnswerRow = z.object({
  at: z.number(),
  session: z.string(),
  folder: z.string(),
  input: z.string().transform((text): unknown => JSON.parse(text)),
  said: z.enum(['yes', 'no']),
});

export interface AnswerStore {
  keep(answer: GivenAnswer): void;
  /** the newest ones, oldest first */
  newest(limit: number): GivenAnswer[];
}

export function createAnswerStore(database: Database): AnswerStore {
  const sql = new KeptStatements(database);
  return {
    keep: ({ at, session, folder, input, said }) => {
      sql.run(
        'INSERT INTO answers (at, session, folder, input, said) VALUES (?, ?, ?, ?, ?)',
        ...[at, session, folder, JSON.stringify(input ?? null), said],
      );
      sql.run(`DELETE FROM answers WHERE id <= (SELECT max(id) FROM answers) - ${MOST_KEPT}`);
    },
    newest: (limit) =>
      sql
        .all('SELECT * FROM answers ORDER BY id DESC LIMIT ?', limit)
        .map((row) => AnswerRow.parse(row))
        .reverse(),
  };
}
