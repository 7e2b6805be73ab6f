import { EXIT, matchesSelector, type Session, type SessionSelector } from '../protocol/index.ts';
import { broadcastLine } from '../text/delivery-text.ts';
import { someSessions } from '../text/name-list.ts';
import { farSessions, sendFar } from './broadcast-far.ts';
import { UsageError } from './command-error.ts';
import { isConfirmed } from './confirm.ts';
import type { CliContext } from './context.ts';
import { type SelectorOptions, selectorOf, selectorText } from './selectors.ts';
import { readText } from './text-argument.ts';

/** The options of `cbos send` for sending to several sessions. */
export interface BroadcastOptions extends SelectorOptions {
  all?: boolean;
  fleet?: boolean;
  command?: boolean;
  queue?: boolean;
  force?: boolean;
  wait?: boolean;
  timeout?: number;
  yes?: boolean;
  json?: boolean;
}

/**
 * Sends the same prompt to all sessions, or to the selected ones, and prints the outcome for each. With `--fleet`, this
 * includes the sessions on other machines. The prompt goes only to sessions that already existed when the user was
 * asked for confirmation. The exit code is 4 if any of them did not receive it.
 * @throws CommandError on wrong usage, before anything is sent
 */
export async function broadcast(
  context: CliContext,
  words: readonly string[],
  options: BroadcastOptions,
): Promise<void> {
  const { out } = context;
  assertOptions(words, options);
  const text = await readText(context, words, 'cbos send');
  const client = await context.client();
  const sessions = await client.call('listSessions');
  assertNoSlug(sessions, words);
  const selector = selectorOf(context, options);
  const far = options.fleet === true ? receivers(await farSessions(context), selector) : [];
  const near = receivers(sessions, selector);
  const slugs = [...near, ...far];
  if (slugs.length === 0) {
    if (options.json === true) out.json([]);
    else out.notice(`nothing was sent: no session is ${selectorText(selector) || 'able to take a prompt'} — cbos ls`);
    return;
  }
  const question = `Send this to ${someSessions(slugs)}?`;
  if (options.yes !== true && !(await isConfirmed(context, question, 'nothing was sent'))) return;
  const body = {
    text,
    ...(options.command === true ? { command: true } : {}),
    ...(options.queue === true ? { queue: true } : {}),
  };
  const results = [
    ...(near.length === 0 ? [] : await client.call('broadcast', { body: { ...body, slugs: near } })),
    ...(await sendFar(context, far, body)),
  ];
  if (results.some(({ error }) => error !== undefined)) context.exitCode = EXIT.refused;
  if (options.json === true) out.json(results);
  else out.lines(results.map(broadcastLine));
}

/** Returns the sessions to which a prompt can be sent, which excludes sessions that are dead or only observed. */
function receivers(sessions: readonly Session[], selector: SessionSelector): string[] {
  return sessions
    .filter((session) => session.adopted && session.status.primary !== 'dead')
    .filter((session) => matchesSelector(session, selector))
    .map(({ slug }) => slug);
}

function assertOptions(words: readonly string[], options: BroadcastOptions): void {
  const selecting = (['state', 'tag', 'repo'] as const).find((name) => options[name] !== undefined);
  if (options.all === true && selecting !== undefined) throw usage(`--all and --${selecting} cannot be combined`);
  for (const name of ['force', 'wait', 'timeout'] as const) {
    const value = options[name];
    if (value !== undefined && value !== false)
      throw usage(`--${name} works only for one session, but several are named`);
  }
  if (words.length === 0) throw usage("Missing required argument 'text'");
}

/**
 * Rejects a prompt whose first word is the name of a session, because `cbos send AUTH hello --all` would otherwise send
 * "AUTH hello" to every session. Inside a longer quoted argument, the name is just text.
 */
function assertNoSlug(sessions: readonly Session[], words: readonly string[]): void {
  const named = sessions.find(({ slug }) => slug === words[0]);
  if (named === undefined) return;
  throw new UsageError(
    `${named.slug} is a session, and a name cannot be combined with --all, --state, --tag or --repo`,
    'leave one of them out, or put the whole prompt in quotes',
  );
}

function usage(message: string): UsageError {
  return new UsageError(message, 'cbos send --help');
}
