import type { Command } from 'commander';
import { type AddedSink, type NewSink, SINK_KINDS, type Sink, type SinkKind } from '../../protocol/index.ts';
import { sinkRulesText, sinkStateText } from '../../text/sink-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { CommandError, UsageError } from '../command-error.ts';
import { confirm } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import type { Cell } from '../output/table.ts';
import { readSecret } from '../secret-input.ts';
import { withoutUndefined } from '../without-undefined.ts';
import { describe, type JsonOption } from './command-help.ts';
import { readSpan } from './option-values.ts';

interface AddOptions extends JsonOption {
  url?: string;
  chat?: string;
  channel?: string;
  from?: string;
  to?: string;
  topic?: string;
  token?: boolean;
  tokenFile?: string;
  appTokenFile?: string;
  after?: number;
  away?: number;
  quiet?: string;
  timezone?: string;
  answers?: boolean;
}

/** Adds `notify` and its subcommands. */
export function addNotifying(program: Command, context: CliContext): void {
  const { out } = context;
  const notify = program.command('notify');
  describe(notify, {
    group: 'talking',
    summary: 'send what sessions ask to a phone, a chat or a program',
    more: 'A sink gets a question once it has been open for a while and you are not using CBOS. Each question is one message, which is closed when the question is over. With --answers, the message has buttons that answer this question and nothing else. Anyone who can press them can allow what the session asks. See docs/guides/notifications.md.',
    examples: [
      ['cbos notify', 'list every sink and its state'],
      ['cbos notify add desktop DESK --answers', 'show notifications with buttons on the desktop of this machine'],
      ['cbos notify add ntfy PHONE', 'send to a phone through ntfy.sh, with a topic that nobody can guess'],
      [
        'cbos notify add telegram BOT --chat 4711 --answers',
        'send to a Telegram chat, with buttons that answer; asks for the bot token',
      ],
      [
        'cbos notify add slack TEAM --channel C0123456789 --answers',
        'send to a Slack channel, with buttons that answer; asks for both tokens of the app',
      ],
      [
        'cbos notify add email MAIL --url smtps://me@mail.example --from me@mail.example --to me@mail.example --token',
        'send e-mail; asks for the password of the mail server',
      ],
      [
        'cbos notify add webhook OPS --url https://ops.example/cbos',
        'send signed requests to a program; prints the secret',
      ],
      [
        'cbos notify add telegram LATE --chat 4712 --after 10m',
        'escalate: send the question to this chat after ten minutes',
      ],
      ['cbos notify add ntfy NIGHT --quiet 22:00-07:00 --timezone Europe/Berlin', 'send nothing at night'],
      ['cbos notify test PHONE', 'send a test message now'],
      ['cbos notify rm PHONE', 'delete the sink and its secrets'],
    ],
  });

  notify
    .command('ls', { isDefault: true })
    .alias('list')
    .summary('list the sinks')
    .description('List the sinks, with their rules and their state.')
    .option('--json', 'print the API response as JSON')
    .action(async (options: JsonOption) => {
      const client = await context.client();
      const sinks = await client.call('listSinks');
      if (options.json === true) out.json(sinks);
      else if (sinks.length === 0) out.notice('no sinks yet — cbos notify add --help');
      else printSinks(context, sinks);
    });

  const add = notify.command('add');
  add
    .summary('add a sink')
    .description(
      'Add a sink. The command asks for secrets, or reads them from standard input or a file; secrets are never command-line arguments.',
    )
    .addArgument(add.createArgument('<kind>', 'the kind of sink').choices(SINK_KINDS))
    .argument('<sink>', 'its name')
    .option(
      '--url <url>',
      'the server; for a webhook, the address that receives the events; for email: smtps://USER@HOST, or smtp:// for STARTTLS',
    )
    .option(
      '--chat <number>',
      'telegram: the chat that receives the messages, and the only one whose button presses are accepted',
    )
    .option(
      '--channel <id>',
      'slack: the channel that receives the messages, and the only one whose button presses are accepted',
    )
    .option('--from <address>', 'email: the sender')
    .option('--to <address>', 'email: the recipient')
    .option('--topic <topic>', 'ntfy: the topic; default: one that nobody can guess')
    .option('--token', 'ntfy: ask for an access token; email: ask for a password')
    .option('--token-file <file>', 'read the token, password or webhook secret from this file')
    .option('--app-token-file <file>', 'slack: read the app-level token from this file')
    .option('--after <span>', 'how long a question must be open first: 0s, 15s, 10m', readSpanOrNone)
    .option('--away <span>', 'how long you must have been inactive in all of CBOS: 0s, 60s, 5m', readSpanOrNone)
    .option('--quiet <hours>', 'send nothing between these times: 22:00-07:00')
    .option(
      '--timezone <zone>',
      "the time zone for --quiet, such as Europe/Berlin; default: that of the server's machine",
    )
    .option('--answers', 'put buttons that answer questions on its messages')
    .option('--json', 'print the API response as JSON')
    .action(async (kind: SinkKind, name: string, options: AddOptions) => {
      const body = await readSink(context, { kind, name, ...options });
      const client = await context.client();
      const added = await client.call('addSink', { body });
      if (options.json === true) out.json(added);
      else printAdded(context, added);
    });

  notify
    .command('test')
    .summary('send a test message now')
    .description("Send a test message now. The sink's rules do not apply.")
    .argument('<sink>', 'the sink')
    .option('--json', 'print the API response as JSON')
    .action(async (name: string, options: JsonOption) => {
      const client = await context.client();
      const tested = await client.call('testSink', { params: { name } });
      out.result(options.json, tested, `sent to ${cleanLine(name)}`);
    });

  notify
    .command('rm')
    .summary('delete a sink and its secrets')
    .description('Delete a sink and its secrets. Messages that were already sent stay, but their buttons do nothing.')
    .argument('<sink>', 'the sink')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print the API response as JSON')
    .action(async (name: string, options: JsonOption & { yes?: boolean }) => {
      if (options.yes !== true && !(await confirm(context, `Delete ${cleanLine(name)} and its secrets?`))) {
        throw new CommandError('Nothing was deleted', `cbos notify rm ${name} --yes`);
      }
      const client = await context.client();
      const removed = await client.call('removeSink', { params: { name } });
      out.result(options.json, removed, `deleted: ${cleanLine(removed.name)}`);
    });
}

