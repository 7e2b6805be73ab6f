import type { OverBudget } from '../../protocol/index.ts';
import type { SessionActor } from './actor.ts';

/** Returns a session's exhausted budget, with the number of prompts that it holds back; null if none is exhausted. */
export function overBudgetOf({ record, deps }: Pick<SessionActor, 'record' | 'deps'>): OverBudget | null {
  const over = deps.budgets.overBudget(record);
  return over && { ...over, holds: deps.deliveries.withStatus(record.id, 'queued').length };
}
