export const schedules = `
-- Prompts at set times. The session is not a reference: what was scheduled for a deleted one is still listed.
CREATE TABLE schedules (
  id            TEXT PRIMARY KEY,
  name          TEXT NOT NULL UNIQUE,
  cron          TEXT NOT NULL,
  timezone      TEXT NOT NULL,
  session_id    TEXT NOT NULL,
  prompt        TEXT NOT NULL,
  missed        TEXT NOT NULL,
  paused        INTEGER NOT NULL,
  decided_until INTEGER NOT NULL,
  created_at    INTEGER NOT NULL
) STRICT;

-- What became of each time. A row is written before its prompt is sent.
CREATE TABLE schedule_runs (
  schedule_id TEXT NOT NULL REFERENCES schedules(id) ON DELETE CASCADE,
  due_at      INTEGER NOT NULL,
  at          INTEGER NOT NULL,
  by_hand     INTEGER NOT NULL,
  outcome     TEXT NOT NULL,
  reason      TEXT,
  delivery_id TEXT,
  error       TEXT,
  PRIMARY KEY (schedule_id, due_at)
) STRICT;
`;
