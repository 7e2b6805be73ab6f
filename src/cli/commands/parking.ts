import type { Command } from 'commander';
import { isDoneSince, settingKey } from '../../protocol/index.ts';
import { formatDuration } from '../../text/durations.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { UsageError } from '../command-error.ts';
import type { CliContext } from '../context.ts';
import { forEach } from '../for-each.ts';
import { describe } from './command-help.ts';
import { readSpan } from './option-values.ts';

interface ParkOptions {
  idle?: number;
  json?: boolean;
}

/** Adds `park` and `wake`. */
export function addParking(program: Command, context: CliContext): void {
  const { out } = context;

  describe(program.command('park'), {
    group: 'sessions',
    summary: 'end the processes of idle sessions until their next prompt',
    more: [
      'A parked session uses no memory. The next prompt, `cbos attach`, `cbos wake` or a click on the page wakes the session at the same size, with its conversation.',
      'CBOS does not park a session that would lose something: one that is working or asking something, has unsent text in its prompt, or runs commands in the background.',
      `The ${settingKey('parking_after')} setting parks sessions automatically.`,
    ].join('\n'),
    examples: [
      ['cbos park AUTH', 'park AUTH'],
      ['cbos park --idle 2h', 'park all sessions that have been done for two hours'],
    ],
  })
    .argument('[name...]', 'the sessions')
    .option('--idle <span>', 'park all sessions that have been done for this long: 90s, 30m, 2h, 1d', readSpan)
    .option('--json', 'print the API responses as JSON, one per line')
    .action(async (slugs: string[], options: ParkOptions) => {
      if ((slugs.length === 0) === (options.idle === undefined)) {
        throw new UsageError('Name sessions, or use --idle', 'cbos park --help');
      }
      const client = await context.client();
      const { idle } = options;
      const meant =
        idle === undefined
          ? slugs
          : (await client.call('listSessions'))
              .filter((session) => isDoneSince(session, context.io.now() - idle))
              .map(({ slug }) => slug);
      if (meant.length === 0)
        out.notice(`nothing to park: no session in a terminal has been done for ${formatDuration(idle ?? 0)}`);
      await forEach(context, meant, async (slug) => {
        const session = await client.call('parkSession', { params: { slug } });
        if (options.json === true) out.jsonLine(session);
        else out.line(`${cleanLine(session.slug)} parked; the next prompt wakes it`);
      });
    });

  describe(program.command('wake'), {
    group: 'sessions',
    summary: 'wake parked sessions, with their conversations',
    examples: [['cbos wake AUTH', 'wake the session without sending it anything']],
  })
    .argument('<name...>', 'the sessions')
    .option('--json', 'print the API responses as JSON, one per line')
    .action(async (slugs: string[], options: { json?: boolean }) => {
      const client = await context.client();
      await forEach(context, slugs, async (slug) => {
        const session = await client.call('wakeSession', { params: { slug } });
        if (options.json === true) out.jsonLine(session);
        else out.line(`${cleanLine(session.slug)} is awake`);
      });
    });
}
