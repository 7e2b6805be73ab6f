export const parking = `
ALTER TABLE sessions ADD COLUMN parked_at REAL;
`;
