import type { Budget, BudgetSubject } from '../../protocol/index.ts';
import { amountText, budgetScopeText, spentText } from '../../text/budget-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { type App, requireSelected } from '../app.ts';
import { wrap } from '../view/cells.ts';
import { confirm } from './confirm.ts';
import { showPage } from './text-page.ts';

/**
 * Runs `/budget`, which shows the budgets, and `/budget NAME [AMOUNT]`, which raises a budget. If the budget applies to
 * each session separately, it is raised for the selected session only.
 */
export function budgetByWords(app: App, words: string): void {
  const [name, amount, ...rest] = words.split(/\s+/).filter((word) => word !== '');
  if (rest.length > 0) {
    app.toast('bad', 'Too many words — /budget [NAME [AMOUNT]]');
    return;
  }
  app.run(async () => {
    const budgets = await app.client.call('listBudgets');
    if (name === undefined) return showBudgets(app, budgets);
    const budget = budgets.find((one) => one.name === name);
    if (budget === undefined) return app.toast('bad', `There is no budget ${name} — /budget lists the budgets`);
    raise(app, budget, amount === undefined ? null : Number(amount));
  });
}

function raise(app: App, budget: Budget, amount: number | null): void {
  const session = budget.scope === 'each' ? requireSelected(app) : null;
  if (budget.scope === 'each' && session === null) return;
  const subject = budget.subjects.find((one) => session === null || one.session === session.slug);
  if (subject === undefined) {
    app.toast('bad', `Budget ${budget.name} cannot be raised`);
    return;
  }
  const to = amount ?? subject.limit + budget.limit;
  if (!(to > subject.limit)) {
    app.toast('bad', `The limit is already ${amountText(subject.limit, budget.unit)} — name a higher one`);
    return;
  }
  const whose = subject.session === null ? '' : ` of ${cleanLine(subject.session)}`;
  const day = budget.per === 'day' ? ' for today' : '';
  confirm(app, {
    question: `Raise budget ${cleanLine(budget.name)}${whose} to ${amountText(to, budget.unit)}${day}?`,
    onYes: async () => {
      const body = { to, ...(session === null ? {} : { session: session.slug }) };
      await app.client.call('raiseBudget', { params: { name: budget.name }, body });
      app.toast('good', `budget ${cleanLine(budget.name)} is raised to ${amountText(to, budget.unit)}`);
    },
  });
}

function showBudgets(app: App, budgets: readonly Budget[]): void {
  showPage(app, 'Budgets', (cols) => {
    if (budgets.length === 0)
      return ['', '   There are no budgets; define them in config.toml, as [[budgets]] tables.'];
    const lines = budgets.flatMap((one) => [
      '',
      `   ${cleanLine(one.name)}: ${amountText(one.limit, one.unit)}${one.per === 'day' ? ' a day' : ''} for ${budgetScopeText(one)}`,
      ...one.subjects.map((subject) => `      ${subjectText(one, subject)}`),
      ...(one.uncovered.length === 0 ? [] : [`      not covered: ${one.uncovered.map(cleanLine).join(', ')}`]),
    ]);
    return [...lines, '', '   /budget NAME [AMOUNT] raises one.'].flatMap((line) => wrap(line, cols - 1));
  });
}

function subjectText(budget: Budget, { session, spent, limit, reached, raised }: BudgetSubject): string {
  const state = reached ? ', reached' : raised ? ', raised' : '';
  const whose = session === null ? '' : `${cleanLine(session)}: `;
  return `${whose}${spentText(spent, limit, budget)}${state}`;
}
