import type { Command } from 'commander';
import type { SessionDay } from '../../protocol/index.ts';
import { formatDuration } from '../../text/durations.ts';
import { dollarsText } from '../../text/figure-words.ts';
import type { CliContext } from '../context.ts';
import { describe } from './command-help.ts';
import { readWhole } from './option-values.ts';

const DEFAULT_DAYS = 7;
const MOST_DAYS = 3_650;

interface HistoryOptions {
  days: number;
  json?: boolean;
}

/** Adds `history`. */
export function addHistory(program: Command, context: CliContext): void {
  const { out, io } = context;

  describe(program.command('history'), {
    group: 'looking',
    summary: 'print, for each day, how long each session worked, waited for you and was stuck, and what it cost',
    more: 'Only time that the server observed counts: time when the server was down or the machine was suspended is left out.',
    examples: [
      ['cbos history', 'all sessions, the last week'],
      ['cbos history AUTH --days 30', 'one session'],
      ["cbos history --jq 'map(.waited_ms) | add'", 'print the total waiting time'],
    ],
  })
    .argument('[name]', 'the session')
    .option('--days <n>', 'the number of days, including today', readWhole(1, MOST_DAYS), DEFAULT_DAYS)
    .option('--json', 'print the API response as JSON')
    .action(async (slug: string | undefined, { days, json }: HistoryOptions) => {
      const client = await context.client();
      const since = noonOf(io.now(), days - 1).toISOString();
      const query = { since, ...(slug === undefined ? {} : { session: slug }) };
      const found = await client.call('historyDays', { query });
      if (json === true) out.json(found);
      else if (found.length === 0) out.notice('CBOS has recorded no activity on these days');
      else printDays(context, found);
    });
}

/**
 * Returns noon of the day that was the given number of days ago. A day has 23 to 25 hours when the clocks change, so
 * subtracting multiples of 24 hours could end up on a different day.
 */
export function noonOf(now: number, daysAgo: number): Date {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - daysAgo, 12);
}

function printDays({ out }: CliContext, days: readonly SessionDay[]): void {
  const time = (ms: number): { text: string } => ({ text: ms === 0 ? '' : formatDuration(ms) });
  out.table(
    [
      { title: 'DAY' },
      { title: 'SESSION', keeps: 'both ends' },
      { title: 'WORKED' },
      { title: 'WAITED' },
      { title: 'STUCK', worth: 2 },
      { title: 'IDLE', worth: 1 },
      { title: 'ERROR', worth: 3 },
      { title: 'COST', worth: 4 },
    ],
    days.map((day) => [
      { text: day.day },
      { text: day.session },
      time(day.worked_ms),
      time(day.waited_ms),
      { ...time(day.stuck_ms), style: 'red' },
      time(day.idle_ms),
      { ...time(day.error_ms), style: 'red' },
      { text: day.cost_usd === null ? '' : dollarsText(day.cost_usd) },
    ]),
  );
}
