export const sessionDays = `
CREATE TABLE session_days (
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  day        TEXT NOT NULL,
  worked_ms  INTEGER NOT NULL,
  waited_ms  INTEGER NOT NULL,
  stuck_ms   INTEGER NOT NULL,
  idle_ms    INTEGER NOT NULL,
  error_ms   INTEGER NOT NULL,
  PRIMARY KEY (session_id, day)
) STRICT;
CREATE INDEX session_days_by_day ON session_days (day);
`;
