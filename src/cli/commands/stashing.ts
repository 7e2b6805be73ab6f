import type { Command } from 'commander';
import { CatalogueError, EXIT, type StashedResponse, StashWhen } from '../../protocol/index.ts';
import { formatSince } from '../../text/durations.ts';
import { firstLine } from '../../text/session-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { CommandError } from '../command-error.ts';
import type { CliContext } from '../context.ts';
import type { Cell } from '../output/table.ts';
import { readText } from '../text-argument.ts';
import { describe } from './command-help.ts';

interface JsonOption {
  json?: boolean;
}

interface AddOptions extends JsonOption {
  when?: StashWhen;
  question?: string;
}

/** `stash` and what is below it. */
export function addStashing(program: Command, context: CliContext): void {
  const { out } = context;
  const stash = describe(program.command('stash'), {
    group: 'talking',
    summary: 'keep replies for later, and apply them',
    more: 'A reply is applied by hand, or with --when next_waiting by itself as soon as the session waits for a prompt (at once where it does already), oldest first, one per turn. Each is applied once at most. An id may be shortened as far as it stays unambiguous.',
    examples: [
      ['cbos stash', 'list them'],
      ["cbos stash add AUTH 'now the docs'", 'keep a reply'],
      ["cbos stash add AUTH 'now the docs' --when next_waiting", 'for the end of its turn'],
      ['cbos stash apply 3f2a', 'send it now'],
      ['cbos stash rm 3f2a', 'take it out'],
    ],
  });

  stash
    .command('ls', { isDefault: true })
    .summary('list the replies')
    .description('List the replies, oldest first, applied ones too.')
    .option('--json', 'the REST body')
    .action(async (options: JsonOption) => {
      const client = await context.client();
      const replies = await client.call('listStash');
      if (options.json === true) out.json(replies);
      else if (replies.length === 0) out.notice("the stash is empty — cbos stash add NAME 'a reply'");
      else printReplies(context, replies);
    });

  const add = stash.command('add');
  add
    .summary('keep a reply for a session')
    .description('Keep a reply for a session. Put -- before a text that starts with a dash.')
    .argument('<slug>', 'the session')
    .argument('<text...>', 'the reply; - reads standard input')
    .addOption(
      add
        .createOption('--when <when>', 'apply it by hand, or by itself as soon as the session waits for a prompt')
        .choices(StashWhen.options),
    )
    .option('--question <text>', 'what it answers; the open question when left out')
    .option('--json', 'the REST body')
    .action(async (slug: string, words: string[], { when, question, json }: AddOptions) => {
      const body = {
        session_slug: slug,
        response: await readText(context, words, 'cbos stash'),
        ...(when === undefined ? {} : { when }),
        ...(question === undefined ? {} : { question }),
      };
      const client = await context.client();
      const reply = await client.call('addStash', { body });
      if (json === true) out.json(reply);
      else out.line(keptLine(reply));
    });

  stash
    .command('apply')
    .summary('send a reply now')
    .description('Send a reply to its session now.')
    .argument('<id>', 'the reply')
    .option('--json', 'the REST body')
    .action(async (given: string, options: JsonOption) => {
      const client = await context.client();
      const id = await findId(context, given);
      const reply = await client.call('applyStash', { params: { id } });
      if (options.json === true) out.json(reply);
      else out.line(cleanLine(`${reply.session_slug} was sent it: ${firstLine(reply.response)}`));
    });

  stash
    .command('rm')
    .summary('take a reply out')
    .description('Take a reply out of the stash.')
    .argument('<id>', 'the reply')
    .option('--json', 'the REST body')
    .action(async (given: string, options: JsonOption) => {
      const client = await context.client();
      const id = await findId(context, given);
      const reply = await client.call('removeStash', { params: { id } });
      if (options.json === true) out.json(reply);
      else out.line(cleanLine(`taken out: ${firstLine(reply.response)}`));
    });
}

/** What a row shows of an id: random, so this much tells hundreds of them apart, and it is short enough to type. */
const SHORT_ID = 8;

function printReplies({ out, io }: CliContext, replies: readonly StashedResponse[]): void {
  const now = io.now();
  out.table(
    [
      { title: 'ID' },
      { title: 'SLUG', keeps: 'both ends' },
      { title: 'WHEN', worth: 3 },
      { title: 'AGE', worth: 2 },
      { title: 'APPLIED' },
      { title: 'QUESTION', keeps: 'start', worth: 1 },
      { title: 'RESPONSE', keeps: 'start' },
    ],
    replies.map((reply): Cell[] => [
      { text: cleanLine(reply.id.slice(0, SHORT_ID)), style: reply.applied ? 'dim' : 'bold' },
      { text: cleanLine(reply.session_slug) },
      { text: cleanLine(reply.when) },
      { text: formatSince(reply.created_at, now) },
      { text: reply.applied ? `${formatSince(reply.applied_at, now)} ago` : '' },
      { text: shorten(firstLine(reply.question ?? '')), style: 'dim' },
      { text: firstLine(reply.response) },
    ]),
  );
}

/** A question is there to recognise it; the reply beside it says more. */
const QUESTION_LENGTH = 40;

function shorten(text: string): string {
  return text.length <= QUESTION_LENGTH ? text : `${text.slice(0, QUESTION_LENGTH - 1)}…`;
}

function keptLine({ id, session_slug, when }: StashedResponse): string {
  const short = id.slice(0, SHORT_ID);
  return cleanLine(
    when === 'manual'
      ? `kept for ${session_slug}; cbos stash apply ${short} sends it`
      : `kept as ${short}; ${session_slug} gets it as soon as it waits for a prompt`,
  );
}

/** The id that a person meant by its beginning. @throws CatalogueError no_such_stash; CommandError when it may be several */
async function findId(context: CliContext, given: string): Promise<string> {
  const client = await context.client();
  const replies = await client.call('listStash');
  const fitting = replies.filter(({ id }) => given !== '' && id.startsWith(given));
  const [first, second] = fitting;
  if (first === undefined) throw new CatalogueError('no_such_stash', `No reply is kept as ${JSON.stringify(given)}`);
  if (second === undefined || first.id === given) return first.id;
  throw new CommandError(
    `${JSON.stringify(given)} may be ${fitting.length} replies`,
    'give more of the id',
    EXIT.usage,
  );
}
