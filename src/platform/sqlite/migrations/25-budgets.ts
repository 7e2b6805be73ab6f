export const budgets = `
-- How far a person has raised a budget, for one period of it. A row of a past day is never read again.
CREATE TABLE budget_raises (
  budget    TEXT NOT NULL,
  -- the session that the budget is for; empty if several share it
  subject   TEXT NOT NULL,
  -- the day; empty if the budget has none
  period    TEXT NOT NULL,
  raised_to REAL NOT NULL,
  raised_at INTEGER NOT NULL,
  PRIMARY KEY (budget, subject, period)
) STRICT;
`;
