import { type Command, Option } from 'commander';
import {
  type ClaudeEvent,
  EXIT,
  type Invoke,
  PERMISSION_MODES,
  type PermissionMode,
  type Spent,
  type StreamFrame,
} from '../../protocol/index.ts';
import { formatDuration } from '../../text/durations.ts';
import { eventLine } from '../../text/event-text.ts';
import { dollarsText } from '../../text/figure-words.ts';
import type { CliContext } from '../context.ts';
import { type Ending, followStream } from '../follow-stream.ts';
import { createTurnPrinter, type TurnPrinter } from '../output/turn-printer.ts';
import { readText } from '../text-argument.ts';
import { withoutUndefined } from '../without-undefined.ts';
import { describe } from './command-help.ts';
import { readWhole } from './option-values.ts';

/** The number of events that the server returns per request. */
const PAGE = 1_000;
/** How long to wait for a lost server: longer than any restart takes. The turn keeps running during that time. */
const LOST_SERVER_MS = 60_000;

/** What a shell adds to a signal's number to get the exit code. */
const SIGNALLED = 128;

/** Adds `invoke`, `events`, and `costs`. */
export function addConversing(program: Command, context: CliContext): void {
  const { out } = context;

  describe(program.command('invoke'), {
    group: 'talking',
    summary: 'run a turn in a JSON session, and print the answer as it is written',
    more: 'Each tool call is printed as one line. The exit code is 0 if the turn succeeded, 1 if it failed or was interrupted, and 4 if it asks something: answer with `cbos answer`, then follow the turn with `cbos events -f`. In a pipe, the text of a message comes when the message is complete, and an answer that one of your own Stop hooks rejected is left out.',
    examples: [
      ["cbos invoke CI 'run the tests and fix what fails'", 'run a turn, and print its answer as it is written'],
      ['git diff | cbos invoke REVIEW -', 'read the prompt from standard input'],
      ["cbos invoke CI 'how would you fix it?' --permission-mode plan", 'run a turn that changes nothing'],
      [
        "cbos invoke CI 'list the open issues' --jq 'select(.event.type == \"result\") | .event.result'",
        'print only the answer',
      ],
    ],
  })
    .argument('<name>', 'the session')
    .argument('<prompt...>', 'the prompt; - reads standard input')
    .addOption(new Option('--permission-mode <mode>', 'for this turn and later ones').choices(PERMISSION_MODES))
    .option('--model <model>', 'for this turn and later ones; accepts what claude --model accepts')
    .option('--json', "the turn's events as JSON lines, frames of /ws/stream")
    .action(async (slug: string, words: string[], { json, permissionMode, model }: InvokeFlags) => {
      const prompt = await readText(context, words, 'cbos invoke');
      const options = withoutUndefined({ permission_mode: permissionMode, model });
      context.exitCode = await invoke(context, { slug, request: { prompt, options }, isJson: json === true });
    });

  describe(program.command('events'), {
    group: 'looking',
    summary: 'print the events of a JSON session',
    examples: [
      ['cbos events CI', 'print what happened, one line per event'],
      ['cbos events CI -f', 'keep printing new events'],
      ['cbos events CI --after 120 --json', 'print the complete events after number 120'],
    ],
  })
    .argument('<name>', 'the session')
    .option('-f, --follow', 'print new events as they happen, until Ctrl-C')
    .option('--after <seq>', 'only the events after this number', readWhole(0, Number.MAX_SAFE_INTEGER), 0)
    .option('--json', 'JSON lines; with -f the frames of /ws/stream')
    .action(async (slug: string, options: { follow?: boolean; after: number; json?: boolean }) => {
      const isJson = options.json === true;
      const last = await printEvents(context, { slug, after: options.after, isJson });
      if (options.follow === true) context.exitCode = await followEvents(context, { slug, after: last, isJson });
    });

  describe(program.command('costs'), {
    group: 'looking',
    summary: 'print what sessions cost per day, in dollars; for JSON sessions, also in tokens and time',
    more: "The amounts are Claude Code's own estimates at list prices. TERMINAL is the cost of sessions in a terminal, which is known only if they have a status line.",
    examples: [
      ['cbos costs', 'print the costs of all sessions, including deleted ones'],
      ['cbos costs CI', 'print the costs of one session'],
      ['cbos costs --jq .total.cost_usd', 'print only the total, in dollars'],
    ],
  })
    .argument('[name]', 'only this session')
    .option('--json', 'print the API response as JSON')
    .action(async (slug: string | undefined, options: { json?: boolean }) => {
      const client = await context.client();
      const body =
        slug === undefined ? await client.call('costs') : await client.call('sessionCosts', { params: { slug } });
      if (options.json === true) return out.json(body);
      const sum = 'total' in body ? body.total : body.session;
      out.table(
        [
          { title: 'DAY' },
          { title: 'COST' },
          { title: 'TERMINAL' },
          { title: 'TURNS' },
          { title: 'IN' },
          { title: 'OUT' },
          { title: 'TIME' },
        ],
        [...body.days.map((day) => usageRow(day.day, day)), usageRow('all', sum)],
      );
    });
}

