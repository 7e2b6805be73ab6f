export const trustedSetUps = `
-- Repositories' own files about their worktrees, in the version that a person has read and trusted.
-- folder: the main checkout, with links followed.
CREATE TABLE trusted_set_ups (
  folder TEXT PRIMARY KEY,
  sha256 TEXT NOT NULL,
  content TEXT NOT NULL,
  trusted_at INTEGER NOT NULL
) STRICT;
`;
