import type { Caller } from '../../client/index.ts';
import {
  CatalogueError,
  type Conversation,
  type Grouping,
  isSelective,
  type RouteInput,
  type SavedView,
  type Session,
} from '../../protocol/index.ts';
import { groupedBy } from '../../text/group-words.ts';
import { filterWords, matchesWords } from '../../text/session-filter.ts';
import { pathText } from '../../text/session-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { UsageError } from '../command-error.ts';
import { type CliContext, canDraw } from '../context.ts';
import { readerOf } from '../list-reader.ts';
import {
  agoText,
  attentionHeadings,
  COLUMN_NAMES,
  type ColumnName,
  RESOURCE_COLUMNS,
  type Reader,
  type SessionTable,
  type SortKey,
  sessionTable,
  sortSessions,
} from '../output/session-table.ts';
import { type SelectorOptions, selectorOf, selectorText } from '../selectors.ts';
import { withoutUndefined } from '../without-undefined.ts';

export interface ListOptions extends SelectorOptions {
  group?: Grouping | undefined;
  view?: string;
  archived?: boolean;
  unread?: boolean;
  all?: boolean;
  fleet?: boolean;
  long?: boolean;
  quiet?: boolean;
  watch?: boolean;
  sort?: SortKey;
  reverse?: boolean;
  columns?: readonly ColumnName[];
  json?: boolean;
}

/** Runs `cbos ls`. */
export async function listSessions(context: CliContext, { unread, ...given }: ListOptions): Promise<void> {
  const { out } = context;
  const options = unread === true ? { ...given, state: onlyState(given, 'unread') } : given;
  assertTogether(options);
  if (options.watch === true) {
    if (!canDraw(context.io)) throw new UsageError('--watch needs a terminal', 'cbos watch prints changes as lines');
    const { watchList } = await import('../watch-list.ts');
    context.exitCode = await watchList(context, {
      selector: selectorOf(context, options),
      resources: showsResources(options),
      lines: (sessions, reader, width) => listLines(context, { sessions, options, reader, width }),
    });
    return;
  }
  if (options.fleet === true) {
    const { listFleet } = await import('../list-fleet.ts');
    await listFleet(context, options);
    return;
  }
  const client = await context.client();
  const view = given.view === undefined ? null : await readView(client, given.view);
  const words = filterWords(view?.filter ?? '');
  const found = await client.call('listSessions', { query: queryOf(context, options) });
  const sessions = found.filter((session) => matchesWords(session, words));
  const conversations = options.all === true ? await client.call('conversations') : null;
  if (options.json === true) out.json(conversations === null ? sessions : { sessions, conversations });
  else await printList(context, { sessions, conversations, options: { group: view?.group, ...options } });
}

async function readView(client: Caller, name: string): Promise<SavedView> {
  const view = (await client.call('listViews')).find((one) => one.name === name);
  if (view !== undefined) return view;
  throw new CatalogueError('no_such_view', `No view is named ${JSON.stringify(name)}`);
}

/**
 * Tells the server that the user is looking at these pull requests. The server then fetches their states, which the
 * next list shows.
 */
async function lookAtPullRequests(
  context: CliContext,
  sessions: readonly Session[],
  { long, columns }: ListOptions,
): Promise<void> {
  if (long !== true && columns?.includes('pr') !== true) return;
  const slugs = sessions.flatMap(({ slug, worktree }) => (worktree?.pull_request?.state === 'open' ? [slug] : []));
  if (slugs.length === 0) return;
  const client = await context.client();
  await client.call('lookAtPullRequests', { body: { sessions: slugs } });
}

function onlyState({ state }: ListOptions, meant: string): string {
  if (state === undefined || state === meant) return meant;
  throw new UsageError(`--state and --${meant} cannot be combined`, 'cbos ls --help');
}

