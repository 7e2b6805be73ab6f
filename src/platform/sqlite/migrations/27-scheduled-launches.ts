export const scheduledLaunches = `
-- A schedule may launch a new session for each run. Such a schedule has an empty session_id, and what it launches as
-- JSON. A run keeps the name of its session, which no other run gets: so nothing is launched twice.
ALTER TABLE schedules ADD COLUMN launch TEXT;
ALTER TABLE schedule_runs ADD COLUMN launches TEXT;
`;
