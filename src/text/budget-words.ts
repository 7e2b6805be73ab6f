import type { Budget, BudgetPeriod, BudgetUnit, OverBudget } from '../protocol/index.ts';
import { dollarsText, tokensText } from './figure-words.ts';
import { cleanLine } from './terminal-text.ts';

/** Formats an amount, such as `$5.00` or `2M tokens`. */
export function amountText(amount: number, unit: BudgetUnit): string {
  return unit === 'usd' ? dollarsText(amount) : `${tokensText(amount)} tokens`;
}

/** Describes how much of a budget has been spent, such as `$5.12 of $5.00 today`. */
export function spentText(
  spent: number,
  limit: number,
  { unit, per }: { unit: BudgetUnit; per: BudgetPeriod },
): string {
  const whole = `${unit === 'usd' ? dollarsText(spent) : tokensText(spent)} of ${amountText(limit, unit)}`;
  return per === 'day' ? `${whole} today` : whole;
}

type Over = Omit<OverBudget, 'holds'>;

/** Returns a line such as `Budget night is reached: $5.12 of $5.00 today`. */
export function overBudgetText(over: Over): string {
  return `Budget ${cleanLine(over.budget)} has been reached: ${spentText(over.spent, over.limit, over)}`;
}

/** Returns the command that raises the budget. */
export function raiseHint({ budget, scope, per }: Over): string {
  const whose = scope === 'each' ? ' --session NAME' : '';
  const day = per === 'day' ? ', or when the day is over' : '';
  return `CBOS sends it when you raise the budget (\`cbos budget raise ${cleanLine(budget)}${whose}\`)${day}`;
}

/** Describes the scope of a budget, such as `each session` or `tag night`. */
export function budgetScopeText({ scope, of }: Pick<Budget, 'scope' | 'of'>): string {
  switch (scope) {
    case 'each':
      return 'each session';
    case 'session':
    case 'tag':
      return cleanLine(`${scope} ${of ?? ''}`);
    case 'fleet':
      return 'all sessions';
  }
}
