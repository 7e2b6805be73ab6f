export const stash = `
CREATE TABLE stash (
  id          TEXT PRIMARY KEY,
  session_id  TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  response    TEXT NOT NULL,
  question    TEXT,
  apply_when  TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  applied_at  INTEGER,
  delivery_id TEXT
) STRICT;
CREATE INDEX stash_by_session ON stash (session_id, created_at);
`;
