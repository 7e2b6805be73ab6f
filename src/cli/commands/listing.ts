import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Conversation, EXIT, type Session } from '../../protocol/index.ts';
import { pathText } from '../../text/session-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { CommandError } from '../command-error.ts';
import { type CliContext, canDraw } from '../context.ts';
import { readerOf } from '../list-reader.ts';
import {
  agoText,
  COLUMN_NAMES,
  type ColumnName,
  RESOURCE_COLUMNS,
  type Reader,
  SORT_KEYS,
  type SortKey,
  sessionTable,
  sortSessions,
} from '../output/session-table.ts';
import { watchList } from '../watch-list.ts';
import { describe } from './command-help.ts';
import { readStateWord } from './option-values.ts';

interface ListOptions {
  state?: string;
  all?: boolean;
  long?: boolean;
  quiet?: boolean;
  watch?: boolean;
  sort?: SortKey;
  reverse?: boolean;
  columns?: readonly ColumnName[];
  json?: boolean;
}

/** Adds `ls`. */
export function addListing(program: Command, context: CliContext): void {
  const { out } = context;

  describe(program.command('ls'), {
    group: 'looking',
    summary: 'list the sessions, those that need you first',
    more: [
      'Words for --state: needs-you, done, new, parked, stopped, lost, snoozed, unread, ready, stuck; waiting, thinking, working, idle, error, dead, unknown; or primary/detail as in waiting/permission.',
      `Columns: ${COLUMN_NAMES.join(', ')}.`,
      'JSON has the sessions in the order in which they were created.',
    ].join('\n'),
    examples: [
      ['cbos ls', 'all of them'],
      ['cbos ls --state needs-you', 'those that ask something, or stopped by an error'],
      ['cbos ls --watch', 'the list as it changes, until Ctrl-C'],
      ['cbos ls --columns name,branch,cost --sort name', 'what you want to see, in the order you want'],
      ["cbos ls -q --state done | xargs -I{} cbos send {} 'commit'", 'names only, for a shell'],
      ['cbos ls --all', "and Claude Code's conversations on this machine that are none of them"],
      ['cbos ls --jq \'.[] | select(.state == "error") | .slug\'', 'for programs; no jq has to be installed'],
    ],
  })
    .alias('list')
    .option('-s, --state <state>', 'only those in this state', readStateWord)
    .option('-u, --unread', 'only those that have news which nobody has looked at')
    .option('-a, --all', "also Claude Code's conversations on this machine that no session is")
    .option('-l, --long', 'all columns')
    .option('-c, --columns <names>', 'these columns, with commas between them', readColumns)
    .addOption(new Option('--sort <by>', 'attention when left out, or another order').choices(SORT_KEYS))
    .option('-r, --reverse', 'the other way round')
    .option('-q, --quiet', 'names only, one a line')
    .option('-w, --watch', 'draw the list again whenever it changes')
    .option('--json', 'the REST body; with --all an object of both')
    .action(async ({ unread, ...given }: ListOptions & { unread?: boolean }) => {
      const options = unread === true ? { ...given, state: onlyState(given, 'unread') } : given;
      assertTogether(options);
      if (options.watch === true) {
        if (!canDraw(context.io))
          throw new CommandError('--watch needs a terminal', 'cbos watch prints changes as lines', EXIT.usage);
        context.exitCode = await watchList(context, {
          ...(options.state === undefined ? {} : { state: options.state }),
          resources: showsResources(options),
          lines: (sessions, reader, width) => listLines(context, { sessions, options, reader, width }),
        });
        return;
      }
      const client = await context.client();
      const query = options.state === undefined ? {} : { state: options.state };
      const sessions = await client.call('listSessions', { query });
      const conversations = options.all === true ? await client.call('conversations') : null;
      if (options.json === true) out.json(conversations === null ? sessions : { sessions, conversations });
      else await printList(context, { sessions, conversations, options });
    });
}

function onlyState({ state }: ListOptions, meant: string): string {
  if (state === undefined || state === meant) return meant;
  throw new CommandError(`--state and --${meant} exclude each other`, 'cbos ls --help', EXIT.usage);
}

