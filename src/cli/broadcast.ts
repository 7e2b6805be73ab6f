import { EXIT } from '../protocol/index.ts';
import { broadcastLine } from '../text/delivery-text.ts';
import { CommandError } from './command-error.ts';
import type { CliContext } from './context.ts';
import { readText } from './text-argument.ts';

/** What `cbos send` was told, where it was told to send to several sessions. */
export interface BroadcastOptions {
  all?: boolean;
  state?: string;
  command?: boolean;
  queue?: boolean;
  force?: boolean;
  wait?: boolean;
  timeout?: number;
  json?: boolean;
}

export function isBroadcast({ all, state }: BroadcastOptions): boolean {
  return all === true || state !== undefined;
}

/**
 * Sends one text to all sessions, or to those in a state, and prints what became of it in each. The exit code is 4 when one
 * did not get it.
 * @throws CommandError wrong usage: nothing was sent
 */
export async function broadcast(
  context: CliContext,
  words: readonly string[],
  options: BroadcastOptions,
): Promise<void> {
  const { out } = context;
  assertOptions(words, options);
  const client = await context.client();
  await assertNoSlug(context, words);
  const results = await client.call('broadcast', {
    body: {
      text: await readText(context, words, 'cbos send'),
      ...(options.state === undefined ? { all: true } : { state: options.state }),
      ...(options.command === true ? { command: true } : {}),
      ...(options.queue === true ? { queue: true } : {}),
    },
  });
  if (results.some(({ error }) => error !== undefined)) context.exitCode = EXIT.refused;
  if (options.json === true) out.json(results);
  else if (results.length > 0) out.lines(results.map(broadcastLine));
  else out.notice(`nobody got it: no session is ${options.state ?? 'there to talk to'} — cbos ls`);
}

function assertOptions(words: readonly string[], options: BroadcastOptions): void {
  if (options.all === true && options.state !== undefined) throw usage('--all and --state exclude each other');
  for (const name of ['force', 'wait', 'timeout'] as const) {
    const value = options[name];
    if (value !== undefined && value !== false) throw usage(`--${name} is for one session, and this goes to several`);
  }
  if (words.length === 0) throw usage("Missing required argument 'text'");
}

/**
 * `cbos send AUTH hello --all` would send "AUTH hello" to everybody. A first word that is a session's name was meant as one;
 * in quotes, as a part of a longer argument, it is text.
 */
async function assertNoSlug(context: CliContext, words: readonly string[]): Promise<void> {
  const client = await context.client();
  const sessions = await client.call('listSessions');
  const named = sessions.find(({ slug }) => slug === words[0]);
  if (named === undefined) return;
  throw new CommandError(
    `${named.slug} is a session, and --all and --state name no further one`,
    'leave one of them out, or put the whole text in quotes',
    EXIT.usage,
  );
}

function usage(message: string): CommandError {
  return new CommandError(message, 'cbos send --help', EXIT.usage);
}
