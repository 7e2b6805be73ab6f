export const attention = `
-- Who has looked at a session, and until when it is snoozed (a rule as JSON).
CREATE TABLE attention (
  session_id TEXT PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
  news       INTEGER NOT NULL,
  seen       INTEGER NOT NULL,
  marked     INTEGER NOT NULL,
  turn_runs  INTEGER NOT NULL,
  asked      TEXT,
  snooze     TEXT
) STRICT;
`;
