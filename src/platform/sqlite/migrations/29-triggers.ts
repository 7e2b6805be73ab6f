export const triggers = `
-- How a webhook starts runs of a schedule. The id is a part of the address, and the secret signs.
CREATE TABLE schedule_triggers (
  schedule_id TEXT PRIMARY KEY REFERENCES schedules(id) ON DELETE CASCADE,
  id          TEXT NOT NULL UNIQUE,
  secret      TEXT NOT NULL,
  created_at  INTEGER NOT NULL
) STRICT;

-- What was accepted with the current secret, so that nothing is accepted twice. A key is a hash.
CREATE TABLE trigger_deliveries (
  schedule_id TEXT NOT NULL REFERENCES schedule_triggers(schedule_id) ON DELETE CASCADE,
  key         TEXT NOT NULL,
  at          INTEGER NOT NULL,
  PRIMARY KEY (schedule_id, key)
) STRICT, WITHOUT ROWID;

ALTER TABLE schedule_runs ADD COLUMN by_webhook INTEGER NOT NULL DEFAULT 0;
`;
