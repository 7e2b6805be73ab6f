import { createHash } from 'node:crypto';
import { z } from 'zod';
import { askedKey, type Said, type StoredAnswer } from '../../core/memory/index.ts';
import { ChosenBefore, SaidBefore } from '../../protocol/index.ts';
import { type Database, inTransaction } from './database.ts';
import { KeptStatements } from './kept-statements.ts';
import { json } from './table.ts';

/** The user's answer to a question that a session asked. */
export interface GivenAnswer {
  /** when the user answered, in Unix milliseconds */
  at: number;
  /** the name of the session */
  session: string;
  /** the session's folder, with symbolic links followed */
  folder: string;
  /** the corresponding folder in the main checkout, which all worktrees of a repository share */
  project: string;
  tool: { name: string; input: unknown };
  /** what the question was about: the command, the file, or the text of the question */
  about: string;
  answer: Said;
}

/** The user's answer to a command that a session wanted to run. */
export interface AnsweredCommand extends Pick<GivenAnswer, 'at' | 'session' | 'folder'> {
  /** the complete input of the Bash tool */
  input: unknown;
  said: 'yes' | 'no';
}

/** How many answers are kept, which is about a year's worth. Older ones do not show what the user wants now. */
const MOST_KEPT = 20_000;

/** The only tool whose input is stored. For other tools, the hash is enough to find the same question again. */
const COMMANDS = 'Bash';

const CommandRow = z.object({
  at: z.number(),
  session: z.string(),
  folder: z.string(),
  input: json(z.unknown()),
  said: z.enum(['yes', 'no']),
});

const KeptSaid = z.object({ said: SaidBefore, remark: z.string().nullable(), chosen: z.array(ChosenBefore) });

const AnswerRow = z
  .object({
    id: z.number(),
    at: z.number(),
    session: z.string(),
    project: z.string(),
    tool: z.string(),
    about: z.string(),
    asked: z.string(),
    answer: json(KeptSaid),
  })
  .transform(({ answer, ...row }): StoredAnswer => ({ ...row, ...answer }));

export interface AnswerStore {
  keep(answer: GivenAnswer): void;
  /** the newest answers to commands, oldest first */
  commands(limit: number): AnsweredCommand[];
  /** the answers to the same call in the same project, oldest first */
  to(call: { project: string; tool: GivenAnswer['tool'] }): StoredAnswer[];
  /** all answers, oldest first */
  all(): StoredAnswer[];
  forget(ids: readonly number[]): void;
}

const SELECT_ANSWERS = 'SELECT id, at, session, project, tool, about, asked, answer FROM answers';
const INSERT_ANSWER = `
  INSERT INTO answers (at, session, folder, input, said, tool, project, asked, about, answer)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

export function createAnswerStore(database: Database): AnswerStore {
  const sql = new KeptStatements(database);
  hashOlder(database, sql);
  return {
    keep: ({ at, session, folder, project, tool, about, answer }) => {
      const input = tool.name === COMMANDS ? (tool.input ?? null) : null;
      const said = answer.said === 'always' ? 'yes' : answer.said;
      sql.run(
        INSERT_ANSWER,
        ...[at, session, folder, JSON.stringify(input), said],
        ...[tool.name, project, hashOf(tool), about, JSON.stringify(answer)],
      );
      sql.run(`DELETE FROM answers WHERE id <= (SELECT max(id) FROM answers) - ${MOST_KEPT}`);
    },
    commands: (limit) =>
      sql
        .all(`SELECT * FROM answers WHERE tool = '${COMMANDS}' AND said <> 'choice' ORDER BY id DESC LIMIT ?`, limit)
        .map((row) => CommandRow.parse(row))
        .reverse(),
    to: ({ project, tool }) =>
      sql
        .all(`${SELECT_ANSWERS} WHERE asked = ? AND project = ? ORDER BY id`, hashOf(tool), project)
        .map((row) => AnswerRow.parse(row)),
    all: () => sql.all(`${SELECT_ANSWERS} ORDER BY id`).map((row) => AnswerRow.parse(row)),
    forget: (ids) =>
      inTransaction(database, () => {
        for (const id of ids) sql.run('DELETE FROM answers WHERE id = ?', id);
      }),
  };
}

const hashOf = (tool: GivenAnswer['tool']): string => createHash('sha256').update(askedKey(tool)).digest('hex');

const OlderRow = z.object({ id: z.number(), input: json(z.unknown()) });

/**
 * Hashes the answers that were stored before the memory existed, all of which are about commands. This is not done in
 * SQL, because SQLite lacks such a hash.
 */
function hashOlder(database: Database, sql: KeptStatements): void {
  const older = sql.all("SELECT id, input FROM answers WHERE asked = ''").map((row) => OlderRow.parse(row));
  if (older.length === 0) return;
  inTransaction(database, () => {
    for (const { id, input } of older)
      sql.run('UPDATE answers SET asked = ? WHERE id = ?', hashOf({ name: COMMANDS, input }), id);
  });
}
