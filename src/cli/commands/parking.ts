import type { Command } from 'commander';
import { EXIT, isDoneSince } from '../../protocol/index.ts';
import { formatDuration } from '../../text/durations.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { CommandError } from '../command-error.ts';
import type { CliContext } from '../context.ts';
import { forEach } from '../for-each.ts';
import { describe } from './command-help.ts';
import { readSpan } from './option-values.ts';

interface ParkOptions {
  idle?: number;
  json?: boolean;
}

/** `park` and `wake`. */
export function addParking(program: Command, context: CliContext): void {
  const { out } = context;

  describe(program.command('park'), {
    group: 'sessions',
    summary: 'end the processes of idle sessions, which the next text brings back',
    more: [
      'A parked session takes no memory. Its conversation comes back at the same size with the next text, with `cbos attach`, `cbos wake`, or a click in the page.',
      'A session is not parked where something would be lost: while it works or asks, with an unsent text in its prompt, while its commands run in the background.',
      'The setting parking.after does this by itself.',
    ].join('\n'),
    examples: [
      ['cbos park AUTH', 'one'],
      ['cbos park --idle 2h', 'all that have been done for two hours'],
    ],
  })
    .argument('[name...]', 'the sessions')
    .option('--idle <span>', 'all sessions that have been done for this long: 90s, 30m, 2h, 1d', readSpan)
    .option('--json', 'the REST bodies, a line each')
    .action(async (slugs: string[], options: ParkOptions) => {
      if ((slugs.length === 0) === (options.idle === undefined)) {
        throw new CommandError('Either name sessions or give --idle', 'cbos park --help', EXIT.usage);
      }
      const client = await context.client();
      const { idle } = options;
      const meant =
        idle === undefined
          ? slugs
          : (await client.call('listSessions'))
              .filter((session) => isDoneSince(session, context.io.now() - idle))
              .map(({ slug }) => slug);
      if (meant.length === 0) out.notice(`no session in a terminal has been done for ${formatDuration(idle ?? 0)}`);
      await forEach(context, meant, async (slug) => {
        const session = await client.call('parkSession', { params: { slug } });
        if (options.json === true) out.jsonLine(session);
        else out.line(`${cleanLine(session.slug)} parked; the next text brings it back`);
      });
    });

  describe(program.command('wake'), {
    group: 'sessions',
    summary: 'bring parked sessions back on their conversation',
    examples: [['cbos wake AUTH', 'without sending it anything']],
  })
    .argument('<name...>', 'the sessions')
    .option('--json', 'the REST bodies, a line each')
    .action(async (slugs: string[], options: { json?: boolean }) => {
      const client = await context.client();
      await forEach(context, slugs, async (slug) => {
        const session = await client.call('wakeSession', { params: { slug } });
        if (options.json === true) out.jsonLine(session);
        else out.line(`${cleanLine(session.slug)} runs`);
      });
    });
}
