export const senders = `
-- The session inside which a text was sent; null: by a person.
ALTER TABLE deliveries ADD COLUMN sender TEXT;
`;
