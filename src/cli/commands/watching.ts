import type { Command } from 'commander';
import type { Caller, SessionView } from '../../client/index.ts';
import {
  CatalogueError,
  EXIT,
  hasFailed,
  matchesState,
  parseStateSelector,
  type Session,
  type StateSelector,
} from '../../protocol/index.ts';
import { formatClock } from '../../text/durations.ts';
import { interruptedText } from '../../text/end-words.ts';
import { sessionGist, sessionIcon, sessionLine, sessionStyle, stateText } from '../../text/session-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { commandFailure, isCommandOver, isNew } from '../command-end.ts';
import { CommandError } from '../command-error.ts';
import type { CliContext } from '../context.ts';
import { type Ending, followStream } from '../follow-stream.ts';
import { chosenSessions, type SelectorOptions } from '../selectors.ts';
import { changesBetween, type SessionChange } from '../view-changes.ts';
import { describe } from './command-help.ts';
import { readSeconds, readStateWord } from './option-values.ts';
import { addSelectors } from './selector-options.ts';

/**
 * How long `wait` waits for a server that has gone away: longer than any restart takes, but not forever. Otherwise a
 * script would hang if someone stopped the server for the night.
 */
const LOST_SERVER_MS = 60_000;

/** How often to ask whether a new session has carried out a slash command, which need not change its status. */
const ASK_EVERY_MS = 1_000;

interface WaitOptions {
  for: string;
  any?: boolean;
  timeout?: number;
  json?: boolean;
}

/** Adds `watch` and `wait`. */
export function addWatching(program: Command, context: CliContext): void {
  describe(program.command('watch'), {
    group: 'looking',
    summary: 'print status changes as they happen, one per line',
    more: 'Ctrl-C ends it. The command reconnects when the server restarts.',
    examples: [
      ['cbos watch', 'watch all sessions, including those created later'],
      ['cbos watch AUTH DOCS', 'these'],
      ['cbos watch --jq \'select(.type == "session_state") | .session\'', 'print the names of sessions as they change'],
    ],
  })
    .argument('[name...]', 'only these sessions')
    .option('--json', 'JSON lines, the frames of /ws/stream')
    .action(async (slugs: string[], options: { json?: boolean }) => {
      context.exitCode = await watch(context, slugs, options.json === true);
    });

  const waiting = describe(program.command('wait'), {
    group: 'looking',
    summary: 'wait until sessions are in a state, for use in scripts',
    more: 'With several sessions, each must reach the state once; with --any, one is enough. The exit code is 6 on timeout, and 1 if a session stops first. If the command waits for the end of a turn (`waiting` or `done`) and the turn fails or is interrupted, also by the end of the session, the exit code is 1, too, with the error.\nSessions on other machines in the fleet, each named machine/NAME, can be mixed with sessions on this machine. The command fails once a machine has been unreachable for a minute.',
    examples: [
      ['cbos wait AUTH', 'wait until AUTH needs you or is done'],
      ['cbos wait AUTH --for ready --timeout 600', 'wait until AUTH accepts a prompt, for at most ten minutes'],
      ['cbos wait AUTH DOCS --any --for waiting/permission', 'wait until one of them asks for permission'],
      ['cbos wait AUTH build1/DOCS --for done', 'wait for a session here and for one on the machine build1'],
      ['cbos wait --tag night --for done', 'wait until every session that now has the tag has been done once'],
    ],
  }).argument('[name...]', 'the sessions');
  addSelectors(waiting, 'for')
    .option('-f, --for <state>', 'the state: a word listed by `cbos ls --help`', readStateWord, 'waiting')
    .option('--any', 'wait for only one of the sessions')
    .option('-t, --timeout <seconds>', 'give up after this time', readSeconds)
    .option('--json', 'print each session that reaches the state, as a JSON line')
    .action(async (names: string[], options: WaitOptions & SelectorOptions) => {
      if (names.some((name) => name.includes('/'))) {
        context.exitCode = await waitElsewhere(context, names, options);
        return;
      }
      const { slugs } = await chosenSessions(context, { names, options, command: 'wait' });
      if (slugs.length > 0) context.exitCode = await wait(context, slugs, options);
    });
}

