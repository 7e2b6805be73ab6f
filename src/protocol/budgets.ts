import { z } from 'zod';

/** What a budget counts: dollars, as reported by Claude Code, or all tokens of JSON sessions, including cached ones. */
export const BudgetUnit = z.enum(['usd', 'tokens']);
export type BudgetUnit = z.infer<typeof BudgetUnit>;

/** The period of a budget. `day` is a day by the server's local clock, and `total` is all time. */
export const BudgetPeriod = z.enum(['day', 'total']);
export type BudgetPeriod = z.infer<typeof BudgetPeriod>;

/**
 * Which sessions a budget applies to: every session separately, one session, all sessions with a tag, or all sessions
 * together.
 */
export const BudgetScope = z.enum(['each', 'session', 'tag', 'fleet']);
export type BudgetScope = z.infer<typeof BudgetScope>;

const Measured = {
  unit: BudgetUnit,
  per: BudgetPeriod,
  limit: z.number().meta({ description: 'The spending limit of the current period, including raises' }),
  spent: z.number(),
};

/** The first budget that prevents CBOS from sending anything to a session. */
export const OverBudget = z
  .object({
    budget: z.string(),
    scope: BudgetScope,
    ...Measured,
    holds: z.int().meta({ description: 'How many prompts CBOS holds for the session' }),
  })
  .meta({ id: 'OverBudget' });
export type OverBudget = z.infer<typeof OverBudget>;

/** How much of a budget has been used, either by one session or by all of the budget's sessions together. */
export const BudgetSubject = z.object({
  session: z
    .string()
    .nullable()
    .meta({ description: 'null if the budget covers the sessions with a tag, or all sessions' }),
  limit: Measured.limit,
  spent: Measured.spent,
  reached: z.boolean(),
  raised: z.boolean(),
});
export type BudgetSubject = z.infer<typeof BudgetSubject>;

export const Budget = z
  .object({
    name: z.string(),
    scope: BudgetScope,
    of: z.string().nullable().meta({ description: 'The name of the session or tag' }),
    unit: BudgetUnit,
    per: BudgetPeriod,
    limit: z.number().meta({ description: 'The budget as written in config.toml' }),
    subjects: z.array(BudgetSubject).meta({ description: 'The biggest spenders first' }),
    uncovered: z.array(z.string()).meta({
      description: 'Sessions that the budget applies to although nothing reports their spending',
    }),
  })
  .meta({ id: 'Budget' });
export type Budget = z.infer<typeof Budget>;

export const BudgetRaise = z
  .strictObject({
    to: z.number().positive().optional().meta({
      description: 'The new limit of the current period; default: the current limit plus one more budget',
    }),
    session: z.string().optional().meta({ description: 'Required if the budget applies to each session separately' }),
  })
  .meta({ id: 'BudgetRaise' });
export type BudgetRaise = z.infer<typeof BudgetRaise>;
