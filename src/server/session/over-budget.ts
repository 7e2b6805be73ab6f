import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import type { OverBudget } from '../../protocol/index.ts';
import type { ActorDeps } from './actor-deps.ts';

interface Budgeted {
  readonly record: Pick<SessionRecord, 'id' | 'slug'>;
  readonly deps: Pick<ActorDeps, 'budgets' | 'deliveries'>;
}

/** Returns a session's exhausted budget, with the number of prompts that it holds back; null if none is exhausted. */
export function overBudgetOf({ record, deps }: Budgeted): OverBudget | null {
  const over = deps.budgets.overBudget(record);
  return over && { ...over, holds: deps.deliveries.withStatus(record.id, 'queued').length };
}
