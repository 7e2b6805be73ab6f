import {
  attentionOf,
  countAttentions,
  folderName,
  isUnread,
  placeOf,
  type Session,
  type SessionResources,
  sortByAttention,
} from '../../protocol/index.ts';
import { blockedText } from '../../text/blocked-words.ts';
import { totalText } from '../../text/changes-words.ts';
import { formatSince } from '../../text/durations.ts';
import { contextPercent, contextStyle, dollarsText } from '../../text/figure-words.ts';
import { pullRequestStyle, pullRequestText } from '../../text/pull-request-words.ts';
import { memoryText, processorText } from '../../text/resource-words.ts';
import { lostText } from '../../text/restore-words.ts';
import {
  attentionHeading,
  modelText,
  pathText,
  queueText,
  recordingText,
  sessionGist,
  sessionIcon,
  sessionStyle,
  stateText,
} from '../../text/session-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { worktreeBranch } from '../../text/worktree-words.ts';
import { type Cell, type Column, renderTable, type TableOptions } from './table.ts';

/**
 * What the table shows in addition to what the server reports, such as paths relative to `~`, the current time, a
 * folder's branch, and a terminal session's model.
 */
export interface Reader {
  now: number;
  home: string | undefined;
  /** returns a folder's git branch, or an empty string if it has none */
  branchOf(path: string): string;
  /**
   * returns the model that gave the session's last answer, or otherwise the model that the session was launched with
   */
  modelOf(session: Session): string | null;
  /** returns the resources that the session uses, or null if they were not requested */
  resourcesOf(slug: string): SessionResources | null;
}

interface SessionColumn<S = Session> extends Column {
  cell(session: S, reader: Reader): Cell;
}

/**
 * The fields of a session that suffice to select, sort and show it in a short list. `cbos ls --fleet` requests only
 * these, because all fields of 5,000 sessions are 10 MB.
 */
export const SHORT_FIELDS = [
  ...['slug', 'path', 'place', 'state', 'status', 'created_at', 'last_activity', 'adopted', 'screen_id'],
  ...['unread', 'snoozed', 'parked_at', 'lost', 'ended', 'interrupted_at', 'rate_limit', 'limit_over_at'],
  ...['missing_conversation', 'other_conversation'],
  ...['over_budget', 'queue_stopped_at', 'screen_prompt_at', 'recording_stopped_at'],
  ...['recording_stopped_because', 'undrawn_since', 'view'],
] as const satisfies readonly (keyof Session)[];
export type ShortSession = Pick<Session, (typeof SHORT_FIELDS)[number]>;

/** The columns of a short list. */
const SHORT_COLUMNS = {
  name: {
    title: 'NAME',
    keeps: 'both ends',
    cell: ({ slug }) => ({ text: cleanLine(slug), style: 'bold' }),
  },
  state: { title: 'STATE', cell: (session) => ({ text: stateText(session), style: sessionStyle(session) }) },
  for: { title: 'FOR', worth: 4, cell: ({ status }, { now }) => ({ text: formatSince(status.since, now) }) },
  path: {
    title: 'PATH',
    keeps: 'end',
    worth: 3,
    cell: (session, { home }) => ({ text: pathText(placeOf(session), home), style: 'dim' }),
  },
  says: { title: 'SAYS', keeps: 'start', least: 20, worth: 5, cell: (session) => ({ text: saysOf(session) }) },
} satisfies Record<string, SessionColumn<ShortSession>>;

/** The columns of `cbos ls`, by the names that `--columns` accepts. */
const COLUMNS = {
  name: SHORT_COLUMNS.name,
  state: SHORT_COLUMNS.state,
  for: SHORT_COLUMNS.for,
  path: SHORT_COLUMNS.path,
  branch: {
    title: 'BRANCH',
    keeps: 'both ends',
    worth: 2,
    isExtra: true,
    cell: (session, { branchOf }) => ({ text: cleanLine(branchOf(placeOf(session) ?? '')), style: 'dim' }),
  },
  worktree: {
    title: 'WORKTREE',
    keeps: 'both ends',
    cell: ({ worktree }) => ({ text: worktreeBranch(worktree), style: 'dim' }),
  },
  port: {
    title: 'PORT',
    cell: ({ worktree }) => ({ text: worktree?.port === undefined ? '' : String(worktree.port), style: 'dim' }),
  },
  changes: {
    title: 'CHANGES',
    cell: ({ changes }) => ({ text: changes === undefined ? '' : totalText(changes), style: 'dim' }),
  },
  pr: { title: 'PR', cell: (session) => ({ text: pullRequestText(session), style: pullRequestStyle(session) }) },
  model: {
    title: 'MODEL',
    worth: 1,
    isExtra: true,
    cell: (session, { modelOf }) => ({ text: modelText(modelOf(session)), style: 'dim' }),
  },
  says: SHORT_COLUMNS.says,
  unread: { title: 'UNREAD', cell: (session) => ({ text: isUnread(session) ? 'unread' : '' }) },
  tags: { title: 'TAGS', keeps: 'start', cell: ({ tags }) => ({ text: cleanLine((tags ?? []).join(' ')) }) },
  repo: {
    title: 'REPO',
    keeps: 'both ends',
    cell: ({ repository }) => ({ text: repository == null ? '' : cleanLine(folderName(repository)), style: 'dim' }),
  },
  type: { title: 'TYPE', cell: ({ type }) => ({ text: cleanLine(type) }) },
  pid: { title: 'PID', cell: ({ pid }) => ({ text: pid === null ? '' : String(pid) }) },
  mode: { title: 'MODE', cell: ({ permission_mode: mode }) => ({ text: cleanLine(mode ?? '') }) },
  context: {
    title: 'CONTEXT',
    cell: ({ context }) => ({ text: contextPercent(context), style: contextStyle(context) }),
  },
  cost: { title: 'COST', cell: ({ cost_usd: cost }) => ({ text: cost === null ? '' : dollarsText(cost) }) },
  memory: { title: 'MEMORY', cell: ({ slug }, { resourcesOf }) => ({ text: memoryText(resourcesOf(slug)) }) },
  cpu: { title: 'CPU', cell: ({ slug }, { resourcesOf }) => ({ text: processorText(resourcesOf(slug)) }) },
  created: { title: 'CREATED', cell: ({ created_at: at }, { now }) => ({ text: agoText(at, now) }) },
  active: { title: 'ACTIVE', cell: ({ last_activity: at }, { now }) => ({ text: agoText(at, now) }) },
  id: { title: 'ID', cell: ({ claude_session_id: id }) => ({ text: cleanLine(id ?? ''), style: 'dim' }) },
} satisfies Record<string, SessionColumn>;

