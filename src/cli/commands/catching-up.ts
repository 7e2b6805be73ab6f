import type { Command } from 'commander';
import type { Catchup } from '../../protocol/index.ts';
import {
  catchupEventText,
  catchupHead,
  catchupSummary,
  catchupTimeText,
  replayCommand,
  replyLines,
  tellingEvents,
} from '../../text/catchup-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { CliContext } from '../context.ts';
import { describe } from './command-help.ts';
import { readMoment } from './option-values.ts';

interface CatchupOptions {
  since?: ReturnType<typeof readMoment>;
  all?: boolean;
  json?: boolean;
}

/** Adds `catchup`. */
export function addCatchingUp(program: Command, context: CliContext): void {
  const { out, io } = context;
  describe(program.command('catchup'), {
    group: 'looking',
    summary: 'report what happened while you were away',
    more: 'For each session: the turns that ended and the last reply, the files that its turns changed, what it cost, and when it asked or was stuck, each with the command that replays it. The report begins at the time when you last used CBOS.',
    examples: [
      ['cbos catchup', 'since you last used CBOS'],
      ['cbos catchup --since 8h', 'for the last 8 hours'],
      [
        "cbos catchup --jq '.sessions[] | select(.asks) | .session'",
        'list only the sessions that are asking something',
      ],
    ],
  })
    .option('--since <when>', 'a span such as 8h, or a time', readMoment)
    .option('--all', 'every finished turn, not only the last one')
    .option('--json', 'print the API response as JSON')
    .action(async ({ since, all, json }: CatchupOptions) => {
      const client = await context.client();
      const query =
        since === undefined ? {} : { since: 'at' in since ? since.at : new Date(io.now() - since.agoMs).toISOString() };
      const found = await client.call('catchup', { query });
      if (json === true) out.json(found);
      else printCatchup(context, found, all === true);
    });
}

function printCatchup({ out, io }: CliContext, catchup: Catchup, isAll: boolean): void {
  out.line(catchupHead(catchup));
  for (const session of catchup.sessions) {
    out.line();
    const asks = session.asks ? out.style('yellow', '  asks you now') : '';
    const summary = catchupSummary(session);
    out.line(`${out.style('bold', cleanLine(session.session))}${asks}${summary === '' ? '' : `  ${summary}`}`);
    for (const line of replyLines(session.reply)) out.line(`    ${out.style('dim', line)}`);
    for (const event of isAll ? session.events : tellingEvents(session)) {
      const replay = event.replay === null ? '' : out.style('dim', `   ${replayCommand(event.replay)}`);
      out.line(`  ${catchupTimeText(event.at, io.now())}  ${catchupEventText(event)}${replay}`);
    }
  }
}
