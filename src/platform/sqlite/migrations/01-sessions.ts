export const sessions = `
CREATE TABLE sessions (
  id                TEXT PRIMARY KEY,
  slug              TEXT NOT NULL UNIQUE,
  path              TEXT,
  adopted           INTEGER NOT NULL,
  created_at        INTEGER NOT NULL,
  launch            TEXT NOT NULL,
  launch_id         TEXT,
  screen_id         TEXT,
  screen_window     TEXT NOT NULL,
  daemon_pid        INTEGER,
  daemon_start      TEXT,
  agent_pid         INTEGER,
  agent_start       TEXT,
  claude_session_id TEXT,
  claude_version    TEXT,
  typescript        TEXT,
  timing            TEXT,
  ended_at          INTEGER,
  last_activity     INTEGER,
  last_question     TEXT,
  hooks             TEXT
) STRICT;

CREATE TABLE status_changes (
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  at         INTEGER NOT NULL,
  change     TEXT NOT NULL
) STRICT;
CREATE INDEX status_changes_by_session ON status_changes (session_id, at);

CREATE TABLE deliveries (
  id              TEXT PRIMARY KEY,
  session_id      TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  text            TEXT NOT NULL,
  command         INTEGER NOT NULL,
  status          TEXT NOT NULL,
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL,
  removed         INTEGER NOT NULL,
  idempotency_key TEXT,
  UNIQUE (session_id, idempotency_key)
) STRICT;
CREATE INDEX deliveries_by_session ON deliveries (session_id, created_at);
`;
