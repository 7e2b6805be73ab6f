import type { Command } from 'commander';
import type { NewRule } from '../../protocol/index.ts';
import { suggestionLines, suggestionRule } from '../../text/suggestion-words.ts';
import { UsageError } from '../command-error.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { readWhole } from './option-values.ts';

const MOST_SUGGESTIONS = 1_000;

/** `rules suggest`. */
export function addSuggest(rules: Command, context: CliContext): void {
  const { out } = context;
  rules
    .command('suggest')
    .summary('suggest rules based on what you allowed repeatedly')
    .description(
      'Suggest rules for the commands that you allowed repeatedly in a project. Each suggestion shows the evidence, and what else the rule would have allowed. No suggestion takes effect on its own.',
    )
    .option(
      '--add <number>',
      'show this suggestion again, and add it as a rule if you agree',
      readWhole(1, MOST_SUGGESTIONS),
    )
    .option('--json', 'print the API response as JSON')
    .action(async ({ add, json }: { add?: number; json?: boolean }) => {
      const client = await context.client();
      const all = await client.call('suggestRules');
      if (add === undefined) {
        if (json === true) out.json(all);
        else if (all.length === 0)
          out.notice('no suggestions: you have not allowed the same command three times in a project');
        else out.lines(all.flatMap((one) => [...suggestionLines(one), '']));
        return;
      }
      const chosen = all.find(({ number }) => number === add);
      if (chosen === undefined) {
        throw new UsageError(`There is no suggestion ${add}`, '`cbos rules suggest` lists the suggestions');
      }
      if (json !== true) out.lines(suggestionLines(chosen));
      if (!(await confirm(context, 'Add this rule?'))) return out.notice('nothing was changed');
      const body: NewRule = suggestionRule(chosen);
      const rule = await client.call('addRule', { body });
      out.result(json, rule, `Added as ${rule.id}`);
    });
}
