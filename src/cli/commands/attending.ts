import type { Command } from 'commander';
import { CatalogueError, type NewSnooze, type Session } from '../../protocol/index.ts';
import { snoozeText, WAKE_TIME_FORMS, wakeTime } from '../../text/snooze-words.ts';
import { UsageError } from '../command-error.ts';
import type { CliContext } from '../context.ts';
import { describe, type JsonOption } from './command-help.ts';
import { collect } from './option-values.ts';

interface SnoozeOptions extends JsonOption {
  until?: string;
  untilAsks?: boolean;
  untilTurnEnds?: boolean;
  untilEnds?: string[];
}

/** Adds `seen`, `unseen`, `snooze`, and `unsnooze`. */
export function addAttending(program: Command, context: CliContext): void {
  const { out } = context;

  describe(program.command('seen'), {
    group: 'looking',
    summary: 'mark sessions as read',
    more: 'A session is unread when its turn has ended or it has asked something, and nobody has looked since. `cbos show` or `cbos attach` at a terminal marks it as read, and so does sending it anything. The list does not mark it as read.',
    examples: [
      ['cbos seen AUTH DOCS', 'mark both as read without opening them'],
      ['cbos ls --unread', 'the sessions that you have not looked at yet'],
    ],
  })
    .argument('<name...>', 'the sessions')
    .option('--json', 'print the API responses as JSON')
    .action((slugs: string[], options: JsonOption) =>
      mark(context, slugs, { route: 'markSeen', said: 'read', ...options }),
    );

  describe(program.command('unseen'), {
    group: 'looking',
    summary: 'mark sessions as unread',
    more: 'They stay unread until somebody opens them again.',
    examples: [['cbos unseen AUTH', 'come back to it later']],
  })
    .argument('<name...>', 'the sessions')
    .option('--json', 'print the API responses as JSON')
    .action((slugs: string[], options: JsonOption) =>
      mark(context, slugs, { route: 'markUnseen', said: 'unread', ...options }),
    );

  describe(program.command('snooze'), {
    group: 'looking',
    summary: 'silence a session until a time or an event',
    more: 'Until then, the session does not count as one that needs you, and sends no notifications. With several conditions, the first one to come true wakes the session. Without a condition, the session wakes when it asks something new or its turn ends.',
    examples: [
      ['cbos snooze AUTH --until 17:00', 'until the next 17:00 on your clock'],
      ['cbos snooze AUTH --until 2h --until-asks', 'two hours, or until it asks something new'],
      ['cbos snooze AUTH --until-ends BUILD', 'until a turn of BUILD ends, or BUILD is stopped'],
      ['cbos ls --state snoozed', 'the snoozed sessions'],
    ],
  })
    .argument('<name>', 'the session')
    .option('--until <time>', WAKE_TIME_FORMS)
    .option('--until-asks', 'until it asks something new, or its turn fails')
    .option('--until-turn-ends', 'until its turn ends')
    .option(
      '--until-ends <name>',
      'until a turn of that session ends, or that session is stopped; may be repeated',
      collect,
    )
    .option('--json', 'print the API response as JSON')
    .action(async (slug: string, options: SnoozeOptions) => {
      const body = readSnooze(options, context.io.now());
      const client = await context.client();
      const session = await client.call('snoozeSession', { params: { slug }, body });
      if (options.json === true) out.json(session);
      else if (session.snoozed !== null) out.line(`${slug}: ${snoozeText(session.snoozed)}`);
    });

  describe(program.command('unsnooze'), {
    group: 'looking',
    summary: 'wake snoozed sessions',
    examples: [['cbos unsnooze AUTH', 'make AUTH count again']],
  })
    .argument('<name...>', 'the sessions')
    .option('--json', 'print the API responses as JSON')
    .action((slugs: string[], options: JsonOption) =>
      mark(context, slugs, { route: 'unsnoozeSession', said: 'not snoozed', ...options }),
    );
}

function readSnooze({ until, untilAsks, untilTurnEnds, untilEnds }: SnoozeOptions, now: number): NewSnooze {
  const at = until === undefined ? undefined : wakeTime(until, now);
  if (at === null) {
    const hint = `use one of these forms: ${WAKE_TIME_FORMS}`;
    throw new UsageError(`${JSON.stringify(until)} isn't a valid time`, hint);
  }
  return {
    ...(at === undefined ? {} : { until: new Date(at).toISOString() }),
    ...(untilAsks === true ? { until_asks: true } : {}),
    ...(untilTurnEnds === true ? { until_turn_ends: true } : {}),
    ...(untilEnds === undefined ? {} : { until_ends: untilEnds }),
  };
}

type Marking = JsonOption & { route: 'markSeen' | 'markUnseen' | 'unsnoozeSession'; said: string };

async function mark(context: CliContext, slugs: readonly string[], { route, said, json }: Marking): Promise<void> {
  const { out } = context;
  const client = await context.client();
  const listed = new Set((await client.call('listSessions')).map(({ slug }) => slug));
  const missing = slugs.find((slug) => !listed.has(slug));
  // Check all names first, so that either every session is marked or none is.
  if (missing !== undefined)
    throw new CatalogueError('no_such_session', `No session is named ${JSON.stringify(missing)}`);
  const sessions: Session[] = [];
  for (const slug of slugs) {
    const params = { slug };
    sessions.push(
      await (route === 'markSeen' ? client.call(route, { params, body: {} }) : client.call(route, { params })),
    );
  }
  if (json === true) out.json(sessions);
  else out.lines(slugs.map((slug) => `${slug}: ${said}`));
}
