import type { Command } from 'commander';
import {
  CatalogueError,
  isSelective,
  type Session,
  STASH_WHENS,
  type StashedResponse,
  type StashWhen,
} from '../../protocol/index.ts';
import { formatSince } from '../../text/durations.ts';
import { firstLine } from '../../text/session-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { UsageError } from '../command-error.ts';
import type { CliContext } from '../context.ts';
import { forEach } from '../for-each.ts';
import type { Cell } from '../output/table.ts';
import { chosenSessions, mayActOnSeveral, type SelectorOptions, selectorOf } from '../selectors.ts';
import { readText } from '../text-argument.ts';
import { withoutUndefined } from '../without-undefined.ts';
import { describe, type JsonOption } from './command-help.ts';
import { addSelectors } from './selector-options.ts';

interface AddOptions extends JsonOption, SelectorOptions {
  yes?: boolean;
  queue?: boolean;
  when?: StashWhen;
  question?: string;
}

/** Adds `draft` and its subcommands. The command was formerly called `stash`. */
export function addDrafting(program: Command, context: CliContext): void {
  addDrafts(program.command('draft'), context);
  addDrafts(program.command('stash', { hidden: true }), context);
}

function addDrafts(draft: Command, context: CliContext): void {
  const { out } = context;
  describe(draft, {
    group: 'talking',
    summary: 'keep drafts: replies to send later',
    more: 'You send a draft yourself, unless you use --queue: CBOS then sends the draft as soon as the session accepts a prompt, which may be immediately. Drafts are sent oldest first, one per turn. Each draft is sent at most once. You can shorten an id as long as it is unambiguous.',
    examples: [
      ['cbos draft', 'list the drafts'],
      ["cbos draft add AUTH 'now the docs'", 'keep a draft'],
      ["cbos draft add AUTH 'now the docs' --queue", 'send the draft automatically when the turn ends'],
      [
        "cbos draft add --tag night 'now the docs' --queue",
        'keep a draft for every session with the tag, after you confirm',
      ],
      ['cbos draft send 3f2a', 'send a draft now'],
      ['cbos draft rm 3f2a', 'delete a draft'],
    ],
  });

  draft
    .command('ls', { isDefault: true })
    .summary('list the drafts')
    .description('List the drafts, oldest first, including those already sent.')
    .option('--json', 'print the API response as JSON')
    .action(async (options: JsonOption) => {
      const client = await context.client();
      const replies = await client.call('listStash');
      if (options.json === true) out.json(replies);
      else if (replies.length === 0) out.notice("no drafts yet — cbos draft add NAME 'a reply'");
      else printReplies(context, replies);
    });

  const add = draft.command('add');
  add
    .summary('keep a draft for a session')
    .description('Keep a draft for a session. Put -- before text that starts with a dash.')
    .usage(
      '[options] <name> <text...>\n       cbos draft add [options] --state <state>|--tag <tag>|--repo <name> <text...>',
    )
    .argument('[name]', 'the session')
    .argument('[text...]', 'the reply; - reads standard input');
  addSelectors(add, 'for')
    .option('--queue', 'send it automatically as soon as the session accepts a prompt')
    .option('-y, --yes', 'with --queue for several sessions: do not ask for confirmation')
    .addOption(
      add
        .createOption('--when <when>', 'the former name of --queue; its only value is next_waiting')
        .choices(STASH_WHENS)
        .hideHelp(),
    )
    .option('--question <text>', 'the question that the reply answers; default: the open question')
    .option('--json', 'print the API response as JSON; for several sessions, one line each')
    .action((name: string | undefined, words: string[], options: AddOptions) => keep(context, name, words, options));

  draft
    .command('send')
    .alias('apply')
    .summary('send a draft now')
    .description('Send a draft to its session now.')
    .argument('<id>', 'the draft')
    .option('--json', 'print the API response as JSON')
    .action(async (given: string, options: JsonOption) => {
      const client = await context.client();
      const id = await findId(context, given);
      const reply = await client.call('applyStash', { params: { id } });
      out.result(options.json, reply, cleanLine(`Sent to ${reply.session_slug}: ${firstLine(reply.response)}`));
    });

  draft
    .command('rm')
    .summary('delete a draft')
    .description('Delete a draft.')
    .argument('<id>', 'the draft')
    .option('--json', 'print the API response as JSON')
    .action(async (given: string, options: JsonOption) => {
      const client = await context.client();
      const id = await findId(context, given);
      const reply = await client.call('removeStash', { params: { id } });
      out.result(options.json, reply, cleanLine(`deleted: ${firstLine(reply.response)}`));
    });
}

