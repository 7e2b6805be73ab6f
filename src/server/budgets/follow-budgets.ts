import type { OverBudget } from '../../protocol/index.ts';
import type { SessionActor } from '../session/actor.ts';
import { overBudgetOf } from '../session/over-budget.ts';
import type { Dispose } from '../sessions.ts';
import type { Budgets } from './budgets.ts';

interface Followed {
  actor: Pick<SessionActor, 'record' | 'deps' | 'isListed' | 'lookAgain' | 'view'>;
}

/**
 * Reports to every face when a session reaches a budget or may continue, and sends the held prompts as soon as it may
 * continue. An alert is raised only if a prompt is waiting, because otherwise the person has nothing to decide.
 */
export function followBudgets({
  listed,
  budgets,
}: {
  listed: { all(): Followed[] };
  budgets: Pick<Budgets, 'onChange'>;
}): Dispose {
  const told = new Map<string, OverBudget>();

  function look(): void {
    for (const { actor } of listed.all()) {
      if (!actor.isListed()) continue;
      const { id } = actor.record;
      const before = told.get(id);
      const now = overBudgetOf(actor);
      if (now === null) told.delete(id);
      else told.set(id, now);
      if (before?.budget === now?.budget && before?.limit === now?.limit && before?.holds === now?.holds) continue;
      const isAlert = (now?.holds ?? 0) > 0 && (before?.holds ?? 0) === 0;
      actor.deps.emit({ kind: isAlert ? 'woken' : 'updated', session: actor.view() });
      if (now === null) actor.lookAgain();
    }
  }

  look();
  return budgets.onChange(look);
}
