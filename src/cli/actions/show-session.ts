import { type Because, CatalogueError, openQuestions, placeOf, type Session } from '../../protocol/index.ts';
import { blockedText } from '../../text/blocked-words.ts';
import { overBudgetText } from '../../text/budget-words.ts';
import { baseText, totalText } from '../../text/changes-words.ts';
import { formatSince } from '../../text/durations.ts';
import { contextText, dollarsText, linesText } from '../../text/figure-words.ts';
import { silentHooksText } from '../../text/hooks-words.ts';
import { LIMIT_OVER_TEXT, limitText } from '../../text/limit-words.ts';
import { memoryText } from '../../text/memory-words.ts';
import { keepsOther, missingText, sharedText } from '../../text/missing-words.ts';
import { pullRequestText } from '../../text/pull-request-words.ts';
import { lostText } from '../../text/restore-words.ts';
import {
  modelText,
  parkedText,
  pathText,
  queueText,
  recordingText,
  sessionGist,
  sessionIcon,
  sessionStyle,
  stateText,
} from '../../text/session-words.ts';
import { setUpText } from '../../text/set-up-words.ts';
import { cleanBlock, cleanLine } from '../../text/terminal-text.ts';
import type { CliContext } from '../context.ts';
import { readerOf } from '../list-reader.ts';
import { markLookedAt } from '../looked-at.ts';
import { nameLike } from '../name-like.ts';
import { openQuestionLines } from '../output/question-text.ts';
import { agoText, type Reader } from '../output/session-table.ts';
import { shownLines } from '../output/shown-lines.ts';

export interface ShowOptions {
  verbose?: boolean;
  json?: boolean;
}

/** Runs `cbos show`. */
export async function showSession(context: CliContext, slug: string, options: ShowOptions): Promise<void> {
  const session = await findSession(context, slug, options.json === true);
  if (options.json === true) {
    context.out.json(session);
    return;
  }
  const reader = await readerOf(context, [session]);
  const before = await memoriesOf(context, session);
  printSession(context, session, { ...reader, before, isVerbose: options.verbose === true });
  await markLookedAt(context, session);
}

/** Finds a session by name. For a user, the name may differ in case. For a program, the name must match exactly. */
async function findSession(context: CliContext, slug: string, isExact: boolean): Promise<Session> {
  const client = await context.client();
  try {
    return await client.call('getSession', { params: { slug } });
  } catch (error) {
    if (isExact || !(error instanceof CatalogueError) || error.code !== 'no_such_session') throw error;
    const sessions = await client.call('listSessions');
    const like = nameLike(slug, sessions);
    if (like === null || like.toLowerCase() !== slug.toLowerCase()) throw error;
    return client.call('getSession', { params: { slug: like } });
  }
}

/** Returns how the user answered each open question in the past, by the question's id. */
async function memoriesOf(context: CliContext, { slug, status }: Session): Promise<ReadonlyMap<string, string>> {
  // Earlier answers for a session on another machine are stored on that machine.
  const open = slug.includes('/') ? [] : openQuestions(status).flatMap(({ id }) => id ?? []);
  const client = await context.client();
  const memoryOf = async (id: string): Promise<[string, string]> => {
    try {
      const memory = await client.call('questionMemory', { params: { slug }, query: { question_id: id } });
      return [id, memory.question_id === id ? memoryText(memory) : ''];
    } catch (error) {
      // Either the question is no longer open, or an older server does not support this request.
      if (error instanceof CatalogueError) return [id, ''];
      throw error;
    }
  };
  return new Map(await Promise.all(open.map(memoryOf)));
}

type Shown = Reader & { isVerbose: boolean; before: ReadonlyMap<string, string> };

function printSession({ out }: CliContext, session: Session, reader: Shown): void {
  const { status } = session;
  const heading = out.style('bold', `${sessionIcon(session)} ${session.slug}`);
  const state = out.style(sessionStyle(session), stateText(session));
  const since = formatSince(status.since, reader.now);
  // A snooze has a start time of its own, which differs from that of the session's state.
  const does = session.snoozed == null ? '' : `: ${stateText({ ...session, snoozed: null })}`;
  out.line(`${heading}  ${state}${does} for ${since}`);
  if (status.question !== null) {
    out.line();
    out.lines(openQuestionLines(session.slug, status, reader.before));
    out.line();
  }
  for (const [name, value] of [...facts(session, reader), ...(reader.isVerbose ? details(session, reader) : [])]) {
    if (value !== '') out.line(`  ${out.style('dim', name.padEnd(FACT_WIDTH))}${value}`);
  }
  // If a dialog is open, its screen would only repeat what is shown above.
  const screen = cleanBlock(session.buffer_tail ?? '').trimEnd();
  if (screen !== '' && (reader.isVerbose || status.question === null)) {
    out.line();
    out.lines(shownLines(out, screen.split('\n')));
  }
}

const FACT_WIDTH = 12;

type Fact = readonly [name: string, value: string];

function missingCure(session: Session): string {
  const { slug } = session;
  return keepsOther(session)
    ? `cbos stop and cbos restart ${slug} try again, cbos restart ${slug} --new-conversation keeps the new one`
    : `cbos restart ${slug} --new-conversation begins a new one`;
}

