import type { Handlers } from '../handlers.ts';
import type { BudgetDesk } from './budget-desk.ts';

export function createBudgetHandlers(budgets: BudgetDesk): Pick<Handlers, 'listBudgets' | 'raiseBudget'> {
  return {
    listBudgets: () => budgets.list(),
    raiseBudget: ({ params, body }) => budgets.raise(params.name, body),
  };
}