/** Stores the draft for a session, or for each selected session. */
async function keep(
  context: CliContext,
  name: string | undefined,
  words: string[],
  { queue, when: given, question, json, yes, ...options }: AddOptions,
): Promise<void> {
  const { out } = context;
  const isSelected = isSelective(selectorOf(context, options));
  // If sessions are selected by options, none is named, so the first word is part of the draft.
  const typed = isSelected && name !== undefined ? [name, ...words] : words;
  if (typed.length === 0) throw new UsageError("Missing required argument 'text'", 'cbos draft add --help');
  const names = isSelected || name === undefined ? [] : [name];
  const { slugs, selected } = await chosenSessions(context, { names, options, command: 'draft add', fits: takesTexts });
  const response = await readText(context, typed, 'cbos draft');
  const when = queue === true ? 'next_waiting' : given;
  // A draft that will be sent to several sessions automatically counts as a broadcast.
  const isSent = selected && when === 'next_waiting';
  if (!(await mayActOnSeveral(context, { slugs, selected: isSent, verb: 'Queue this for', yes }))) return;
  const client = await context.client();
  await forEach(context, slugs, async (slug) => {
    const body = { session_slug: slug, response, ...withoutUndefined({ when, question }) };
    const reply = await client.call('addStash', { body });
    if (json !== true) out.line(keptLine(reply));
    else if (selected) out.jsonLine(reply);
    else out.json(reply);
  });
}

function takesTexts({ adopted, status }: Session): boolean {
  return adopted && status.primary !== 'dead';
}

const WHEN_WORDS: Readonly<Record<StashWhen, string>> = { manual: 'by hand', next_waiting: 'queued' };

/**
 * How many characters of an id each row shows. Ids are random, so this is enough to tell hundreds of drafts apart and
 * short enough to type.
 */
const SHORT_ID = 8;

function printReplies({ out, io }: CliContext, replies: readonly StashedResponse[]): void {
  const now = io.now();
  out.table(
    [
      { title: 'ID' },
      { title: 'NAME', keeps: 'both ends' },
      { title: 'WHEN', worth: 3 },
      { title: 'AGE', worth: 2 },
      { title: 'SENT' },
      { title: 'QUESTION', keeps: 'start', worth: 1 },
      { title: 'REPLY', keeps: 'start' },
    ],
    replies.map((reply): Cell[] => [
      { text: cleanLine(reply.id.slice(0, SHORT_ID)), style: reply.applied ? 'dim' : 'bold' },
      { text: cleanLine(reply.session_slug) },
      { text: WHEN_WORDS[reply.when] ?? cleanLine(reply.when) },
      { text: formatSince(reply.created_at, now) },
      { text: reply.applied ? `${formatSince(reply.applied_at, now)} ago` : '' },
      { text: shorten(firstLine(reply.question ?? '')), style: 'dim' },
      { text: firstLine(reply.response) },
    ]),
  );
}

/**
 * How many characters of a question each row shows. That is enough to recognize the question, and the reply next to it
 * says more.
 */
const QUESTION_LENGTH = 40;

function shorten(text: string): string {
  return text.length <= QUESTION_LENGTH ? text : `${text.slice(0, QUESTION_LENGTH - 1)}…`;
}

function keptLine({ id, session_slug, when }: StashedResponse): string {
  const short = id.slice(0, SHORT_ID);
  return cleanLine(
    when === 'manual'
      ? `Kept for ${session_slug}; send it with cbos draft send ${short}`
      : `Kept as ${short}; CBOS sends it as soon as ${session_slug} accepts a prompt`,
  );
}

/**
 * Finds the id that begins with what the user typed. @throws CatalogueError no_such_stash; CommandError if several ids
 * match
 */
async function findId(context: CliContext, given: string): Promise<string> {
  const client = await context.client();
  const replies = await client.call('listStash');
  const fitting = replies.filter(({ id }) => given !== '' && id.startsWith(given));
  const [first, second] = fitting;
  if (first === undefined) throw new CatalogueError('no_such_stash', `No draft has the id ${JSON.stringify(given)}`);
  if (second === undefined || first.id === given) return first.id;
  throw new UsageError(`${JSON.stringify(given)} matches ${fitting.length} drafts`, 'type more characters of the id');
}
