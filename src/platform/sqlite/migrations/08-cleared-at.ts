export const clearedAt = `
ALTER TABLE sessions ADD COLUMN cleared_at REAL;
`;
