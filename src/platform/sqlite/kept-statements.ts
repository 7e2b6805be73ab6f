import type { Database } from './database.ts';

export type Value = string | number | null | Uint8Array;
export type Row = Record<string, unknown>;
type Statement = ReturnType<Database['prepare']>;

/** Prepares each statement for a database when it is first needed, and keeps it. */
export class KeptStatements {
  readonly #database: Database;
  readonly #prepared = new Map<string, Statement>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** @returns whether anything changed */
  run(sql: string, ...values: Value[]): boolean {
    return Number(this.#statement(sql).run(...values).changes) > 0;
  }

  get(sql: string, ...values: Value[]): Row | undefined {
    return this.#statement(sql).get(...values);
  }

  all(sql: string, ...values: Value[]): Row[] {
    return this.#statement(sql).all(...values);
  }

  #statement(sql: string): Statement {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}
