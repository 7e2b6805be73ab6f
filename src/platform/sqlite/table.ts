import { z } from 'zod';
import type { KeptStatements, Row, Value } from './kept-statements.ts';

/** A column that contains 1 for true and 0 for false. */
export const flag = z.number().transform((value) => value === 1);

/** A column that contains JSON. */
export const json = <T>(schema: z.ZodType<T>) => z.string().transform((text): T => schema.parse(JSON.parse(text)));

/**
 * A table whose columns are the properties of its records: `sessionId` is stored in the column `session_id`, and
 * `isPaused` in `paused`. Objects and lists are stored as JSON. A record may have other properties, too.
 */
export class Table<Schema extends z.ZodObject> {
  readonly #sql: KeptStatements;
  readonly #name: string;
  readonly #schema: Schema;
  readonly #properties: readonly string[];

  constructor(sql: KeptStatements, name: string, schema: Schema) {
    this.#sql = sql;
    this.#name = name;
    this.#schema = schema;
    this.#properties = Object.keys(schema.shape);
  }

  /**
   * Inserts a row with the columns that the record has.
   * @param rest the rest of the statement, such as what to do on a conflict
   * @returns whether a row was inserted or changed
   */
  insert(record: Partial<z.output<Schema>>, rest = ''): boolean {
    const { columns, values } = this.#stored(record);
    const places = columns.map(() => '?').join(', ');
    return this.#sql.run(`INSERT INTO ${this.#name} (${columns.join(', ')}) VALUES (${places}) ${rest}`, ...values);
  }

  /** Inserts a row, or replaces the columns of the row with the same key. */
  save(record: z.output<Schema>, key: keyof z.output<Schema>): void {
    const changes = this.#properties.map(toColumn).map((column) => `${column} = excluded.${column}`);
    this.insert(record, `ON CONFLICT (${toColumn(String(key))}) DO UPDATE SET ${changes.join(', ')}`);
  }

  /** Changes the columns that the record has, if there is a row with this id. */
  update(id: Value, record: Partial<z.output<Schema>>): void {
    const { columns, values } = this.#stored(record);
    const changes = columns.map((column) => `${column} = ?`).join(', ');
    this.#sql.run(`UPDATE ${this.#name} SET ${changes} WHERE id = ?`, ...values, id);
  }

  /** @param rest the rest of the statement, such as the condition and the order */
  all(rest: string, ...values: Value[]): z.output<Schema>[] {
    return this.#sql.all(`SELECT * FROM ${this.#name} ${rest}`, ...values).map(this.read);
  }

  get(rest: string, ...values: Value[]): z.output<Schema> | null {
    const row = this.#sql.get(`SELECT * FROM ${this.#name} ${rest}`, ...values);
    return row === undefined ? null : this.read(row);
  }

  /** Converts a row into a record. */
  readonly read = (row: Row): z.output<Schema> =>
    this.#schema.parse(Object.fromEntries(this.#properties.map((one) => [one, row[toColumn(one)]])));

  #stored(record: Readonly<Record<string, unknown>>): { columns: string[]; values: Value[] } {
    const given = this.#properties.filter((property) => property in record);
    return { columns: given.map(toColumn), values: given.map((property) => toValue(record[property])) };
  }
}

const toColumn = (property: string): string =>
  property
    .replace(/^is(?=[A-Z])/, '')
    .replace(/\B[A-Z]/g, '_$&')
    .toLowerCase();

function toValue(value: unknown): Value {
  if (value === null || typeof value === 'string' || typeof value === 'number' || value instanceof Uint8Array)
    return value;
  return typeof value === 'boolean' ? Number(value) : JSON.stringify(value);
}
