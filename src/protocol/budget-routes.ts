import { z } from 'zod';
import { Budget, BudgetRaise } from './budgets.ts';
import type { Route } from './route.ts';

/** The part of the REST interface for budgets. */
export const BUDGET_ROUTES = {
  listBudgets: {
    method: 'get',
    path: '/budgets',
    who: 'session',
    summary: 'What each budget has spent, and which sessions it cannot cover',
    success: 200,
    response: z.array(Budget),
    errors: [],
  },
  raiseBudget: {
    method: 'post',
    path: '/budgets/{name}/raise',
    who: 'person',
    summary: 'Raise the budget for the current period, and send the prompts that CBOS holds because of it',
    params: z.object({ name: z.string() }),
    body: BudgetRaise,
    success: 200,
    response: Budget,
    errors: ['no_such_budget', 'no_such_session'],
  },
} as const satisfies Record<string, Route>;
