import { z } from 'zod';
import { Budget, BudgetRaise } from './budgets.ts';
import type { RouteRow } from './route.ts';

/** The part of the REST interface for budgets. */
export const BUDGET_ROUTES = {
  listBudgets: {
    method: 'get',
    path: '/budgets',
    who: 'session',
    summary: 'What each budget has spent, and which sessions it cannot cover',
    response: z.array(Budget),
  },
  raiseBudget: {
    method: 'post',
    path: '/budgets/{name}/raise',
    who: 'person',
    summary: 'Raise the budget for the current period, and send the prompts that CBOS holds because of it',
    body: BudgetRaise,
    response: Budget,
    errors: ['no_such_budget', 'no_such_session'],
  },
} as const satisfies Record<string, RouteRow>;
