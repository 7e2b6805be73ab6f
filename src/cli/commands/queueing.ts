import type { Command } from 'commander';
import { CatalogueError, type Delivery, type DeliveryStatus } from '../../protocol/index.ts';
import { formatSince } from '../../text/durations.ts';
import { firstLine, queueText } from '../../text/session-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { UsageError } from '../command-error.ts';
import type { CliContext } from '../context.ts';
import type { Cell } from '../output/table.ts';
import { readText } from '../text-argument.ts';
import { describe, type JsonOption } from './command-help.ts';

interface ListOptions extends JsonOption {
  all?: boolean;
}

/** The message is either still held by CBOS, or it was typed but nothing shows that the session accepted it. */
const OPEN: ReadonlySet<DeliveryStatus> = new Set(['queued', 'sent']);

/** Adds `queue` and its subcommands. */
export function addQueueing(program: Command, context: CliContext): void {
  const { out } = context;
  const queue = describe(program.command('queue'), {
    group: 'talking',
    summary: 'see, change or cancel prompts that sessions have not accepted yet',
    more: 'CBOS sends queued prompts in this order, as soon as their session is ready. A prompt listed as sent was typed, but nothing confirms yet that the session received it. The last characters of an id are enough if they are unambiguous.',
    examples: [
      ['cbos queue', 'list the waiting prompts of all sessions'],
      ['cbos queue ls AUTH --all', 'list all prompts of one session, and what happened to them'],
      ["cbos queue edit 4c1f09ab 'and then the docs, in English'", 'change a held prompt'],
      ['cbos queue rm 4c1f09ab', 'cancel a held prompt'],
      ['cbos queue resume AUTH', 'resume a queue that an interrupt paused'],
    ],
  });

  queue
    .command('ls', { isDefault: true })
    .summary('list the prompts')
    .description('List the waiting prompts, in the order in which they are sent.')
    .argument('[name]', 'only this session')
    .option('--all', 'also list prompts that were delivered or cancelled, or that failed')
    .option('--json', 'print the API responses as JSON')
    .action(async (slug: string | undefined, { all, json }: ListOptions) => {
      const deliveries = await readDeliveries(context, slug);
      const shown = deliveries.filter(({ status }) => all === true || OPEN.has(status));
      if (json === true) out.json(shown);
      else if (shown.length === 0)
        out.notice('no prompt is waiting — cbos send NAME TEXT --queue holds one until the session is ready');
      else printDeliveries(context, shown);
      if (json !== true) await noticeStopped(context, slug);
    });

  queue
    .command('resume')
    .summary('resume a queue that an interrupt paused')
    .description("Resume a session's queue after an interrupt paused it.")
    .argument('<name>', 'the session')
    .option('--json', 'print the API response as JSON')
    .action(async (slug: string, options: JsonOption) => {
      const client = await context.client();
      const session = await client.call('resumeQueue', { params: { slug } });
      out.result(options.json, session, `${slug}: its queue continues as soon as the session is ready`);
    });

  queue
    .command('edit')
    .summary('change a held prompt')
    .description('Change a prompt that CBOS holds. Put -- before text that starts with a dash.')
    .argument('<id>', "the prompt's id")
    .argument('<text...>', 'the new text; - reads standard input')
    .option('--json', 'print the API response as JSON')
    .action(async (given: string, words: string[], options: JsonOption) => {
      const text = await readText(context, words, 'cbos queue');
      const { session: slug, id } = await findDelivery(context, given);
      const client = await context.client();
      const delivery = await client.call('patchDelivery', { params: { slug, id }, body: { text } });
      if (options.json === true) out.json(delivery);
      else out.line(cleanLine(`${slug} gets this as soon as it is ready: ${firstLine(delivery.text)}`));
    });

  queue
    .command('rm')
    .summary('cancel a held prompt')
    .description('Cancel a prompt that CBOS holds.')
    .argument('<id>', "the prompt's id")
    .option('--json', 'print the API response as JSON')
    .action(async (given: string, options: JsonOption) => {
      const { session: slug, id } = await findDelivery(context, given);
      const client = await context.client();
      const delivery = await client.call('cancelDelivery', { params: { slug, id } });
      out.result(options.json, delivery, cleanLine(`${slug}: cancelled, not sent: ${firstLine(delivery.text)}`));
    });
}

/** Prints the sessions whose queues have been paused by an interrupt. */
async function noticeStopped(context: CliContext, slug?: string): Promise<void> {
  const client = await context.client();
  const sessions = slug === undefined ? await client.call('listSessions', {}) : [];
  if (slug !== undefined) sessions.push(await client.call('getSession', { params: { slug } }));
  for (const session of sessions.filter((one) => queueText(one) !== '')) {
    context.out.notice(
      `${cleanLine(session.slug)}: ${queueText(session)} — cbos queue resume ${cleanLine(session.slug)}`,
    );
  }
}

/**
 * Returns the deliveries to one session or to all sessions. Each session's deliveries are listed in the order in which
 * they were requested.
 */
async function readDeliveries(context: CliContext, slug?: string): Promise<Delivery[]> {
  const client = await context.client();
  const slugs = slug === undefined ? (await client.call('listSessions')).map((session) => session.slug) : [slug];
  const lists = await Promise.all(slugs.map((one) => client.call('listDeliveries', { params: { slug: one } })));
  return lists.flatMap((newestFirst) => newestFirst.toReversed());
}

/**
 * How many characters of an id each row shows. A row shows the end of the id, which is random. The beginning is a time,
 * which many ids share.
 */
const SHORT_ID = 8;
const TEXT_LENGTH = 60;

function printDeliveries({ out, io }: CliContext, deliveries: readonly Delivery[]): void {
  const now = io.now();
  out.table(
    [
      { title: 'ID' },
      { title: 'NAME', keeps: 'both ends' },
      { title: 'STATUS' },
      { title: 'AGE', worth: 1 },
      { title: 'TEXT', keeps: 'start' },
      { title: 'NOTE', keeps: 'start', worth: 2 },
    ],
    deliveries.map(({ id, session, status, created_at, text, note }): Cell[] => [
      { text: cleanLine(id.slice(-SHORT_ID)), style: status === 'queued' ? 'bold' : 'dim' },
      { text: cleanLine(session) },
      { text: cleanLine(status) },
      { text: formatSince(created_at, now) },
      { text: shorten(text) },
      { text: cleanLine(note ?? ''), style: 'dim' },
    ]),
  );
}

/** Returns the first line of a text, with a mark if more lines follow. */
function shorten(text: string): string {
  const line = firstLine(text);
  if (line.length > TEXT_LENGTH) return `${line.slice(0, TEXT_LENGTH - 1)}…`;
  return text.trim().includes('\n') ? `${line} …` : line;
}

/**
 * Finds the message whose id ends with what the user typed. @throws CatalogueError no_such_delivery; CommandError if
 * several ids match
 */
async function findDelivery(context: CliContext, given: string): Promise<Delivery> {
  const fitting = (await readDeliveries(context)).filter(({ id }) => given !== '' && id.endsWith(given));
  const [first, second] = fitting;
  if (first === undefined) {
    throw new CatalogueError('no_such_delivery', `No prompt has the id ${JSON.stringify(given)}`, {
      hint: '`cbos queue` lists the waiting prompts',
    });
  }
  if (second === undefined || first.id === given) return first;
  throw new UsageError(`${JSON.stringify(given)} matches ${fitting.length} prompts`, 'type more characters of the id');
}
