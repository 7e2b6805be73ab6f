import { type Command, InvalidArgumentError, Option } from 'commander';
import { GROUPINGS } from '../../protocol/index.ts';
import { type ListOptions, listSessions } from '../actions/list-sessions.ts';
import type { CliContext } from '../context.ts';
import { COLUMN_NAMES, type ColumnName, SORT_KEYS } from '../output/session-table.ts';
import { describe } from './command-help.ts';
import { addSelectors } from './selector-options.ts';

/** Adds `ls`. */
export function addListing(program: Command, context: CliContext): void {
  const command = describe(program.command('ls'), {
    group: 'looking',
    summary: 'list the sessions; those that need you come first',
    more: [
      'Words for --state: needs-you, done, new, parked, stopped, lost, snoozed, unread, ready, stuck; waiting, thinking, working, idle, error, dead, unknown; or primary/detail, such as waiting/permission.',
      `Columns: ${COLUMN_NAMES.join(', ')}.`,
      'JSON output lists the sessions in the order in which they were created.',
    ].join('\n'),
    examples: [
      ['cbos ls', 'list all sessions'],
      ['cbos ls --state needs-you', 'list the sessions that ask something or stopped with an error'],
      ['cbos ls --group repo', 'group by repository; all worktrees of a repository are in one group'],
      [
        'cbos ls --tag night --repo shop',
        'list the sessions in one repository that have the tag; `cbos tag` adds tags',
      ],
      ['cbos ls --view night', 'arrange the list by a saved view; `cbos views save` saves one'],
      ['cbos ls --archived', 'list the sessions that `cbos archive` hides'],
      ['cbos ls --watch', 'keep the list up to date until Ctrl-C'],
      ['cbos ls --columns name,branch,cost --sort name', 'choose the columns and the order'],
      ["cbos ls -q --state done | xargs -I{} cbos send {} 'commit'", 'print only names, for use in a shell'],
      ['cbos ls --fleet', 'list the sessions of all machines in the fleet'],
      ['cbos ls --all', "also list this machine's Claude Code conversations that belong to no session"],
      [
        'cbos ls --jq \'.[] | select(.state == "error") | .slug\'',
        'filter the list in a script; jq need not be installed',
      ],
    ],
  }).alias('list');
  addSelectors(command, 'only')
    .addOption(
      new Option('--group <by>', 'group under headings; by tag, a session is in the group of its first tag').choices(
        GROUPINGS,
      ),
    )
    .option('--view <name>', 'show a saved view; `cbos views` lists them')
    .option('--archived', 'list the archived sessions instead')
    .option('-u, --unread', 'list only unread sessions')
    .option('-a, --all', "also list this machine's Claude Code conversations that belong to no session")
    .option('--fleet', 'list the sessions of all machines in the fleet, each as machine/NAME')
    .option('-l, --long', 'show all columns')
    .option('-c, --columns <names>', 'show these columns, separated by commas', readColumns)
    .addOption(new Option('--sort <by>', 'the sort order; default: attention').choices(SORT_KEYS))
    .option('-r, --reverse', 'reverse the order')
    .option('-q, --quiet', 'print only names, one per line')
    .option('-w, --watch', 'redraw the list whenever it changes')
    .option('--json', 'print the API response as JSON; with --all, an object with both lists')
    .action((options: ListOptions) => listSessions(context, options));
}

function readColumns(text: string): readonly ColumnName[] {
  const names = text.split(',').map((name) => name.trim().toLowerCase());
  const known = names.flatMap((name) => COLUMN_NAMES.find((one) => one === name) ?? []);
  if (known.length === names.length) return known;
  throw new InvalidArgumentError(`Use ${COLUMN_NAMES.join(', ')}, separated by commas.`);
}
