export const endedSessions = `
ALTER TABLE sessions ADD COLUMN ended TEXT;
`;
