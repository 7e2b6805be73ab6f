export const removedSessions = `
ALTER TABLE sessions ADD COLUMN removed_at REAL;
`;
