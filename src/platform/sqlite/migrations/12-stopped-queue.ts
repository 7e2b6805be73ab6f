export const stoppedQueue = `
ALTER TABLE sessions ADD COLUMN queue_stopped_at REAL;
`;
