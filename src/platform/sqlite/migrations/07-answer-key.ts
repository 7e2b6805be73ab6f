export const answerKey = `
ALTER TABLE sessions ADD COLUMN answer_key TEXT;
`;
