/**
 * The database of CBOS.
 *
 * - `migrations/`: the tables, with one store for each
 * - `search-schema.ts`, `search-store.ts`: the search index
 * - `check-database.ts`: damage to the database
 * - `write-ahead-log.ts`: damage to the database's log
 * - `src/server/checkpoint-when-idle.ts`: how the log is kept short
 * - `home-fault.ts`: a home whose disk is full or read-only
 * - `home-holders.ts`: processes that use a removed home
 * - `home-lock.ts`: how CBOS ensures that each home has only one server
 */

import { chmodSync, copyFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { CatalogueError } from '../../protocol/index.ts';
import { shellWord } from '../../text/shell-word.ts';
import { checkDatabaseFile } from './check-database.ts';
import { homeFault } from './home-fault.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { examineLog } from './write-ahead-log.ts';

export type Database = InstanceType<typeof DatabaseSync>;

/** The name of the database file in the home. */
export const DATABASE_FILE = 'cbos.db';
/**
 * The suffix that follows the database's name in the name of a write-ahead log that was moved aside because it could
 * not be read to its end.
 */
export const DAMAGED_LOG = '-wal.damaged';

/**
 * With NORMAL and a write-ahead log, a server crash loses nothing that was committed. Only a power failure may lose the
 * last moments.
 */
const SETTINGS =
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 2000;';

/**
 * SQLITE_IOERR_SHMSIZE in sqlite3.h. It means that the disk has no room for the index of the write-ahead log, which
 * several processes share.
 */
const NO_ROOM_TO_SHARE = 4_874;

/**
 * Opens the database of a home. If the database is missing, it is created with mode 0600, and if its schema is old, it
 * is migrated to the newest one. If there is nothing to create or migrate, this requires no disk space. A write-ahead
 * log that cannot be read to its end is moved aside, because SQLite would use the intact part of the log and overwrite
 * the rest.
 * @throws CatalogueError disk_full, home_read_only, database_damaged; an error if a newer version of CBOS wrote the
 * file
 */
export function openDatabase(file: string): Database {
  try {
    if (file !== ':memory:') prepareFile(file);
    return openReady(file);
  } catch (cause) {
    throw toDatabaseError(cause, file);
  }
}

/** @throws CatalogueError database_damaged if the file has been emptied */
function prepareFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) {
    createFile(file);
    return;
  }
  const log = `${file}-wal`;
  const health = examineLog(file);
  if (health === 'unusable') renameSync(log, `${file}${DAMAGED_LOG}`);
  if (health === 'damaged') copyFileSync(log, `${file}${DAMAGED_LOG}`);
  if (found.size === 0 && (statSync(log, { throwIfNoEntry: false })?.size ?? 0) === 0)
    throw damagedDatabase(file, 'it is empty');
  if (health !== 'whole') requireSound(file);
}

/**
 * If only part of the log is used, it may no longer match the database file. @throws CatalogueError database_damaged
 */
function requireSound(file: string): void {
  const health = checkDatabaseFile(file);
  if (health.kind === 'damaged') throw damagedDatabase(file, health.what);
}

/**
 * Creates the database under another name first. A file under the final name therefore always contains its tables, and
 * if such a file is empty, someone must have emptied it.
 */
function createFile(file: string): void {
  const draft = `${file}.new`;
  for (const ending of ['', '-journal']) rmSync(`${draft}${ending}`, { force: true });
  const database = new DatabaseSync(draft);
  try {
    // Statements are not prepared here, because a statement that has not been garbage-collected yet would keep the file
    // open.
    database.exec(['BEGIN', ...MIGRATIONS, `PRAGMA user_version = ${MIGRATIONS.length}`, 'COMMIT'].join(';\n'));
  } finally {
    database.close();
  }
  chmodSync(draft, 0o600);
  renameSync(draft, file);
}

function openReady(file: string): Database {
  const database = connect(file, SETTINGS);
  try {
    migrate(database);
    return database;
  } catch (cause) {
    database.close();
    throw cause;
  }
}

const WHY_NOT = {
  disk_full: 'The disk that holds the home directory is full:',
  home_read_only: 'The home is on a read-only file system:',
} as const;

/** Adds the file and the cure to an error from the database of a home. Any other error is returned unchanged. */
export function toDatabaseError(cause: unknown, file: string): unknown {
  if (cause instanceof CatalogueError) return cause;
  const fault = homeFault(cause);
  if (fault === null) return cause;
  if (fault !== 'database_damaged')
    return new CatalogueError(fault, `${WHY_NOT[fault]} the database ${file} cannot be opened`, { cause });
  return damagedDatabase(file, cause instanceof Error ? cause.message : String(cause));
}

/** @param what the fault, in the words of SQLite */
function damagedDatabase(file: string, what: string): CatalogueError {
  return new CatalogueError('database_damaged', `The database ${file} is damaged (${what})`, {
    hint: `Restore a copy of the file, or move it away (\`mv ${shellWord(file)} ${shellWord(`${file}.damaged`)}\`) and start CBOS again, which then finds JSON sessions and what runs in Screen`,
  });
}

/**
 * Opens a connection with these settings, including the write-ahead log. Creates the file (mode 0600) if it is missing.
 * If the file exists, this requires no disk space.
 */
export function connect(file: string, settings: string): Database {
  try {
    return connectWith(file, settings);
  } catch (cause) {
    if ((cause as { errcode?: unknown }).errcode !== NO_ROOM_TO_SHARE) throw cause;
    // In this mode, the log's index is kept in memory, so no other process can read the database. No other process
    // writes to it anyway.
    return connectWith(file, `PRAGMA locking_mode = EXCLUSIVE; ${settings}`);
  }
}

function connectWith(file: string, settings: string): Database {
  const database = new DatabaseSync(file);
  try {
    if (file !== ':memory:' && (statSync(file).mode & 0o777) !== 0o600) chmodSync(file, 0o600);
    database.exec(settings);
    // The first read opens the write-ahead log, so a fault in the log shows here.
    database.prepare('PRAGMA user_version').get();
    return database;
  } catch (cause) {
    database.close();
    throw cause;
  }
}

function migrate(database: Database): void {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
  if (version > MIGRATIONS.length) {
    throw new Error(
      `the database has schema version ${version}, but this version of CBOS supports at most ${MIGRATIONS.length}: update CBOS`,
    );
  }
  for (const [index, sql] of MIGRATIONS.entries()) {
    if (index < version) continue;
    inTransaction(database, () => {
      database.exec(sql);
      database.exec(`PRAGMA user_version = ${index + 1}`);
    });
  }
}

/**
 * Starts a new write-ahead log for a database whose log has been removed. The old log is still open, and its content is
 * first moved into the database file, so nothing is lost.
 */
export function renewLog(database: Database): void {
  database.exec('PRAGMA journal_mode = DELETE');
  database.exec('PRAGMA journal_mode = WAL');
}

/** Runs `work` so that either all of it takes effect or none of it. */
export function inTransaction<T>(database: Database, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (cause) {
    // On a full or failing disk, SQLite rolls back automatically. A second ROLLBACK would fail and hide the cause.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw cause;
  }
}
