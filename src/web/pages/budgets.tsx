import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Budget, BudgetSubject } from '../../protocol/index.ts';
import { amountText, budgetScopeText, spentText } from '../../text/budget-words.ts';
import { client, link } from '../connection/fleet.ts';
import { submitWith } from '../parts/field.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { attempt, tell, tellError } from '../parts/toasts.tsx';

/** Shows the budgets, and lets the user raise them. */
export function BudgetsPage() {
  const budgets = useSignal<readonly Budget[] | null>(null);
  const load = async (): Promise<void> => {
    try {
      budgets.value = await client.call('listBudgets');
    } catch (error) {
      tellError(error);
    }
  };
  useEffect(() => {
    if (link.value === 'live') void load();
  }, [link.value]);

  return (
    <>
      <PageHead title="Budgets" />
      <div class="page stack">
        {budgets.value?.length === 0 && (
          <div class="empty">
            <h1>There are no budgets</h1>
            <p>
              Nothing limits what sessions spend. <code>[[budgets]]</code> tables in <code>config.toml</code> do.
            </p>
          </div>
        )}
        {(budgets.value ?? []).map((budget) => (
          <section key={budget.name} class="card stack">
            <h2>{budget.name}</h2>
            <p class="faint">
              {amountText(budget.limit, budget.unit)}
              {budget.per === 'day' ? ' a day' : ''} for {budgetScopeText(budget)}
            </p>
            {budget.subjects.map((subject) => (
              <Subject key={subject.session} budget={budget} subject={subject} onRaised={load} />
            ))}
            {budget.uncovered.length > 0 && (
              <p class="faint">Not covered, because nothing reports their spending: {budget.uncovered.join(', ')}</p>
            )}
          </section>
        ))}
      </div>
    </>
  );
}

/**
 * Shows how much of a budget has been used, by one session or by all sessions that share it. The user can edit the new
 * amount before raising the budget.
 */
function Subject(props: { budget: Budget; subject: BudgetSubject; onRaised(): Promise<void> }) {
  const { budget, subject, onRaised } = props;
  const { session, spent, limit, reached } = subject;
  const amount = useSignal<string | null>(null);
  const name = session ?? budget.name;

  const raise = async (): Promise<void> => {
    const body = { to: Number(amount.value), ...(session === null ? {} : { session }) };
    const isRaised = await attempt(() => client.call('raiseBudget', { params: { name: budget.name }, body }));
    if (isRaised) {
      tell(`${name} may spend ${amountText(body.to, budget.unit)}${budget.per === 'day' ? ' today' : ''}`);
      amount.value = null;
    }
    await onRaised();
  };
  return (
    <form class="row wrap" onSubmit={submitWith(raise)}>
      {session !== null && <strong>{session}</strong>}
      <span class="grow">{spentText(spent, limit, budget)}</span>
      {reached && <span class="chip">reached</span>}
      {amount.value === null ? (
        <button
          type="button"
          class="button"
          aria-label={`Raise ${name}…`}
          onClick={() => {
            amount.value = String(limit + budget.limit);
          }}
        >
          Raise…
        </button>
      ) : (
        <>
          <input
            class="input"
            type="number"
            step="any"
            min={limit}
            aria-label={`New limit for ${name}`}
            value={amount.value}
            onInput={({ currentTarget }) => {
              amount.value = currentTarget.value;
            }}
          />
          <button type="submit" class="button primary">
            Raise
          </button>
        </>
      )}
    </form>
  );
}
