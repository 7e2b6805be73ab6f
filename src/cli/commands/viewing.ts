import type { Command } from 'commander';
import { GROUPINGS, type Grouping, isTag, TAG_RULE } from '../../protocol/index.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { UsageError } from '../command-error.ts';
import type { CliContext } from '../context.ts';
import { describe, type JsonOption } from './command-help.ts';

/** Adds `views` and its subcommands. */
export function addViewing(program: Command, context: CliContext): void {
  const { out } = context;
  const views = program.command('views');
  describe(views, {
    group: 'looking',
    summary: 'save views of the list: its grouping, and the sessions that it shows',
    more: 'A session must match all words of a filter: #night is a tag, @shop a repository, and any other word must occur in its row. The page and the terminal UI offer the same views.',
    examples: [
      ['cbos views', 'list the views'],
      [
        "cbos views save night --group repo '#night'",
        'group by repository, and show only the sessions with the tag night',
      ],
      ['cbos ls --view night', 'list the sessions as the view shows them'],
      ['cbos views rm night', 'delete the view; the sessions stay'],
    ],
  });

  views
    .command('ls', { isDefault: true })
    .summary('list the saved views')
    .description('List the saved views.')
    .option('--json', 'print the API response as JSON')
    .action(async ({ json }: JsonOption) => {
      const all = await (await context.client()).call('listViews');
      if (json === true) return out.json(all);
      if (all.length === 0) return out.notice("no saved views yet — cbos views save NAME '#tag'");
      out.table(
        [{ title: 'NAME' }, { title: 'GROUP' }, { title: 'FILTER', worth: 1 }],
        all.map(({ name, group, filter }) => [
          { text: cleanLine(name), style: 'bold' },
          { text: group },
          { text: cleanLine(filter) },
        ]),
      );
    });

  const save = views.command('save');
  save
    .summary('save a view')
    .description('Save a view. It replaces a view with the same name.')
    .argument('<view>', 'its name')
    .argument('[word...]', "the words of its filter: '#night', '@shop', or part of a row")
    .addOption(save.createOption('--group <by>', 'what to group by').choices(GROUPINGS).default('attention'))
    .option('--json', 'print the API response as JSON')
    .action(async (name: string, words: string[], { group, json }: JsonOption & { group: Grouping }) => {
      if (!isTag(name))
        throw new UsageError(
          `${JSON.stringify(name)} isn't a valid view name`,
          `View names follow the same rule as tags: ${TAG_RULE}`,
        );
      const client = await context.client();
      const saved = await client.call('saveView', { params: { name }, body: { group, filter: words.join(' ') } });
      out.result(json, saved, `saved: ${cleanLine(saved.name)}`);
    });

  views
    .command('rm')
    .summary('delete a view')
    .description('Delete a view. The sessions stay as they are.')
    .argument('<view>', 'the view')
    .option('--json', 'print the API response as JSON')
    .action(async (name: string, { json }: JsonOption) => {
      const removed = await (await context.client()).call('removeView', { params: { name } });
      out.result(json, removed, `deleted: ${cleanLine(removed.name)}`);
    });
}
