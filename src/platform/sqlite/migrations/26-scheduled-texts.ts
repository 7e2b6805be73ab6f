export const scheduledTexts = `
-- A run keeps what it sends, and to which session: its schedule may be changed before the next server continues it.
-- The text goes once its outcome is known.
ALTER TABLE schedule_runs ADD COLUMN session_id TEXT;
ALTER TABLE schedule_runs ADD COLUMN prompt TEXT;
UPDATE schedule_runs SET session_id = (SELECT session_id FROM schedules WHERE id = schedule_id);
UPDATE schedule_runs SET prompt = (SELECT prompt FROM schedules WHERE id = schedule_id) WHERE outcome = 'begun';
`;
