import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { type Client, followRestoration, RESTORATION_ASK_MS } from '../../client/index.ts';
import { EXIT, type Restoration, type RestoredSession, settingKey } from '../../protocol/index.ts';
import { someSessions } from '../../text/name-list.ts';
import { restoredText, untriedText } from '../../text/restore-words.ts';
import { CommandError } from '../command-error.ts';
import { isConfirmed } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { describe } from './command-help.ts';

interface RestoreOptions {
  dryRun?: boolean;
  yes?: boolean;
  json?: boolean;
}

/** Adds `restore`. */
export function addRestoring(program: Command, context: CliContext): void {
  const { out } = context;
  describe(program.command('restore'), {
    group: 'sessions',
    summary: 'bring back sessions that were lost in a reboot or when Screen ended',
    more: [
      'A session is lost if its processes no longer exist, although neither you nor the session ended them. It comes back with its conversation, folder, size and launch options.',
      'A few sessions come back at a time, fewer on a busy machine. After three failures in a row, CBOS does not try the rest.',
      'Parked sessions stay parked, and JSON sessions need no process. `cbos stop NAME` gives up on a lost session.',
      `With the ${settingKey('restore_at_start')} setting, the server restores lost sessions when it starts.`,
    ].join('\n'),
    examples: [
      ['cbos restore --dry-run', 'list the sessions that would come back, and those that would not'],
      ['cbos restore', 'restore all lost sessions, after you confirm'],
      ['cbos restore AUTH DOCS', 'these'],
    ],
  })
    .argument('[name...]', 'the sessions; default: all lost ones')
    .option('-n, --dry-run', 'only print what would be done')
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--json', 'print the API response as JSON')
    .action(async (slugs: string[], options: RestoreOptions) => {
      const client = await context.client();
      const plan = await client.call('restore', { body: { ...named(slugs), dry_run: true } });
      if (options.dryRun === true) return printPlan(context, plan, options);
      const planned = plan.sessions.filter(({ outcome }) => outcome === 'planned').map(({ session }) => session);
      // The other sessions may already be part of an earlier restoration.
      if (planned.length === 0) {
        printPlan(context, plan, options);
        if (plan.sessions.some(isLeft)) context.exitCode = EXIT.refused;
        return;
      }
      const isAsked = slugs.length > 0 || options.yes === true;
      const question = `Bring back ${someSessions(planned)}?`;
      if (!isAsked && !(await isConfirmed(context, question, 'nothing was done'))) return;
      if (options.json !== true) out.lines(plan.sessions.filter(isLeft).map(restoredText));
      const isMeant = ({ session }: RestoredSession): boolean => planned.includes(session);
      const begun = await client.call('restore', { body: { sessions: planned } });
      const { state, sessions } = await follow(context, client, { begun, isMeant, isSilent: options.json === true });
      const meant = sessions.filter(isMeant);
      if (options.json === true) out.json({ ...begun, state, sessions });
      const failed = meant.filter(({ outcome }) => outcome === 'failed').length;
      const untried = meant.filter(({ outcome }) => outcome === 'not_tried').length;
      if (untried > 0) out.notice(`${untriedText(untried)} — cbos restore tries again`);
      if (failed + untried > 0) context.exitCode = EXIT.failed;
      else if ([...plan.sessions, ...meant].some(isLeft)) context.exitCode = EXIT.refused;
    });
}

const named = (slugs: readonly string[]): { sessions?: string[] } =>
  slugs.length === 0 ? {} : { sessions: [...slugs] };
const isLeft = ({ outcome }: RestoredSession): boolean => outcome === 'left';

function printPlan({ out }: CliContext, plan: Restoration, { json }: RestoreOptions): void {
  if (json === true) out.json(plan);
  else if (plan.sessions.length === 0) out.notice('nothing to bring back: no session is lost');
  else out.lines(plan.sessions.map(restoredText));
}

/** Prints a line for each session as soon as its restoration has succeeded or failed. */
async function follow(
  { out }: CliContext,
  client: Pick<Client, 'call'>,
  { begun, isMeant, isSilent }: { begun: Restoration; isMeant(one: RestoredSession): boolean; isSilent: boolean },
): Promise<Restoration> {
  const told = new Set<string>();
  const tell = (one: RestoredSession): void => {
    const isOver = one.outcome !== 'planned' && one.outcome !== 'restoring';
    if (!isOver || !isMeant(one) || told.has(one.session)) return;
    told.add(one.session);
    if (!isSilent) out.line(restoredText(one));
  };
  const ended = await followRestoration({
    client,
    begun,
    wait: () => delay(RESTORATION_ASK_MS),
    onProgress: ({ sessions }) => sessions.forEach(tell),
  });
  if (ended === null) {
    throw new CommandError('The server was restarted, or another restoration began', 'cbos restore continues');
  }
  return ended;
}
