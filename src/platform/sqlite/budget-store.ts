import { z } from 'zod';
import type { Database } from './database.ts';

const Row = z.object({ raised_to: z.number() });

/** A budget, for a single session or shared by several, in one of its periods. */
export interface BudgetPart {
  budget: string;
  /** the session's id, or an empty string if several sessions share the budget */
  subject: string;
  /** the day, or an empty string if the budget is not per day */
  period: string;
}

/** Stores by how much budgets were raised. */
export interface BudgetStore {
  /** null if no one has raised the budget */
  raisedTo(part: BudgetPart): number | null;
  raise(part: BudgetPart, to: number, at: number): void;
}

export function createBudgetStore(database: Database): BudgetStore {
  const read = database.prepare('SELECT raised_to FROM budget_raises WHERE budget = ? AND subject = ? AND period = ?');
  const save = database.prepare(`
    INSERT INTO budget_raises VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (budget, subject, period) DO UPDATE SET raised_to = excluded.raised_to, raised_at = excluded.raised_at`);
  return {
    raisedTo: ({ budget, subject, period }) => {
      const row = read.get(budget, subject, period);
      return row === undefined ? null : Row.parse(row).raised_to;
    },
    raise: ({ budget, subject, period }, to, at) => void save.run(budget, subject, period, to, at),
  };
}