function usageRow(title: string, usage: Spent): { text: string }[] {
  const inputTokens = usage.input_tokens + usage.cache_read_tokens + usage.cache_creation_tokens;
  return [
    { text: title },
    { text: dollarsText(usage.cost_usd) },
    { text: usage.terminal_cost_usd === 0 ? '' : dollarsText(usage.terminal_cost_usd) },
    { text: String(usage.turns) },
    { text: String(inputTokens) },
    { text: String(usage.output_tokens) },
    { text: formatDuration(usage.duration_ms) },
  ];
}

interface InvokeFlags {
  json?: boolean;
  permissionMode?: PermissionMode;
  model?: string;
}

/** Runs a turn and prints it until it ends or asks its first question. */
async function invoke(context: CliContext, turn: { slug: string; request: Invoke; isJson: boolean }): Promise<number> {
  const { slug, request, isJson } = turn;
  let isAsked = false;
  let printer = null as TurnPrinter | null;
  // Frames of the turn may arrive before the response that identifies the turn.
  const early: StreamFrame[] = [];

  async function begin(ending: Ending): Promise<void> {
    const client = await context.client();
    const { invocation_id: invocation } = await client.call('invoke', { params: { slug }, body: request });
    printer = createTurnPrinter(context.out, { slug, invocation, isJson }, ending);
    for (const frame of early.splice(0)) printer.take(frame);
  }

  const follow = { recordings: [slug], giveUpAfterMs: LOST_SERVER_MS };
  const code = await followStream(context, follow, (ending) => ({
    onFrame(frame) {
      if (frame.type === 'subscribed' && !isAsked) {
        isAsked = true;
        begin(ending).catch(ending.fail);
      }
      if (printer === null) early.push(frame);
      else printer.take(frame);
    },
  })).finally(() => printer?.end());
  if (code > SIGNALLED) {
    context.out.notice(`the turn continues: cbos interrupt ${slug} stops it, cbos events ${slug} -f follows it`);
  }
  return code;
}

interface EventsRequest {
  slug: string;
  after: number;
  isJson: boolean;
}

/** Prints the events so far. @returns the number of the last one */
async function printEvents(context: CliContext, { slug, after, isJson }: EventsRequest): Promise<number> {
  const client = await context.client();
  let last = after;
  for (let from: number | null = after; from !== null; ) {
    const page: Awaited<ReturnType<typeof client.call<'events'>>> = await client.call('events', {
      params: { slug },
      query: { after: from, limit: PAGE },
    });
    for (const stored of page.events) {
      if (isJson) context.out.jsonLine(stored);
      else printEvent(context, stored.event);
    }
    last = page.events.at(-1)?.seq ?? last;
    from = page.next;
  }
  return last;
}

function followEvents(context: CliContext, { slug, after, isJson }: EventsRequest): Promise<number> {
  let name = slug;
  const follow = { recordings: [slug], after: { [slug]: after }, interruptedCode: EXIT.done };
  return followStream(context, follow, (ending) => ({
    onFrame(frame) {
      if (frame.type === 'session_renamed' && frame.session === name) name = frame.slug;
      if (frame.type === 'session_removed' && frame.session === name) ending.finish(EXIT.done);
      if (frame.type !== 'claude_event' || frame.session !== name) return;
      if (isJson) context.out.jsonLine(frame);
      else printEvent(context, frame.event);
    },
  }));
}

function printEvent({ out }: CliContext, event: ClaudeEvent): void {
  const line = eventLine(event);
  if (line !== null) out.line(line);
}