function queryOf(context: CliContext, options: ListOptions): NonNullable<RouteInput<'listSessions'>['query']> {
  const { state, tags, repo } = selectorOf(context, options);
  const archived = options.archived === true ? ('true' as const) : undefined;
  return withoutUndefined({ state, tag: tags?.join(','), repo, archived });
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
    await lookAtPullRequests(context, sessions, options);
  } else if (conversations === null) {
    const selector = selectorOf(context, options);
    if (options.view !== undefined) out.notice(`no session matches the view ${cleanLine(options.view)} — cbos views`);
    else if (isSelective(selector)) out.notice(`no session is ${selectorText(selector)} — cbos ls`);
    else if (options.archived === true) out.notice('no session is archived — cbos archive NAME');
    else out.notice('no sessions yet — cbos new PATH');
  }
  if (conversations === null || conversations.length === 0) return;
  if (sessions.length > 0) out.line();
  printConversations(context, conversations);
}

function listLines(
  { out }: CliContext,
  list: { sessions: readonly Session[]; options: ListOptions; reader: Reader; width: number | null },
): string[] {
  const { options, reader, width } = list;
  const { group = 'attention', sort = 'attention' } = options;
  // Output to a pipe contains rows only, without headings.
  const hasHeadings = width !== null && group !== 'none';
  const { sessions, headingOf } = arranged(sorted(list.sessions, options), group);
  return sessionTable({
    sessions,
    columns: options.columns ?? (options.long === true ? COLUMN_NAMES : null),
    reader,
    headingOf: hasHeadings && (group !== 'attention' || sort === 'attention') ? headingOf : null,
    style: out.style,
    width,
  });
}

/** Sorts sessions by group. Within a group, their order does not change. */
function arranged(sessions: readonly Session[], group: Grouping): Pick<SessionTable, 'sessions' | 'headingOf'> {
  if (group === 'attention' || group === 'none') return { sessions, headingOf: attentionHeadings(sessions) };
  const { sessions: byGroup, headings } = groupedBy(sessions, group);
  const titleOf = ({ slug }: Session): string => headings.get(slug)?.title ?? '';
  const keys = [...new Set(byGroup.map(({ slug }) => headings.get(slug)))];
  const inGroups = keys.flatMap((key) => sessions.filter(({ slug }) => headings.get(slug) === key));
  return { sessions: inGroups, headingOf: titleOf };
}

const showsResources = ({ columns, long }: ListOptions): boolean =>
  long === true || columns?.some((name) => RESOURCE_COLUMNS.has(name)) === true;

function sorted(sessions: readonly Session[], { sort = 'attention', reverse }: ListOptions): Session[] {
  const inOrder = sortSessions(sessions, sort);
  return reverse === true ? inOrder.toReversed() : inOrder;
}

/** Prints the default table, which plain `cbos` also prints if it cannot open the terminal UI. */
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

/**
 * Options that contradict each other. The command rejects such a combination instead of silently ignoring one of the
 * options.
 */
const APART: readonly (readonly [keyof ListOptions, keyof ListOptions])[] = [
  ['quiet', 'json'],
  ['quiet', 'all'],
  ['quiet', 'long'],
  ['quiet', 'columns'],
  ['long', 'columns'],
  ['watch', 'json'],
  ['watch', 'all'],
  ['watch', 'view'],
  ['fleet', 'view'],
  ['watch', 'quiet'],
  ['watch', 'archived'],
  ['archived', 'all'],
  ['fleet', 'watch'],
  ['fleet', 'all'],
  ['fleet', 'long'],
  ['fleet', 'columns'],
  ['fleet', 'reverse'],
  ['fleet', 'archived'],
  ['fleet', 'group'],
  ['fleet', 'tag'],
  ['fleet', 'repo'],
];

function assertTogether(options: ListOptions): void {
  const pair = APART.find(([one, other]) => options[one] !== undefined && options[other] !== undefined);
  if (pair !== undefined) throw new UsageError(`--${pair[0]} and --${pair[1]} cannot be combined`, 'cbos ls --help');
}