export type ColumnName = keyof typeof COLUMNS;
export const COLUMN_NAMES = Object.keys(COLUMNS) as readonly ColumnName[];

/** The columns that require the server to inspect the processes of all sessions. */
export const RESOURCE_COLUMNS: ReadonlySet<ColumnName> = new Set(['memory', 'cpu']);

/** The columns that are shown by default. `ls -l` shows all columns. */
const USUAL_COLUMNS: readonly ColumnName[] = ['name', 'state', 'for', 'path', 'branch', 'model', 'says'];

const ICON: SessionColumn<ShortSession> = {
  title: '',
  cell: (session) => ({ text: sessionIcon(session), style: sessionStyle(session) }),
};

/**
 * The orders in which the list can be sorted. `attention` puts the sessions that need attention first, starting with
 * the one that has waited longest. `for` starts with the session that has been in its state longest. All other orders
 * start with the newest session.
 */
export const SORT_KEYS = ['attention', 'name', 'for', 'created', 'active', 'path'] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export function sortSessions<S extends ShortSession>(sessions: readonly S[], key: SortKey): S[] {
  if (key === 'attention') return sortByAttention(sessions);
  const by = (textOf: (session: S) => string, sign: 1 | -1) => (one: S, other: S) =>
    sign * compareTexts(textOf(one), textOf(other));
  // Times sent by the server sort correctly as strings.
  const orders: Readonly<Record<Exclude<SortKey, 'attention'>, (one: S, other: S) => number>> = {
    name: by(({ slug }) => slug.toLowerCase(), 1),
    for: by(({ status }) => status.since, 1),
    created: by((session) => session.created_at ?? '', -1),
    active: by((session) => session.last_activity ?? '', -1),
    path: by(({ path }) => path ?? '', 1),
  };
  return sessions.toSorted(orders[key]);
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

interface ListedTable<S> extends Pick<TableOptions, 'style' | 'width'> {
  sessions: readonly S[];
  reader: Reader;
  /** returns the heading above a group of adjacent sessions, or null if groups have no headings */
  headingOf: ((session: S) => string) | null;
}

export interface SessionTable extends ListedTable<Session> {
  /** the columns that the user named, which are always shown, or null for as many of the default columns as fit */
  columns: readonly ColumnName[] | null;
}

/** Returns a function that provides headings such as "Needs you", for a list sorted by attention. */
export function attentionHeadings(sessions: readonly ShortSession[]): (session: ShortSession) => string {
  const counts = countAttentions(sessions);
  return (session) => {
    const attention = attentionOf(session);
    return attentionHeading(attention, counts[attention]);
  };
}

/** Returns the lines of the table that `cbos ls` prints. */
export function sessionTable({ columns, ...list }: SessionTable): string[] {
  const usual = (): SessionColumn[] => USUAL_COLUMNS.map((name) => COLUMNS[name]);
  return listedTable(list, columns?.map((name) => alwaysShown(COLUMNS[name])) ?? usual());
}

/** Returns the lines of a table that needs only `SHORT_FIELDS`. */
export function shortTable(list: ListedTable<ShortSession>): string[] {
  return listedTable(list, Object.values<SessionColumn<ShortSession>>(SHORT_COLUMNS).map(alwaysShown));
}

function listedTable<S extends ShortSession>(
  { sessions, reader, headingOf, style, width }: ListedTable<S>,
  columns: readonly SessionColumn<S>[],
): string[] {
  const shown = [ICON, ...columns];
  const rows = sessions.map((session) => shown.map((column) => column.cell(session, reader)));
  const [titles = '', ...lines] = renderTable({ columns: shown, rows, style, width });
  if (headingOf === null) return [titles, ...lines];
  const headings = sessions.map(headingOf);
  const grouped = lines.flatMap((line, index) => {
    const heading = headings[index] ?? '';
    return headings[index - 1] === heading ? [line] : [style('bold', heading), line];
  });
  return [titles, ...grouped];
}

function alwaysShown<S>({ worth: _, isExtra: __, ...column }: SessionColumn<S>): SessionColumn<S> {
  return column;
}

function saysOf(session: ShortSession): string {
  if (!session.adopted) return cleanLine(`only observed; cbos adopt ${session.screen_id ?? ''}`);
  const lost = lostText(session) === '' ? '' : `${lostText(session)}; cbos restore`;
  const parts = [lost, blockedText(session), recordingText(session), queueText(session), sessionGist(session)];
  return cleanLine(parts.filter(Boolean).join('; '));
}

/** Returns text such as `5m 12s ago`, or an empty string if the time is unknown. */
export function agoText(timestamp: string | null, now: number): string {
  const span = formatSince(timestamp, now);
  return span === '' ? '' : `${span} ago`;
}
