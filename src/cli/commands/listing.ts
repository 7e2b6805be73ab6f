import type { Command } from 'commander';
import { type Because, type Conversation, type Session, State, type StatusCounts } from '../../protocol/index.ts';
import { blockedText } from '../../text/blocked-words.ts';
import { formatSince } from '../../text/durations.ts';
import { recordingsLines } from '../../text/recording-words.ts';
import { pathText, queueText, recordingText, sessionIcon, sessionStyle, stateText } from '../../text/session-words.ts';
import { cleanBlock, cleanLine } from '../../text/terminal-text.ts';
import type { CliContext } from '../context.ts';
import { questionLines } from '../output/question-text.ts';
import { type Reader, SESSION_COLUMNS, sessionRow } from '../output/session-row.ts';
import { shownLines } from '../output/shown-lines.ts';
import { describe } from './command-help.ts';
import { readStateWord } from './option-values.ts';

interface JsonOption {
  json?: boolean;
}

/** `ls`, `show` and `status`. */
export function addListing(program: Command, context: CliContext): void {
  const { out } = context;

  describe(program.command('ls'), {
    group: 'looking',
    summary: 'list the sessions',
    more: 'In the order they were created. Words for --state: waiting, thinking, working, idle, error, dead, unknown, ready, stuck, or primary/detail as in waiting/permission.',
    examples: [
      ['cbos ls', 'all of them'],
      ['cbos ls --state waiting', 'those that wait for you'],
      ['cbos ls --all', "and Claude Code's conversations on this machine that are none of them"],
      ["cbos ls --json | jq -r '.[].slug'", 'for programs'],
    ],
  })
    .alias('list')
    .option('--state <state>', 'only those in this state', readStateWord)
    .option('--all', "also Claude Code's conversations on this machine that no session is")
    .option('--json', 'the REST body; with --all an object of both')
    .action(async (options: JsonOption & { state?: string; all?: boolean }) => {
      const client = await context.client();
      const query = options.state === undefined ? {} : { state: options.state };
      const sessions = await client.call('listSessions', { query });
      if (options.all === true) {
        const conversations = await client.call('conversations');
        if (options.json === true) out.json({ sessions, conversations });
        else printAll(context, sessions, conversations);
      } else if (options.json === true) out.json(sessions);
      else if (sessions.length > 0) printSessions(context, sessions);
      else if (options.state === undefined) out.notice('there is no session yet — cbos new NAME [PATH]');
      else out.notice(`no session is ${options.state} — cbos ls`);
    });

  describe(program.command('show'), {
    group: 'looking',
    summary: 'show one session: its status and why, its question with the commands that answer it, its screen',
    examples: [
      ['cbos show AUTH', 'everything about it'],
      ['cbos show AUTH --json | jq .status', 'for programs'],
    ],
  })
    .argument('<slug>', 'the session')
    .option('--json', 'the REST body')
    .action(async (slug: string, options: JsonOption) => {
      const client = await context.client();
      const session = await client.call('getSession', { params: { slug } });
      if (options.json === true) out.json(session);
      else printSession(context, session);
    });

  describe(program.command('status'), {
    group: 'looking',
    summary: 'count the sessions in each state, and say how the recordings are',
    more: 'Below the counts: what recordings take of the disk, which cannot be written, and what was dropped to stay within the settings.',
    examples: [
      ['cbos status', 'how many wait, work, have ended'],
      ['cbos status --json | jq .recordings.dropped', 'all that was dropped'],
      ['cbos status --json | jq .by_state.waiting', 'for a status bar'],
    ],
  })
    .option('--json', 'both REST bodies in one, /sessions/status and /recordings')
    .action(async (options: JsonOption) => {
      const client = await context.client();
      const [counts, recordings] = await Promise.all([client.call('countSessions'), client.call('recordings')]);
      if (options.json === true) {
        out.json({ ...counts, recordings });
        return;
      }
      printCounts(context, counts);
      out.line();
      out.lines(recordingsLines(recordings));
    });
}

/** The table of `cbos ls`, also what bare `cbos` shows. */
export function printSessions(context: CliContext, sessions: readonly Session[]): void {
  const reader = readerOf(context);
  context.out.table(
    SESSION_COLUMNS,
    sessions.map((session) => sessionRow(session, reader)),
  );
}