async function printList(
  context: CliContext,
  list: { sessions: readonly Session[]; conversations: readonly Conversation[] | null; options: ListOptions },
): Promise<void> {
  const { out } = context;
  const { sessions, conversations, options } = list;
  if (options.quiet === true) {
    out.lines(sorted(sessions, options).map(({ slug }) => cleanLine(slug)));
    return;
  }
  if (sessions.length > 0) {
    const reader = await readerOf(context, sessions, { resources: showsResources(options) });
    out.lines(listLines(context, { sessions, options, reader, width: out.width }));
  } else if (conversations === null) {
    if (options.state === undefined) out.notice('there is no session yet — cbos new PATH');
    else out.notice(`no session is ${options.state} — cbos ls`);
  }
  if (conversations === null || conversations.length === 0) return;
  if (sessions.length > 0) out.line();
  printConversations(context, conversations);
}

function listLines(
  { out }: CliContext,
  list: { sessions: readonly Session[]; options: ListOptions; reader: Reader; width: number | null },
): string[] {
  const { sessions, options, reader, width } = list;
  return sessionTable({
    sessions: sorted(sessions, options),
    columns: options.columns ?? (options.long === true ? COLUMN_NAMES : null),
    reader,
    // A pipe receives only rows.
    hasHeadings: width !== null && (options.sort ?? 'attention') === 'attention',
    style: out.style,
    width,
  });
}

const showsResources = ({ columns, long }: ListOptions): boolean =>
  long === true || columns?.some((name) => RESOURCE_COLUMNS.has(name)) === true;

function sorted(sessions: readonly Session[], { sort = 'attention', reverse }: ListOptions): Session[] {
  const inOrder = sortSessions(sessions, sort);
  return reverse === true ? inOrder.toReversed() : inOrder;
}

/** Prints the usual table, as `cbos` alone does without a terminal UI. */
export async function printSessions(context: CliContext, sessions: readonly Session[]): Promise<void> {
  await printList(context, { sessions, conversations: null, options: {} });
}

function printConversations({ out, io }: CliContext, conversations: readonly Conversation[]): void {
  const now = io.now();
  out.table(
    [
      { title: 'CONVERSATION' },
      { title: 'LAST', worth: 2 },
      { title: 'PATH', keeps: 'end', worth: 1 },
      { title: 'BEGAN WITH', keeps: 'start', worth: 3 },
    ],
    conversations.map(({ claude_session_id, path, title, last_activity, pid }) => [
      { text: cleanLine(claude_session_id), style: 'bold' },
      { text: pid === null ? agoText(last_activity, now) : `open (${pid})` },
      { text: pathText(path, io.env.HOME), style: 'dim' },
      { text: cleanLine(title ?? '') },
    ]),
  );
  out.notice('cbos adopt --resume ID takes one over');
}

function readColumns(text: string): readonly ColumnName[] {
  const names = text.split(',').map((name) => name.trim().toLowerCase());
  const known = names.flatMap((name) => COLUMN_NAMES.find((one) => one === name) ?? []);
  if (known.length === names.length) return known;
  throw new InvalidArgumentError(`It must be names of ${COLUMN_NAMES.join(', ')}, with commas between them.`);
}

/** Options that contradict each other. They are refused, so that neither is silently ignored. */
const APART: readonly (readonly [keyof ListOptions, keyof ListOptions])[] = [
  ['quiet', 'json'],
  ['quiet', 'all'],
  ['quiet', 'long'],
  ['quiet', 'columns'],
  ['long', 'columns'],
  ['watch', 'json'],
  ['watch', 'all'],
  ['watch', 'quiet'],
];

function assertTogether(options: ListOptions): void {
  const pair = APART.find(([one, other]) => options[one] !== undefined && options[other] !== undefined);
  if (pair !== undefined)
    throw new CommandError(`--${pair[0]} and --${pair[1]} exclude each other`, 'cbos ls --help', EXIT.usage);
}
