import type { BudgetRule } from '../../src/core/budgets/index.ts';
import { createBudgetStore } from '../../src/platform/sqlite/budget-store.ts';
import { openDatabase } from '../../src/platform/sqlite/database.ts';
import { createEventStore } from '../../src/platform/sqlite/event-store.ts';
import { createLabelStore } from '../../src/platform/sqlite/label-store.ts';
import { createTerminalCostStore } from '../../src/platform/sqlite/terminal-cost-store.ts';
import { type BudgetList, createBudgetList } from '../../src/server/budgets/budget-list.ts';
import { type Budgets, createBudgets } from '../../src/server/budgets/budgets.ts';
import type { Clock } from '../../src/server/clock.ts';
import type { Sessions } from '../../src/server/sessions.ts';

const nothing = (): void => undefined;

export interface MemoryBudgets {
  budgets: Budgets;
  desk: BudgetList;
  /** Records how much a session spent on one day. */
  spend(sessionId: string, day: string, usd: number): void;
}

/** Creates the real budgets with sessions in memory and a database in memory. */
export function memoryBudgets(
  sessions: Pick<Sessions, 'list'> & { idOf(slug: string): string },
  clock: Clock,
  rules: readonly BudgetRule[] = [],
  database = openDatabase(':memory:'),
): MemoryBudgets {
  const budgets = createBudgets({
    rules,
    store: createBudgetStore(database),
    events: createEventStore(database),
    terminalCosts: createTerminalCostStore(database),
    labels: createLabelStore(database),
    clock,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  });
  return {
    budgets,
    desk: createBudgetList({ budgets, sessions: { list: () => sessions.list(), idOf: (slug) => sessions.idOf(slug) } }),
    spend: (sessionId, day, usd) => {
      database
        .prepare(
          `INSERT INTO terminal_costs VALUES (?, ?, ?)
           ON CONFLICT (session_id, day) DO UPDATE SET cost_usd = cost_usd + excluded.cost_usd`,
        )
        .run(sessionId, day, usd);
      budgets.note();
    },
  };
}
