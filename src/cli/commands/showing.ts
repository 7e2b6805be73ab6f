import type { Command } from 'commander';
import { countSessions } from '../actions/count-sessions.ts';
import { type ShowOptions, showSession } from '../actions/show-session.ts';
import type { CliContext } from '../context.ts';
import { describe } from './command-help.ts';

/** Adds `show` and `status`. */
export function addShowing(program: Command, context: CliContext): void {
  describe(program.command('show'), {
    group: 'looking',
    summary: 'show a session: what it is doing, or what it asks and how to answer it',
    more: '--verbose adds the reason for its state, its processes and its screen.',
    examples: [
      ['cbos show AUTH', 'see what AUTH is asking'],
      ['cbos show AUTH -v', 'see everything about AUTH'],
      ['cbos show AUTH --jq .status', 'print only the status'],
    ],
  })
    .argument('<name>', 'the session')
    .option('-v, --verbose', 'show everything that CBOS knows about the session')
    .option('--json', 'print the API response as JSON')
    .action((slug: string, options: ShowOptions) => showSession(context, slug, options));

  describe(program.command('status'), {
    group: 'looking',
    summary: 'count the sessions, and report on the recordings',
    more: 'Below the counts, the command reports how much disk space the recordings take, which of them cannot be written, and what was dropped to stay within the limits.',
    examples: [
      ['cbos status', 'see how many sessions need you, are done or are working'],
      ['cbos status --jq .recordings.dropped', 'see everything that was dropped'],
      ['cbos status --jq .by_state.waiting', 'print one number, for a status bar'],
    ],
  })
    .option('--json', 'print the API responses of /sessions/status and /recordings as one JSON object')
    .action((options: { json?: boolean }) => countSessions(context, options));
}
