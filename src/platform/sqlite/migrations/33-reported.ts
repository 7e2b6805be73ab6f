export const reported = `
-- What Claude Code has reported about a session's conversation and about the folder in which it works (JSON).
ALTER TABLE sessions ADD COLUMN reported TEXT;
`;
