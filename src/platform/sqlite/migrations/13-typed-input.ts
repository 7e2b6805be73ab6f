export const typedInput = `
ALTER TABLE sessions ADD COLUMN typed TEXT;
`;