/** Returns lines about the session's task, and about anything that blocks the session. */
function facts(session: Session, { home, branchOf, modelOf }: Reader): Fact[] {
  const { status, adopted, path } = session;
  const missing = missingText(session);
  const { place } = session;
  const branch = cleanLine(branchOf(placeOf(session) ?? ''));
  const withBranch = (folder: string): string => (branch === '' ? folder : `${folder} (${branch})`);
  return [
    ['path', place === undefined ? withBranch(pathText(path, home)) : pathText(path, home)],
    ['place', place === undefined ? '' : withBranch(pathText(place, home))],
    ['worktree', worktreeText(session, home)],
    ['set-up', setUpText(session)],
    ['port', session.worktree?.port === undefined ? '' : `${session.worktree.port} (CBOS_WORKTREE_PORT)`],
    ['request', pullRequestFact(session)],
    ['says', status.question === null ? sessionGist(session) : ''],
    // If no source reports what the session is doing, tell the user why and what to do about it.
    ['why', status.primary === null && status.because.source !== 'none' ? cleanLine(status.because.evidence) : ''],
    ['keys', status.primary === null ? '' : blockedText(session)],
    ['hooks', silentHooksText(session)],
    ['recording', recordingText(session)],
    ['missing', missing === '' ? '' : `${missing}; ${missingCure(session)}`],
    [
      'shared',
      session.also_open_in === undefined ? '' : `${sharedText(session)}; cbos stop ${session.slug} ends this one`,
    ],
    ['queue', queueText(session) === '' ? '' : `${queueText(session)}; cbos queue resume ${session.slug}`],
    ['parked', parkedText(session) === '' ? '' : `${parkedText(session)}; cbos wake ${session.slug}`],
    ['lost', lostText(session) === '' ? '' : `${lostText(session)}; cbos restore ${session.slug}`],
    ['health', status.health === 'ALIVE' ? '' : cleanLine(status.health)],
    ['observed', adopted ? '' : cleanLine(`started by another program; cbos adopt ${session.screen_id ?? ''}`)],
    ['model', [modelText(modelOf(session)), cleanLine(session.effort ?? '')].filter(isText).join(', ')],
    ['context', contextText(session.context)],
    ['cost', costText(session)],
    ['lines', linesText(session)],
    ['changes', changesText(session)],
    [
      'limit',
      session.limit_over_at === undefined
        ? limitText(session.rate_limit)
        : `${LIMIT_OVER_TEXT}; cbos continue ${session.slug}`,
    ],
    ['budget', session.over_budget === undefined ? '' : overBudgetText(session.over_budget)],
  ];
}

/** A session that was in a repository may have no figure, for example because somebody has removed `.git`. */
function changesText({ slug, changes, repository, worktree }: Session): string {
  if (changes !== undefined) return `${totalText(changes)} ${baseText(changes.base)}`;
  return repository === null || worktree?.finished !== undefined ? '' : `not counted; see cbos diff ${slug}`;
}

function details(session: Session, { now }: Reader): Fact[] {
  const { because } = session.status;
  const size = session.cols === null ? '' : `${session.cols}×${session.rows}`;
  const attached = session.attached === true ? 'attached' : null;
  return [
    ['because', because.source === 'none' ? 'no source has reported yet' : becauseText(because)],
    ['screen', [session.screen_id, size, attached].filter(isText).map(cleanLine).join(', ')],
    ['pid', session.pid === null ? '' : String(session.pid)],
    ['permissions', cleanLine(session.permission_mode ?? '')],
    ['claude', cleanLine(session.claude_session_id ?? '')],
    ['created', agoText(session.created_at, now)],
    ['active', agoText(session.last_activity, now)],
  ];
}

/** Returns the state and the URL of the session's pull request. */
function pullRequestFact(session: Session): string {
  const url = session.worktree?.pull_request?.url;
  return url === undefined ? '' : `${pullRequestText(session)}  ${cleanLine(url)}`;
}

/** Says which branch a worktree is on, its base, and the checkout it was created from. */
function worktreeText({ worktree, path }: Session, home: string | undefined): string {
  if (worktree === undefined) return '';
  const { branch, base, repository } = worktree;
  const way = base === null ? cleanLine(branch) : `${cleanLine(branch)}, from ${cleanLine(base)}`;
  const below = worktree.path === path ? '' : `, ${pathText(worktree.path, home)}`;
  const finished = worktree.finished === undefined ? '' : `; ${finishedText(worktree.finished)}`;
  return `${way}, of ${pathText(repository, home)}${below}${finished}`;
}

function finishedText({ into, saved }: NonNullable<NonNullable<Session['worktree']>['finished']>): string {
  const merged = into === null ? '' : `, merged into ${cleanLine(into)}`;
  return `finished${merged}: cbos recover ${cleanLine(saved)}`;
}

function becauseText({ source, rule, evidence }: Because): string {
  return cleanLine(`${[rule, evidence].filter(isText).join(': ')} (${source})`);
}

function costText({ cost_usd: cost, max_budget_usd: budget }: Session): string {
  if (cost === null) return '';
  return budget === null ? dollarsText(cost) : `${dollarsText(cost)} of $${budget}`;
}

function isText(part: string | null): part is string {
  return part !== null && part !== '';
}
