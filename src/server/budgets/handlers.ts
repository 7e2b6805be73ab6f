import type { Handlers } from '../handlers.ts';
import type { BudgetList } from './budget-list.ts';

export function createBudgetHandlers(budgets: BudgetList): Pick<Handlers, 'listBudgets' | 'raiseBudget'> {
  return {
    listBudgets: () => budgets.list(),
    raiseBudget: ({ params, body }) => budgets.raise(params.name, body),
  };
}
