export const answers = `
-- What people said to the commands that sessions asked for. Rules are suggested from it.
CREATE TABLE answers (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  at      INTEGER NOT NULL,
  session TEXT NOT NULL,
  folder  TEXT NOT NULL,
  input   TEXT NOT NULL,
  said    TEXT NOT NULL
) STRICT;
`;
