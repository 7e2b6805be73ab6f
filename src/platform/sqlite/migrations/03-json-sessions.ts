export const jsonSessions = `
ALTER TABLE sessions ADD COLUMN type TEXT NOT NULL DEFAULT 'screen';

CREATE TABLE json_sessions (
  session_id    TEXT PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
  last_seq      INTEGER NOT NULL,
  launch_id     TEXT,
  output_offset INTEGER NOT NULL,
  evidence      TEXT
) STRICT;

CREATE TABLE json_events (
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  seq        INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  type       TEXT NOT NULL,
  event      TEXT NOT NULL,
  PRIMARY KEY (session_id, seq)
) STRICT;
CREATE INDEX json_events_by_type ON json_events (session_id, type, seq);

-- Kept when a session is deleted: what a day cost stays true.
CREATE TABLE json_turns (
  session_id            TEXT NOT NULL,
  at                    INTEGER NOT NULL,
  day                   TEXT NOT NULL,
  cost_usd              REAL NOT NULL,
  input_tokens          INTEGER NOT NULL,
  output_tokens         INTEGER NOT NULL,
  cache_read_tokens     INTEGER NOT NULL,
  cache_creation_tokens INTEGER NOT NULL,
  duration_ms           REAL NOT NULL
) STRICT;
CREATE INDEX json_turns_by_session ON json_turns (session_id, at);
CREATE INDEX json_turns_by_day ON json_turns (day);
`;