function watch(context: CliContext, slugs: readonly string[], isJson: boolean): Promise<number> {
  const { out, io } = context;
  const watched = new Set(slugs);
  let before: SessionView | null = null;

  return followStream(context, { interruptedCode: EXIT.done }, () => ({
    onFrame(frame, view) {
      const after = view();
      if (before === null) {
        if (frame.type !== 'sessions') return;
        requireListed(slugs, after);
        before = after;
        return;
      }
      for (const change of changesBetween(before, after, frame)) {
        if (watched.size > 0 && !watched.has(change.slug)) continue;
        if (change.session !== null && watched.delete(change.slug)) watched.add(change.session.slug);
        if (isJson) out.jsonLine(change.frame);
        else out.line(changeLine(context, change, formatClock(io.now())));
      }
      before = after;
    },
  }));
}

/** Formats a change as `15:04:05 ○ AUTH asks permission Bash: npm test`. */
function changeLine({ out }: CliContext, { frame, slug, session }: SessionChange, clock: string): string {
  const line = (icon: string, ...parts: string[]): string =>
    [out.style('dim', clock), `${icon} ${out.style('bold', cleanLine(slug))}`, ...parts].filter(Boolean).join('  ');
  if (session === null) return line('-', 'archived' in frame && frame.archived === true ? 'archived' : 'deleted');
  if (frame.type === 'session_renamed') return line('=', `is now ${cleanLine(session.slug)}`);
  const style = sessionStyle(session);
  const health = session.status.health === 'RECOVERED' ? ' (recovered)' : '';
  const added = frame.type === 'session_added' ? 'added: ' : '';
  return line(
    out.style(style, sessionIcon(session)),
    out.style(style, `${added}${stateText(session)}${health}`),
    sessionGist(session) || cleanLine(session.status.because.evidence),
  );
}

async function wait(context: CliContext, slugs: readonly string[], options: WaitOptions): Promise<number> {
  const { out } = context;
  const client = await context.client();
  const selector = selectorOf(options.for);
  const isAny = options.any === true;
  /** the current names of the sessions that do not match yet */
  const pending = new Set(slugs);
  /** the sessions that are new although a slash command has ended in them */
  const ended = new Set<string>();
  const failures: Failure[] = [];
  const reached: Session[] = [];
  let isFirst = true;
  let isEnding = false;
  let ending: Ending | null = null;
  let current: () => SessionView = () => new Map();

  const follow = {
    giveUpAfterMs: LOST_SERVER_MS,
    ...(options.timeout === undefined ? {} : { timeoutSeconds: options.timeout }),
    onTimeout() {
      const names = [...pending].join(', ');
      const error = new CatalogueError(
        'timed_out',
        `${names} did not reach the state ${options.for} within ${options.timeout} s`,
      );
      ending?.fail(error);
    },
  };
  const look = (end: Ending): void => {
    const now = current();
    if (isEnding) return;
    for (const slug of [...pending]) {
      const session = now.get(slug);
      if (session === undefined) continue;
      const failure = failureOf(session, selector);
      if (failure === null && !isIn(session, selector) && !(ended.has(slug) && isNew(session))) continue;
      pending.delete(slug);
      reached.push(session);
      if (failure !== null) failures.push({ slug, error: failure, isInterrupt: session.status.interrupted === true });
      if (options.json === true) out.jsonLine(session);
      else out.line(sessionLine(session));
      if (isAny) break;
    }
    if (pending.size === 0 || (isAny && pending.size < slugs.length)) {
      isEnding = true;
      firstFailure(client, failures, isEndOfTurn(selector) ? reached : []).then(
        (error) => (error === null ? end.finish(EXIT.done) : end.fail(error)),
        (cause: unknown) => end.fail(cause),
      );
      return;
    }
    const lost = [...pending].filter((slug) => isOver(now.get(slug)));
    if (lost.length > 0 && (!isAny || lost.length === pending.size)) end.fail(overError(lost, now, options.for));
  };
  const askForCommands = async (): Promise<void> => {
    for (const [slug, session] of current()) {
      if (!pending.has(slug) || !isNew(session)) continue;
      // The stream waits for a lost server, and ends the command if the server does not come back.
      if (await isCommandOver(client, slug).catch(() => false)) ended.add(slug);
    }
    if (ended.size > 0 && ending !== null) look(ending);
  };
  const asking = isEndOfTurn(selector) ? setInterval(() => void askForCommands(), ASK_EVERY_MS) : undefined;
  return followStream(context, follow, (end) => {
    ending = end;
    return {
      onFrame(frame, view) {
        current = view;
        if (isFirst) {
          if (frame.type !== 'sessions') return;
          requireListed(slugs, view());
          isFirst = false;
        }
        if (frame.type === 'session_renamed' && pending.delete(frame.session)) pending.add(frame.slug);
        look(end);
      },
    };
  }).finally(() => clearInterval(asking));
}

