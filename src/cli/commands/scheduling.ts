import type { Command } from 'commander';
import type { Schedule, ScheduleChange, ScheduleMissed, ScheduleRun } from '../../protocol/index.ts';
import { formatDateTime } from '../../text/durations.ts';
import { costFact } from '../../text/figure-words.ts';
import { localTimeZone, receiverText, runText, scheduleTimeText, startedByText } from '../../text/schedule-words.ts';
import { firstLine } from '../../text/session-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { UsageError } from '../command-error.ts';
import type { CliContext } from '../context.ts';
import type { Cell } from '../output/table.ts';
import { readText } from '../text-argument.ts';
import { describe, type JsonOption } from './command-help.ts';
import { addScheduleTrigger } from './schedule-trigger.ts';
import { addLaunchOptions, type LaunchOptions, scheduledLaunch } from './scheduled-launch.ts';

interface AddOptions extends JsonOption, LaunchOptions {
  session?: string;
  prompt: string;
  timezone?: string;
  missed?: ScheduleMissed;
}

interface EditOptions extends JsonOption {
  when?: string;
  session?: string;
  prompt?: string;
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
    more: 'A pattern has five fields: minute, hour, day of the month, month, day of the week. At each matching time, the prompt is sent as soon as the session is ready. If no server was running at that time or the machine was suspended, the run is skipped. With --missed run, one run makes up for all missed runs. A run is also skipped while the previous prompt is still waiting. Each matching time leads to at most one run; `cbos schedule runs` shows the results.',
    examples: [
      ['cbos schedule', 'list the schedules, each with its next time'],
      [
        "cbos schedule add NIGHTLY '0 7 * * 1-5' --session CI --prompt 'run the tests'",
        'send a prompt at seven on weekdays',
      ],
      ["cbos schedule times '0 7 * * 1-5'", 'show the next times of a pattern, before you save it'],
      ["cbos schedule edit NIGHTLY --when '0 6 * * *'", 'change the time; everything else stays the same'],
      [
        "cbos schedule add NIGHTLY '0 3 * * *' --new ~/src/shop --worktree --tag night --keep 5 --prompt 'update the dependencies'",
        'start a new session each time: NIGHTLY-1, NIGHTLY-2, …',
      ],
      ['cbos schedule runs NIGHTLY', 'show the results of its past runs'],
      ['cbos schedule run NIGHTLY', 'now'],
      ['cbos schedule pause NIGHTLY', 'pause it until `cbos schedule resume NIGHTLY`'],
      ['cbos schedule trigger NIGHTLY --create', 'let a signed webhook run it'],
      ['cbos schedule rm NIGHTLY', 'delete the schedule'],
    ],
  });

  schedule
    .command('ls', { isDefault: true })
    .summary('list the schedules')
    .description('List the schedules, each with its next time and the result of its last run.')
    .option('--json', 'print the API response as JSON')
    .action(async (options: JsonOption) => {
      const client = await context.client();
      const schedules = await client.call('listSchedules');
      if (options.json === true) out.json(schedules);
      else if (schedules.length === 0) out.notice('no schedules yet — cbos schedule add --help');
      else printSchedules(context, schedules);
    });

  const add = schedule.command('add');
  add
    .summary('add a schedule')
    .description('Add a schedule. Its first run is at the next matching time.')
    .argument('<schedule>', 'its name')
    .argument('<pattern>', "when to run: '0 7 * * 1-5', or never to run only by hand or by webhook")
    .option('--session <name>', 'the session that gets the prompt')
    .requiredOption('--prompt <text>', 'the prompt; - reads standard input')
    .option('--timezone <zone>', "a time zone such as Europe/Berlin; default: that of the server's machine")
    .addOption(add.createOption('--missed <what>', 'what to do about a missed run').choices(['skip', 'run']))
    .option('--json', 'print the API response as JSON');
  addLaunchOptions(add).action(async (name: string, cron: string, options: AddOptions) => {
    const { json, session, prompt, timezone, missed } = options;
    const launch = scheduledLaunch(context, { schedule: name, options });
    if ((session === undefined) === (launch === undefined)) {
      throw new UsageError('a schedule needs --session or --new', 'use one of them');
    }
    const text = await readText(context, [prompt], 'cbos schedule');
    const to = session === undefined ? { launch } : { session };
    const more = { ...(timezone === undefined ? {} : { timezone }), ...(missed === undefined ? {} : { missed }) };
    const client = await context.client();
    const added = await client.call('addSchedule', { body: { name, cron, ...to, prompt: text, ...more } });
    if (json === true) out.json(added);
    else
      out.line(cleanLine(`${added.name}: ${receiverText(added)}, next ${atText(added.next_at)} (${added.timezone})`));
  });

  const edit = schedule.command('edit');
  edit
    .summary('change a schedule')
    .description(
      'Change a schedule. Options that you leave out stay as they are. Times that have already passed are not run.',
    )
    .argument('<schedule>', 'the schedule')
    .option('--when <pattern>', "another pattern: '0 7 * * 1-5'")
    .option('--session <name>', 'another session')
    .option('--prompt <text>', 'another prompt; - reads standard input')
    .option('--timezone <zone>', 'another time zone')
    .addOption(edit.createOption('--missed <what>', 'what to do about a missed run').choices(['skip', 'run']))
    .option('--json', 'print the API response as JSON')
    .action(async (name: string, { json, when: cron, prompt, ...more }: EditOptions) => {
      const text = prompt === undefined ? {} : { prompt: await readText(context, [prompt], 'cbos schedule') };
      const body: ScheduleChange = { ...(cron === undefined ? {} : { cron }), ...text, ...more };
      if (Object.keys(body).length === 0) {
        throw new UsageError('nothing to change', 'give at least one option, such as --when PATTERN');
      }
      const client = await context.client();
      const changed = await client.call('changeSchedule', { params: { name }, body });
      out.result(json, changed, cleanLine(`${changed.name}: next ${atText(changed.next_at)} (${changed.timezone})`));
    });

  schedule
    .command('times')
    .summary('show the next times of a pattern')
    .description('Show the next five times of a pattern, to check it before you save a schedule.')
    .argument('<pattern>', "when: '0 7 * * 1-5'")
    .option('--timezone <zone>', "a time zone such as Europe/Berlin; default: that of the server's machine")
    .option('--json', 'print the API response as JSON')
    .action(async (cron: string, { json, ...zone }: JsonOption & { timezone?: string }) => {
      const client = await context.client();
      const found = await client.call('scheduleTimes', { query: { cron, ...zone } });
      if (json === true) return out.json(found);
      for (const at of found.times) out.line(cleanLine(scheduleTimeText(at, found.timezone, localTimeZone())));
    });

  const change = (verb: 'rm' | 'pause' | 'resume', route: ChangeRoute, summary: string, said: string): void => {
    schedule
      .command(verb)
      .summary(summary)
      .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
      .argument('<schedule>', 'the schedule')
      .option('--json', 'print the API response as JSON')
      .action(async (name: string, options: JsonOption) => {
        const client = await context.client();
        const changed = await client.call(route, { params: { name } });
        out.result(options.json, changed, cleanLine(`${said}: ${changed.name}`));
      });
  };
  change('rm', 'removeSchedule', 'delete a schedule; what is already queued stays queued', 'deleted');
  change('pause', 'pauseSchedule', 'pause a schedule until it is resumed', 'paused');
  change('resume', 'resumeSchedule', 'resume a schedule, beginning with its next time', 'resumed');

  schedule
    .command('run')
    .summary('run a schedule now')
    .description('Run a schedule now, even while it is paused. Its next times do not change.')
    .argument('<schedule>', 'the schedule')
    .option('--json', 'print the API response as JSON')
    .action(async (name: string, options: JsonOption) => {
      const client = await context.client();
      const run = await client.call('runSchedule', { params: { name } });
      out.result(options.json, run, cleanLine(runText(run)));
    });

  schedule
    .command('runs')
    .summary("show a schedule's results")
    .description("Show the results of a schedule's past runs, oldest first.")
    .argument('<schedule>', 'the schedule')
    .option('--json', 'print the API response as JSON')
    .action(async (name: string, options: JsonOption) => {
      const client = await context.client();
      const runs = await client.call('scheduleRuns', { params: { name } });
      if (options.json === true) out.json(runs);
      else if (runs.length === 0) out.notice('no runs yet');
      else printRuns(context, runs);
    });

  addScheduleTrigger(schedule, context);
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
      { text: cleanLine(receiverText(one)) },
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
    [
      { title: 'DUE' },
      { title: 'OUTCOME' },
      { title: 'STARTED', worth: 2 },
      { title: 'SESSION', worth: 1, keeps: 'both ends' },
      { title: 'COST', worth: 2 },
      { title: 'DELIVERY', worth: 3 },
    ],
    runs.map((run): Cell[] => [
      { text: atText(run.due_at) },
      { text: cleanLine(runText(run)) },
      { text: startedByText(run) },
      { text: cleanLine(run.session ?? '') },
      { text: costFact(run.cost_usd ?? null) },
      { text: cleanLine(run.delivery_id ?? ''), style: 'dim' },
    ]),
  );
}

const atText = (at: string | null): string => (at === null ? 'never' : formatDateTime(Date.parse(at)));
