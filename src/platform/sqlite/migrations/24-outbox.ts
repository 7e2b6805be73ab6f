export const outbox = `
-- Messages about questions, one for each sink and question. The phase is written before each request that could tell
-- somebody, so a killed server leaves what is sent, and what may be.
CREATE TABLE outbox (
  id           TEXT PRIMARY KEY,
  sink_id      TEXT NOT NULL,
  session_id   TEXT NOT NULL,
  need         TEXT NOT NULL,
  code         TEXT NOT NULL,
  phase        TEXT NOT NULL,
  opened_at    INTEGER NOT NULL,
  changed_at   INTEGER NOT NULL,
  attempts     INTEGER NOT NULL,
  retry_at     INTEGER,
  unsure_since INTEGER,
  notice       TEXT,
  remote       TEXT,
  ended        TEXT,
  error        TEXT,
  UNIQUE (sink_id, session_id, need)
) STRICT;
CREATE INDEX outbox_phase ON outbox (sink_id, phase);
CREATE INDEX outbox_session ON outbox (session_id, phase);

-- How far a sink has been listened to, and what else it has to know after a restart.
CREATE TABLE sink_memory (
  sink_id TEXT PRIMARY KEY,
  memory  TEXT NOT NULL
) STRICT;
`;
