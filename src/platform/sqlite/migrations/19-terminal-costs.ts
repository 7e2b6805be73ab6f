export const terminalCosts = `
-- Kept when a session is deleted: what a day cost stays true.
CREATE TABLE terminal_costs (
  session_id TEXT NOT NULL,
  day        TEXT NOT NULL,
  cost_usd   REAL NOT NULL,
  PRIMARY KEY (session_id, day)
) STRICT;
CREATE INDEX terminal_costs_by_day ON terminal_costs (day);

-- Up to where the total of a launch has been counted.
CREATE TABLE terminal_cost_marks (
  session_id TEXT PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
  launch_id  TEXT NOT NULL,
  cost_usd   REAL NOT NULL
) STRICT;
`;
