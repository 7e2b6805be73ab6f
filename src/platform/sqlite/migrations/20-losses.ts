export const losses = `
ALTER TABLE sessions ADD COLUMN boot TEXT;
ALTER TABLE sessions ADD COLUMN stop_asked_at REAL;
ALTER TABLE sessions ADD COLUMN loss TEXT;
`;
