export const deliveryNotes = `
ALTER TABLE deliveries ADD COLUMN note TEXT;
`;
