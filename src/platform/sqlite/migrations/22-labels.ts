export const labels = `
-- Where a session belongs: its tags (a list as JSON), the main checkout of its repository, and whether it is archived.
CREATE TABLE labels (
  session_id  TEXT PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
  tags        TEXT NOT NULL,
  repository  TEXT,
  archived_at REAL
) STRICT;
`;
