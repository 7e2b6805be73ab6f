import { existsSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Database } from './database.ts';

/**
 * Reads a table from the database of a home, for programs other than the server. The result is empty if there is no
 * database, or if an older version of CBOS wrote it.
 */
export function readTable<T>(file: string, table: string, read: (database: Database) => T[]): T[] {
  if (!existsSync(file)) return [];
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const found = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table);
    return found === undefined ? [] : read(database);
  } finally {
    database.close();
  }
}
