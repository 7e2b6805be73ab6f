import type { Command } from 'commander';
import { type Compared, compareSession } from '../../client/compare.ts';
import type { Caller } from '../../client/index.ts';
import type { Session } from '../../protocol/index.ts';
import { baseText, totalText } from '../../text/changes-words.ts';
import { testsText } from '../../text/compare-words.ts';
import { formatDuration } from '../../text/durations.ts';
import { dollarsText } from '../../text/figure-words.ts';
import { sessionIcon, sessionStyle, stateText } from '../../text/session-words.ts';
import { cleanBlock, cleanLine } from '../../text/terminal-text.ts';
import { UsageError } from '../command-error.ts';
import type { CliContext } from '../context.ts';
import { describe } from './command-help.ts';

/** Adds `compare`. */
export function addComparing(program: Command, context: CliContext): void {
  const { out } = context;
  describe(program.command('compare'), {
    group: 'looking',
    summary: 'compare what several sessions did: changes, cost, time, tests, last words',
    more: [
      'For sessions with the same task, such as those from `cbos new --times` or `cbos fork`. Each session is compared with its own base, as `cbos diff` does. TIME is how long the session spent thinking or working.',
      'TESTS is the outcome of the last test command in the transcript. It is empty if the session ran no tests, or if the exit code does not show the outcome, as in a pipe.',
      'To keep one: `cbos finish A --merge`, then `cbos finish B --discard` for the others. Everything discarded is saved; `cbos recover` restores it.',
    ].join('\n'),
    examples: [
      [
        "cbos new FIX ~/src/shop --worktree --times 3 --prompt 'fix the login test'",
        'give three sessions the same task',
      ],
      ['cbos compare FIX-1 FIX-2 FIX-3', 'compare their results side by side'],
      ['cbos finish FIX-2 --merge', 'merge the work of the second session'],
      ['cbos finish FIX-1 --discard', 'discard the work of the first session'],
      ["cbos compare A B --jq '.[].changes.total'", 'print only the number of changed files and lines'],
    ],
  })
    .argument('<name...>', 'the sessions, at least two')
    .option('--json', 'print everything as a JSON array, with the last words in full')
    .action(async (slugs: string[], { json }: { json?: boolean }) => {
      const named = [...new Set(slugs)];
      if (named.length < 2) throw new UsageError('Name at least two sessions', 'cbos compare A B');
      const client = await context.client();
      const sessions = await Promise.all(named.map((slug) => client.call('getSession', { params: { slug } })));
      // Read one session at a time, because each one runs git and reads a transcript of several megabytes.
      const compared: Compared[] = [];
      for (const session of sessions) compared.push(await compare(client, session));
      if (json === true) return out.json(compared.map(({ session, ...rest }) => ({ ...factsOf(session), ...rest })));
      printTable(context, compared);
    });
}

async function compare(client: Caller, session: Session): Promise<Compared> {
  const compared = await compareSession(client, session);
  return { ...compared, last_words: cleanBlock(compared.last_words).trim() };
}

const factsOf = ({ slug, state, status, worktree }: Session) => ({ session: slug, state, status, worktree });

function printTable({ out }: CliContext, compared: readonly Compared[]): void {
  out.table(
    [
      { title: '' },
      { title: 'NAME' },
      { title: 'STATE' },
      { title: 'CHANGES' },
      { title: 'COST' },
      { title: 'WORKED', worth: 3 },
      { title: 'TESTS', keeps: 'start', worth: 2 },
      { title: 'LAST WORDS', keeps: 'start', least: 20, worth: 4 },
    ],
    compared.map(({ session, changes, worked_ms, cost_usd, tests, last_words }) => [
      { text: sessionIcon(session), style: sessionStyle(session) },
      { text: cleanLine(session.slug), style: 'bold' },
      { text: stateText(session), style: sessionStyle(session) },
      { text: changes === null ? '' : totalText(changes.total) },
      { text: cost_usd === null ? '' : dollarsText(cost_usd) },
      { text: worked_ms === 0 ? '' : formatDuration(worked_ms) },
      { text: testsText(tests), style: tests?.outcome === 'failed' ? 'red' : null },
      { text: cleanLine(last_words) },
    ]),
  );
  const bases = compared.flatMap(({ session, changes }) => (changes === null ? [] : [{ session, base: changes.base }]));
  if (new Set(bases.map(({ base }) => base.commit)).size > 1) {
    for (const { session, base } of bases) out.notice(`${cleanLine(session.slug)} is compared ${baseText(base)}`);
  }
  for (const { session, changes } of compared) {
    const left = changes?.left_out.untracked ?? 0;
    if (left > 0) out.notice(`${cleanLine(session.slug)} has ${left} more untracked files, which were not compared`);
  }
}
