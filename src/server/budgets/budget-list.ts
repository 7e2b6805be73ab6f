import type { BudgetRule } from '../../core/budgets/index.ts';
import {
  type Budget,
  type BudgetRaise,
  type BudgetSubject,
  CatalogueError,
  type Session,
} from '../../protocol/index.ts';
import type { BudgetState, Budgets } from './budgets.ts';

/** Handles the faces' requests about budgets. Only a person may raise a budget; see `app.ts`. */
export interface BudgetList {
  list(): Budget[];
  /** @throws CatalogueError no_such_budget, no_such_session, invalid_request */
  raise(name: string, request: BudgetRaise): Budget;
}

export interface BudgetListOptions {
  budgets: Budgets;
  sessions: { list(): Session[]; idOf(slug: string): string };
}

export function createBudgetList({ budgets, sessions }: BudgetListOptions): BudgetList {
  const named = (): { id: string; slug: string; session: Session }[] =>
    sessions.list().map((session) => ({ id: sessions.idOf(session.slug), slug: session.slug, session }));

  function view(rule: BudgetRule): Budget {
    const { name, scope, of, unit, per, limit } = rule;
    const covered = named().flatMap((one) => {
      const state = budgets.stateOf(rule, one);
      return state === null ? [] : [{ ...one, state }];
    });
    const subjects = isShared(rule)
      ? [viewSubject(null, budgets.shared(rule))]
      : covered.map(({ slug, state }) => viewSubject(slug, state)).sort((one, other) => other.spent - one.spent);
    const uncovered = covered
      .filter(({ session, state }) => !hasFigures(session, rule) && (isShared(rule) || state.spent === 0))
      .map(({ slug }) => slug);
    return { name, scope, of, unit, per, limit, subjects, uncovered };
  }

  return {
    list: () => budgets.rules.map(view),
    raise: (name, { session: slug, to }) => {
      const rule = budgets.rules.find((one) => one.name === name);
      if (rule === undefined) {
        throw new CatalogueError('no_such_budget', `No budget is named ${JSON.stringify(name.slice(0, 80))}`);
      }
      const wanted = rule.scope === 'session' ? (slug ?? rule.of ?? '') : slug;
      if (rule.scope === 'each' && wanted === undefined) {
        throw new CatalogueError('invalid_request', `session: ${name} applies to each session separately`, {
          hint: 'Name the session: `cbos budget raise NAME --session SESSION`',
        });
      }
      const one = isShared(rule) ? null : findSession(wanted ?? '');
      const state = one === null ? budgets.shared(rule) : budgets.stateOf(rule, one);
      if (state === null) throw new CatalogueError('invalid_request', `session: ${name} does not apply to ${wanted}`);
      const limit = to ?? state.limit + rule.limit;
      if (limit <= state.limit) {
        throw new CatalogueError(
          'invalid_request',
          `to: the new limit must be higher than the current one, ${state.limit}`,
          {
            hint: 'Choose a higher limit; to lower a budget, edit config.toml',
          },
        );
      }
      budgets.raise(rule, one, limit);
      return view(rule);
    },
  };

  function findSession(slug: string): { id: string; slug: string } {
    const found = named().find((one) => one.slug === slug);
    if (found !== undefined) return found;
    throw new CatalogueError('no_such_session', `No session is named ${JSON.stringify(slug.slice(0, 80))}`);
  }
}

const isShared = ({ scope }: BudgetRule): boolean => scope === 'tag' || scope === 'fleet';

/**
 * Reports whether CBOS can know what the session has spent. Claude Code does not report cumulative tokens to its status
 * line.
 */
function hasFigures({ type, cost_usd: cost, status }: Session, { unit }: BudgetRule): boolean {
  if (type === 'json' || status.primary === 'dead') return true;
  return unit === 'usd' && cost !== null;
}

function viewSubject(session: string | null, { limit, spent, isRaised }: BudgetState): BudgetSubject {
  return { session, limit, spent, reached: spent >= limit, raised: isRaised };
}
