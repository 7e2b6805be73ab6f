export const shownDialogs = `
-- The dialogs that were shown as questions, with their ids (JSON), so that a restarted server knows these ids.
ALTER TABLE sessions ADD COLUMN shown TEXT;
`;
