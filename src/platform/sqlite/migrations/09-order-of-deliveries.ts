export const orderOfDeliveries = `
-- Counts the changes of a session's deliveries: times tell no order where the clock is set back.
ALTER TABLE deliveries ADD COLUMN changed_as INTEGER NOT NULL DEFAULT 0;
UPDATE deliveries SET changed_as = ranked.place FROM (
  SELECT id, row_number() OVER (PARTITION BY session_id ORDER BY updated_at, created_at, rowid) AS place FROM deliveries
) AS ranked WHERE ranked.id = deliveries.id;
CREATE INDEX deliveries_by_change ON deliveries (session_id, changed_as);
CREATE INDEX deliveries_in_order ON deliveries (session_id);
DROP INDEX IF EXISTS deliveries_by_session;
CREATE INDEX status_changes_in_order ON status_changes (session_id);
`;