/** Parses a time span, which may also be `0`. */
const readSpanOrNone = (text: string): number => (/^0[smh]?$/.test(text) ? 0 : readSpan(text));

async function readSink(
  context: CliContext,
  { kind, name, after, away, ...options }: AddOptions & { kind: SinkKind; name: string },
): Promise<NewSink> {
  const { url, chat, topic, token, tokenFile, quiet, timezone, answers } = options;
  const asksSecret = token === true || tokenFile !== undefined;
  const rules = {
    name,
    ...(after === undefined ? {} : { after_s: Math.round(after / 1_000) }),
    ...(away === undefined ? {} : { away_s: Math.round(away / 1_000) }),
    ...withoutUndefined({ quiet, timezone, answers }),
  };
  const server = withoutUndefined({ url });
  switch (kind) {
    case 'telegram':
      if (chat === undefined)
        throw new UsageError('A Telegram sink needs a chat', 'use --chat; see docs/guides/notifications.md');
      return { kind, ...rules, ...server, chat, token: await readSecret(context, 'bot token', tokenFile) };
    case 'slack': {
      const { channel, appTokenFile } = options;
      if (channel === undefined)
        throw new UsageError('A Slack sink needs a channel', 'use --channel; see docs/guides/notifications.md');
      const bot = { token: await readSecret(context, 'bot token (xoxb-…)', tokenFile) };
      if (answers !== true) return { kind, ...rules, ...server, channel, ...bot };
      const appToken = await readSecret(context, 'app-level token (xapp-…)', appTokenFile);
      return { kind, ...rules, ...server, channel, ...bot, app_token: appToken };
    }
    case 'email': {
      const { from, to } = options;
      if (url === undefined || from === undefined || to === undefined)
        throw new UsageError(
          'An e-mail sink needs a mail server, a sender and a recipient',
          'use --url, --from and --to',
        );
      if (answers === true)
        throw new UsageError(
          'E-mail messages cannot have buttons',
          'leave out --answers, and answer with `cbos answer`',
        );
      const password = asksSecret ? { password: await readSecret(context, 'mail server password', tokenFile) } : {};
      return { kind, ...rules, url, from, to, ...password };
    }
    case 'desktop':
      return { kind, ...rules };
    case 'webhook':
      if (url === undefined) throw new UsageError('A webhook sink needs an address', 'use --url');
      if (tokenFile === undefined) return { kind, ...rules, url };
      return { kind, ...rules, url, secret: await readSecret(context, 'signing secret', tokenFile) };
    case 'ntfy': {
      const secret = asksSecret ? { token: await readSecret(context, 'access token', tokenFile) } : {};
      return { kind, ...rules, ...server, ...withoutUndefined({ topic }), ...secret };
    }
    default:
      return kind satisfies never;
  }
}

function printAdded({ out }: CliContext, added: AddedSink): void {
  out.line(cleanLine(`${added.name}: ${added.kind} at ${added.to}, ${sinkRulesText(added)}`));
  if (added.shown_once !== null) {
    const what = added.kind === 'webhook' ? 'its signing secret' : 'its topic, for the app on the phone';
    out.line(cleanLine(`${what} (shown once): ${added.shown_once}`));
  }
  out.notice(cleanLine(`cbos notify test ${added.name} sends a message now`));
}

function printSinks({ out }: CliContext, sinks: readonly Sink[]): void {
  out.table(
    [
      { title: 'NAME' },
      { title: 'KIND' },
      { title: 'TO', keeps: 'start', worth: 1 },
      { title: 'RULES', keeps: 'start' },
      { title: 'STATE', keeps: 'start' },
    ],
    sinks.map((one): Cell[] => [
      { text: cleanLine(one.name), style: 'bold' },
      { text: one.kind },
      { text: cleanLine(one.to) },
      { text: cleanLine(sinkRulesText(one)) },
      { text: cleanLine(sinkStateText(one)), style: one.fault === null ? 'dim' : 'red' },
    ]),
  );
}
