import type { Command } from 'commander';
import type { Schedule, ScheduleMissed, ScheduleRun } from '../../protocol/index.ts';
import { formatDateTime } from '../../text/durations.ts';
import { runText } from '../../text/schedule-words.ts';
import { firstLine } from '../../text/session-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { CliContext } from '../context.ts';
import type { Cell } from '../output/table.ts';
import { readText } from '../text-argument.ts';
import { describe } from './command-help.ts';

interface JsonOption {
  json?: boolean;
}

interface AddOptions extends JsonOption {
  session: string;
  prompt: string;
  timezone?: string;
  missed?: ScheduleMissed;
}

/** Adds `schedule` and its subcommands. */
export function addScheduling(program: Command, context: CliContext): void {
  const { out } = context;
  const schedule = program.command('schedule');
  describe(schedule, {
    group: 'talking',
    summary: 'send prompts at set times',
    more: "A pattern has five fields: minute, hour, day of the month, month, day of the week. The prompt is sent as soon as the session is ready then. A time that passed while no server ran or the machine slept is skipped, or made up for once with --missed run; so is one at which the prompt before still waits. Each time is run once at most, and 'runs' says what became of it.",
    examples: [
      ['cbos schedule', 'list them, with when each is due next'],
      ["cbos schedule add NIGHTLY '0 7 * * 1-5' --session CI --prompt 'run the tests'", 'at seven on working days'],
      ['cbos schedule runs NIGHTLY', 'what became of its times'],
      ['cbos schedule run NIGHTLY', 'now'],
      ['cbos schedule pause NIGHTLY', 'until cbos schedule resume NIGHTLY'],
      ['cbos schedule rm NIGHTLY', 'delete it'],
    ],
  });

  schedule
    .command('ls', { isDefault: true })
    .summary('list the schedules')
    .description('List the schedules, with when each is due next and what became of its last time.')
    .option('--json', 'the REST body')
    .action(async (options: JsonOption) => {
      const client = await context.client();
      const schedules = await client.call('listSchedules');
      if (options.json === true) out.json(schedules);
      else if (schedules.length === 0) out.notice('there is no schedule — cbos schedule add --help');
      else printSchedules(context, schedules);
    });

  const add = schedule.command('add');
  add
    .summary('add a schedule')
    .description('Add a schedule. It begins with the next time that matches.')
    .argument('<schedule>', 'its name')
    .argument('<pattern>', "when: '0 7 * * 1-5'")
    .requiredOption('--session <name>', 'the session that gets the prompt')
    .requiredOption('--prompt <text>', 'the prompt; - reads standard input')
    .option('--timezone <zone>', "a zone as Europe/Berlin; that of the server's machine when left out")
    .addOption(add.createOption('--missed <what>', 'a time that was missed').choices(['skip', 'run']))
    .option('--json', 'the REST body')
    .action(async (name: string, cron: string, { json, session, prompt, ...more }: AddOptions) => {
      const text = await readText(context, [prompt], 'cbos schedule');
      const client = await context.client();
      const added = await client.call('addSchedule', { body: { name, cron, session, prompt: text, ...more } });
      if (json === true) out.json(added);
      else out.line(cleanLine(`${added.name}: ${session}, next ${atText(added.next_at)} (${added.timezone})`));
    });

  const change = (verb: 'rm' | 'pause' | 'resume', route: ChangeRoute, summary: string, said: string): void => {
    schedule
      .command(verb)
      .summary(summary)
      .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
      .argument('<schedule>', 'the schedule')
      .option('--json', 'the REST body')
      .action(async (name: string, options: JsonOption) => {
        const client = await context.client();
        const changed = await client.call(route, { params: { name } });
        if (options.json === true) out.json(changed);
        else out.line(cleanLine(`${said}: ${changed.name}`));
      });
  };
  change('rm', 'removeSchedule', 'delete a schedule; what is queued already stays queued', 'deleted');
  change('pause', 'pauseSchedule', 'let no run begin until it is resumed', 'paused');
  change('resume', 'resumeSchedule', 'let runs begin again, from the next time on', 'resumed');

  schedule
    .command('run')
    .summary('run a schedule now')
    .description('Run a schedule now, also while it is paused. Its times stay as they are.')
    .argument('<schedule>', 'the schedule')
    .option('--json', 'the REST body')
    .action(async (name: string, options: JsonOption) => {
      const client = await context.client();
      const run = await client.call('runSchedule', { params: { name } });
      if (options.json === true) out.json(run);
      else out.line(cleanLine(runText(run)));
    });

  schedule
    .command('runs')
    .summary('what became of the times of a schedule')
    .description('Say what became of the times of a schedule, oldest first.')
    .argument('<schedule>', 'the schedule')
    .option('--json', 'the REST body')
    .action(async (name: string, options: JsonOption) => {
      const client = await context.client();
      const runs = await client.call('scheduleRuns', { params: { name } });
      if (options.json === true) out.json(runs);
      else if (runs.length === 0) out.notice('none of its times has come');
      else printRuns(context, runs);
    });
}

type ChangeRoute = 'removeSchedule' | 'pauseSchedule' | 'resumeSchedule';

function printSchedules({ out }: CliContext, schedules: readonly Schedule[]): void {
  out.table(
    [
      { title: 'NAME' },
      { title: 'SESSION', keeps: 'both ends' },
      { title: 'NEXT' },
      { title: 'WHEN' },
      { title: 'ZONE', worth: 1 },
      { title: 'LAST', worth: 2 },
      { title: 'PROMPT', keeps: 'start', worth: 3 },
    ],
    schedules.map((one): Cell[] => [
      { text: cleanLine(one.name), style: one.paused ? 'dim' : 'bold' },
      { text: cleanLine(one.session ?? '(deleted)') },
      { text: one.paused ? 'paused' : atText(one.next_at) },
      { text: cleanLine(one.cron) },
      { text: cleanLine(one.timezone) },
      { text: one.last_run === null ? '' : cleanLine(runText(one.last_run)) },
      { text: firstLine(one.prompt) },
    ]),
  );
}

function printRuns({ out }: CliContext, runs: readonly ScheduleRun[]): void {
  out.table(
    [{ title: 'DUE' }, { title: 'OUTCOME' }, { title: 'DELIVERY', worth: 1 }],
    runs.map((run): Cell[] => [
      { text: atText(run.due_at) },
      { text: cleanLine(runText(run)) },
      { text: cleanLine(run.delivery_id ?? ''), style: 'dim' },
    ]),
  );
}

const atText = (at: string | null): string => (at === null ? 'never' : formatDateTime(Date.parse(at)));