/** A session whose turn has failed or was interrupted. */
interface Failure {
  slug: string;
  error: CommandError;
  isInterrupt: boolean;
}

/** Returns the first error, or null if all turns were interrupted before the last prompt, and no command failed. */
async function firstFailure(
  client: Caller,
  failures: readonly Failure[],
  reached: readonly Session[],
): Promise<CommandError | null> {
  const { isInterruptEarlier } = await import('../earlier-interrupt.ts');
  for (const { slug, error, isInterrupt } of failures) {
    if (!isInterrupt || !(await isInterruptEarlier(client, slug))) return error;
  }
  for (const session of reached) {
    const failure = await commandFailure(client, session);
    if (failure !== null) return failure;
  }
  return null;
}

async function waitElsewhere(context: CliContext, slugs: readonly string[], options: WaitOptions): Promise<number> {
  const { out } = context;
  const { waitRemote } = await import('../wait-remote.ts');
  return waitRemote(context, {
    slugs,
    selector: selectorOf(options.for),
    state: options.for,
    isAny: options.any === true,
    timeoutSeconds: options.timeout,
    failureOf,
    isEndOfTurn: isEndOfTurn(selectorOf(options.for)),
    onReached: (session) => {
      if (options.json === true) out.jsonLine(session);
      else out.line(sessionLine(session));
    },
  });
}

/** Snoozing has no effect here, because a script waits for what the session does, not for what the user is shown. */
function isIn(session: Session, selector: StateSelector): boolean {
  const isOfPerson = selector.kind === 'unread' || (selector.kind === 'attention' && selector.attention === 'snoozed');
  return matchesState(isOfPerson ? session : { ...session, snoozed: null }, selector);
}

/**
 * Returns the error for a session whose turn failed or was interrupted, or null if a script may wait for more. Such
 * a session neither asks anything nor is it done, so a script that waits for that would wait forever.
 */
export function failureOf(session: Session, selector: StateSelector): CommandError | null {
  const { slug, status } = session;
  if (!isEndOfTurn(selector) || status.primary !== 'idle') return null;
  if (hasFailed(status))
    return new CommandError(`The turn of ${slug} failed: ${cleanLine(status.because.evidence)}`, `cbos show ${slug}`);
  if (status.interrupted === true) return new CommandError(`The turn of ${slug} was interrupted`, `cbos show ${slug}`);
  if (session.interrupted_at === undefined) return null;
  return new CommandError(`${slug}: ${interruptedText(session)}`, `cbos show ${slug}`);
}

/** Reports whether a script waits for the end of a turn, however the turn ends. */
const isEndOfTurn = (selector: StateSelector): boolean =>
  (selector.kind === 'state' && selector.state === 'waiting') ||
  (selector.kind === 'attention' && selector.attention === 'done');

/** Reports whether there is no point in waiting for a session any longer, because it has died or been deleted. */
function isOver(session: Session | undefined): boolean {
  return session === undefined || session.status.primary === 'dead';
}

function overError(lost: readonly string[], view: SessionView, state: string): CommandError {
  const [slug = ''] = lost;
  return view.has(slug)
    ? new CommandError(
        `${slug} stopped before it reached the state ${state}`,
        `cbos restart ${slug} continues its conversation`,
      )
    : new CommandError(`${slug} was deleted before it reached the state ${state}`, 'cbos ls');
}

function selectorOf(word: string): StateSelector {
  const selector = parseStateSelector(word);
  if (selector === null) throw new Error(`the option parser accepted ${word}`);
  return selector;
}

function requireListed(slugs: readonly string[], view: SessionView): void {
  const missing = slugs.find((slug) => !view.has(slug));
  if (missing !== undefined)
    throw new CatalogueError('no_such_session', `No session is named ${JSON.stringify(missing)}`);
}
