import { rmSync } from 'node:fs';
import { connect, type Database } from './database.ts';

/**
 * The version of the index's format. A new format requires no migration, because the index is then rebuilt from the
 * recordings.
 */
const INDEX_VERSION = 1;

/**
 * The rowid of an entry is its time in milliseconds × 1,024 plus a number. The newest entries can therefore be read
 * first without sorting, and a search can stop as soon as it has enough hits, however many there are. `entry_words`
 * contains only the words; the text is in `entries`.
 */
const SCHEMA = `
  CREATE TABLE scopes (id INTEGER PRIMARY KEY, session TEXT NOT NULL UNIQUE) STRICT;

  CREATE TABLE recordings (
    id              INTEGER PRIMARY KEY,
    scope           INTEGER NOT NULL REFERENCES scopes(id) ON DELETE CASCADE,
    typescript      TEXT NOT NULL,
    timing          TEXT,
    head            BLOB NOT NULL,
    position        INTEGER NOT NULL,
    timing_position INTEGER NOT NULL,
    timed_to        INTEGER NOT NULL,
    elapsed_ms      REAL NOT NULL,
    started_at      INTEGER,
    cols            INTEGER NOT NULL,
    rows            INTEGER NOT NULL,
    finished        INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX recordings_by_scope ON recordings (scope);
  CREATE TABLE marks (
    scope     INTEGER NOT NULL REFERENCES scopes(id) ON DELETE CASCADE,
    at        INTEGER NOT NULL,
    recording INTEGER NOT NULL REFERENCES recordings(id) ON DELETE CASCADE,
    offset    INTEGER NOT NULL,
    PRIMARY KEY (scope, at)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE transcripts (
    scope    INTEGER NOT NULL REFERENCES scopes(id) ON DELETE CASCADE,
    file     TEXT NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (scope, file)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE events (
    scope INTEGER PRIMARY KEY REFERENCES scopes(id) ON DELETE CASCADE,
    seq   INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE entries (
    id        INTEGER PRIMARY KEY,
    scope     INTEGER NOT NULL,
    kind      TEXT NOT NULL,
    at        INTEGER NOT NULL,
    recording INTEGER,
    offset    INTEGER,
    seq       INTEGER,
    key       TEXT,
    text      TEXT NOT NULL
  ) STRICT;
  CREATE INDEX entries_by_key ON entries (scope, key);
  CREATE TABLE seen_lines (
    recording INTEGER NOT NULL,
    line      INTEGER NOT NULL,
    PRIMARY KEY (recording, line)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE size (characters INTEGER NOT NULL) STRICT;
  INSERT INTO size VALUES (0);

  CREATE VIRTUAL TABLE entry_words USING fts5(
    scope, kind, words, content = '', contentless_delete = 1, prefix = '2 3', tokenize = 'unicode61 remove_diacritics 2');
`;

/** Tables that were added later without any other change. They are also added to an index that already exists. */
const ADDED = `
  CREATE TABLE IF NOT EXISTS done (
    recording INTEGER PRIMARY KEY REFERENCES recordings(id) ON DELETE CASCADE,
    file      TEXT NOT NULL
  ) STRICT;
`;

/**
 * Opens the search index, and creates it (mode 0600) if it is missing. Everything in the index also exists elsewhere,
 * so an index that is damaged or has another format is deleted and rebuilt.
 */
export function openSearchDatabase(file: string): Database {
  try {
    const database = open(file);
    if (versionOf(database) === INDEX_VERSION) {
      database.exec(ADDED);
      return database;
    }
    const isNew = versionOf(database) === 0;
    if (isNew) return create(database);
    database.close();
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
  }
  for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
  return create(open(file));
}

function open(file: string): Database {
  // With NORMAL, a power failure may lose entries, but the recordings still contain them. 8 MB of cache are enough,
  // because searches read from the system's cache.
  return connect(
    file,
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -8000;',
  );
}

function create(database: Database): Database {
  database.exec(`BEGIN IMMEDIATE; ${SCHEMA} ${ADDED} PRAGMA user_version = ${INDEX_VERSION}; COMMIT`);
  return database;
}

function versionOf(database: Database): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
}

/** Reports whether an error is SQLITE_CORRUPT or SQLITE_NOTADB. */
function isDamage(cause: unknown): boolean {
  return cause instanceof Error && /malformed|not a database|corrupt/i.test(cause.message);
}