function printAll(context: CliContext, sessions: readonly Session[], conversations: readonly Conversation[]): void {
  const { out } = context;
  const { now, home } = readerOf(context);
  if (sessions.length > 0) {
    printSessions(context, sessions);
    if (conversations.length > 0) out.line();
  }
  if (conversations.length === 0) return;
  out.table(
    [
      { title: 'CONVERSATION' },
      { title: 'LAST', worth: 2 },
      { title: 'PATH', keeps: 'end', worth: 1 },
      { title: 'BEGAN WITH', keeps: 'start', worth: 3 },
    ],
    conversations.map(({ claude_session_id, path, title, last_activity, pid }) => [
      { text: cleanLine(claude_session_id), style: 'bold' },
      { text: pid === null ? ago(last_activity, now) : `open (${pid})` },
      { text: pathText(path, home), style: 'dim' },
      { text: cleanLine(title ?? '') },
    ]),
  );
  out.notice('cbos adopt --resume ID takes one over');
}

function printCounts({ out }: CliContext, counts: StatusCounts): void {
  const rows = State.options
    .map((state) => ({ state, count: counts.by_state[state] ?? 0 }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => [{ text: state }, { text: String(count) }]);
  out.table([{ title: 'STATE' }, { title: 'SESSIONS' }], [...rows, [{ text: 'all' }, { text: String(counts.total) }]]);
}

function printSession(context: CliContext, session: Session): void {
  const { out } = context;
  const reader = readerOf(context);
  const { status } = session;
  const heading = `${sessionIcon(session)} ${session.slug}`;
  const state = out.style(sessionStyle(session), stateText(session));
  out.line(`${out.style('bold', heading)}  ${state} for ${formatSince(status.since, reader.now)}`);
  for (const [name, value] of facts(session, reader)) {
    if (value !== '') out.line(`  ${out.style('dim', name.padEnd(FACT_WIDTH))}${value}`);
  }
  if (status.question !== null) {
    out.line();
    out.lines(questionLines(session.slug, status.question));
  }
  const screen = cleanBlock(session.buffer_tail ?? '').trimEnd();
  if (screen !== '') {
    out.line();
    out.lines(shownLines(out, screen.split('\n')));
  }
}

const FACT_WIDTH = 12;

function facts(session: Session, { now, home }: Reader): [name: string, value: string][] {
  const { status, adopted } = session;
  const { because } = status;
  const size = session.cols === null ? '' : `${session.cols}×${session.rows}`;
  return [
    ['path', pathText(session.path, home)],
    ['because', because.source === 'none' ? 'nothing tells yet' : becauseText(because)],
    ['keys', status.primary === null ? '' : blockedText(session)],
    ['recording', recordingText(session)],
    ['queue', queueText(session) === '' ? '' : `${queueText(session)}; cbos queue resume ${session.slug}`],
    ['health', status.health === 'ALIVE' ? '' : cleanLine(status.health)],
    ['observed', adopted ? '' : cleanLine(`started by something else; cbos adopt ${session.screen_id ?? ''}`)],
    [
      'screen',
      [session.screen_id, size, session.attached === true ? 'attached' : null].filter(isText).map(cleanLine).join(', '),
    ],
    ['pid', session.pid === null ? '' : String(session.pid)],
    ['model', cleanLine(session.model ?? '')],
    ['permissions', cleanLine(session.permission_mode ?? '')],
    ['cost', costText(session)],
    ['limit', limitText(session)],
    ['claude', cleanLine(session.claude_session_id ?? '')],
    ['created', ago(session.created_at, now)],
    ['active', ago(session.last_activity, now)],
  ];
}

function becauseText({ source, rule, evidence }: Because): string {
  return cleanLine(`${[rule, evidence].filter(isText).join(': ')} (${source})`);
}

function costText({ cost_usd: cost, max_budget_usd: budget }: Session): string {
  if (cost === null) return '';
  return budget === null ? `$${cost.toFixed(2)}` : `$${cost.toFixed(2)} of $${budget}`;
}

/** Worth a line only where it stands in the way, or is about to. */
function limitText({ rate_limit: limit }: Session): string {
  if (limit === null || limit.status === 'allowed') return '';
  const kind = (limit.kind ?? 'usage').replaceAll('_', ' ');
  const said = LIMIT_WORDS.get(limit.status) ?? limit.status.replaceAll('_', ' ');
  const used = limit.utilization === null ? '' : ` (${Math.round(limit.utilization * 100)} %)`;
  return cleanLine(`${kind} limit ${said}${used}${limit.resets_at === null ? '' : `, resets at ${limit.resets_at}`}`);
}

const LIMIT_WORDS: ReadonlyMap<string, string> = new Map([
  ['allowed_warning', 'nearly reached'],
  ['rejected', 'reached'],
]);

function isText(part: string | null): part is string {
  return part !== null && part !== '';
}

function ago(timestamp: string | null, now: number): string {
  const span = formatSince(timestamp, now);
  return span === '' ? '' : `${span} ago`;
}

function readerOf({ io }: CliContext): Reader {
  return { now: io.now(), home: io.env.HOME };
}
