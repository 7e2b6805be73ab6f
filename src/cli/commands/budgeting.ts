import type { Command } from 'commander';
import type { Budget, BudgetSubject } from '../../protocol/index.ts';
import { amountText, budgetScopeText, spentText } from '../../text/budget-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { CliContext } from '../context.ts';
import type { Cell } from '../output/table.ts';
import { describe, type JsonOption } from './command-help.ts';
import { readAmount } from './option-values.ts';

interface RaiseOptions extends JsonOption {
  to?: number;
  session?: string;
}

/** Adds `budget` and its subcommands. */
export function addBudgeting(program: Command, context: CliContext): void {
  const { out } = context;
  const budget = program.command('budget');
  describe(budget, {
    group: 'talking',
    summary: 'list and raise the budgets of sessions',
    more: 'Budgets are [[budgets]] tables in config.toml; without one, spending is not limited. When a budget is reached, CBOS holds every prompt for its sessions and asks you. A running turn continues to its end, and CBOS never holds what you type directly into a session.',
    examples: [
      ['cbos budget', 'show how much of each budget has been spent, and how many prompts it holds'],
      ['cbos budget raise night', 'allow the same amount once more today'],
      ['cbos budget raise each --session CI --to 20', 'let one session spend up to $20'],
    ],
  });

  budget
    .command('ls', { isDefault: true })
    .summary('list the budgets')
    .description('List the budgets, with the amount spent from each.')
    .option('--json', 'print the API response as JSON')
    .action(async (options: JsonOption) => {
      const client = await context.client();
      const budgets = await client.call('listBudgets');
      if (options.json === true) out.json(budgets);
      else if (budgets.length === 0) out.notice('no budgets yet — add [[budgets]] to config.toml');
      else printBudgets(context, budgets);
    });

  budget
    .command('raise')
    .summary('raise a budget, for today or permanently')
    .description(
      'Raise a budget for its current period: for today, or permanently if the budget is not per day. CBOS then sends the prompts that it held.',
    )
    .argument('<budget>', 'the budget')
    .option('--to <amount>', "the new limit; default: the current limit plus the budget's own amount", readAmount)
    .option('--session <name>', 'the session, if the budget applies to each session')
    .option('--json', 'print the API response as JSON')
    .action(async (name: string, { json, ...body }: RaiseOptions) => {
      const client = await context.client();
      const raised = await client.call('raiseBudget', { params: { name }, body });
      if (json === true) out.json(raised);
      else printBudgets(context, [raised]);
    });
}

function printBudgets({ out }: CliContext, budgets: readonly Budget[]): void {
  out.table(
    [
      { title: 'BUDGET' },
      { title: 'FOR', keeps: 'both ends' },
      { title: 'SPENT' },
      { title: 'STATE' },
      { title: 'NOT COVERED', keeps: 'start', worth: 1 },
    ],
    budgets.flatMap((one): Cell[][] => {
      const uncovered = { text: cleanLine(one.uncovered.join(' ')), style: 'dim' as const };
      const name = { text: cleanLine(one.name) };
      const none = [
        name,
        { text: budgetScopeText(one) },
        { text: amountText(one.limit, one.unit) },
        { text: 'unused' },
        uncovered,
      ];
      if (one.subjects.length === 0) return [none];
      return one.subjects.map((subject, index): Cell[] => [
        name,
        { text: subject.session === null ? budgetScopeText(one) : cleanLine(subject.session) },
        { text: spentText(subject.spent, subject.limit, one) },
        stateCell(subject),
        index === 0 ? uncovered : { text: '' },
      ]);
    }),
  );
}

function stateCell({ reached, raised }: BudgetSubject): Cell {
  if (reached) return { text: 'reached', style: 'red' };
  return { text: raised ? 'raised' : 'open' };
}
