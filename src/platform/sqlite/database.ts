import { chmodSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { MIGRATIONS } from './migrations.ts';

export type Database = InstanceType<typeof DatabaseSync>;

/**
 * Opens the database of a home, creates it (mode 0600) where it is missing, and brings it to the newest schema.
 * @throws when the file was written by a newer version of CBOS
 */
export function openDatabase(file: string): Database {
  const database = new DatabaseSync(file);
  if (file !== ':memory:') chmodSync(file, 0o600);
  // NORMAL: with WAL a crash of the server loses nothing that was committed; only a power cut may lose the last moments.
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 2000;',
  );
  migrate(database);
  return database;
}

function migrate(database: Database): void {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
  if (version > MIGRATIONS.length) {
    throw new Error(`the database has schema ${version}, this version of CBOS knows ${MIGRATIONS.length}: update CBOS`);
  }
  for (const [index, sql] of MIGRATIONS.entries()) {
    if (index < version) continue;
    inTransaction(database, () => {
      database.exec(sql);
      database.exec(`PRAGMA user_version = ${index + 1}`);
    });
  }
}

/** Runs `work` so that all of it happens or none. */
export function inTransaction<T>(database: Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (cause) {
    database.exec('ROLLBACK');
    throw cause;
  }
}
