import type { Command } from 'commander';
import type { AuditEntry } from '../../protocol/index.ts';
import { formatSince } from '../../text/durations.ts';
import { DECIDED_WORDS, decidedCall, OUTCOME_WORDS } from '../../text/rule-words.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import type { CliContext } from '../context.ts';
import type { Cell } from '../output/table.ts';
import { withoutUndefined } from '../without-undefined.ts';
import { describe } from './command-help.ts';
import { readMoment, readWhole } from './option-values.ts';

interface AuditOptions {
  json?: boolean;
  since?: ReturnType<typeof readMoment>;
  limit?: number;
}

const MOST_ENTRIES = 1_000;

/** Adds `audit`. */
export function addAuditing(program: Command, context: CliContext): void {
  const { out, io } = context;
  describe(program.command('audit'), {
    group: 'looking',
    summary: 'print what rules have decided for you',
    more: 'Each decision is recorded with its whole input before it takes effect, and the record never changes.',
    examples: [
      ['cbos audit', 'the newest decisions for all sessions'],
      ['cbos audit AUTH --since 8h', 'the decisions for one session in the last 8 hours'],
      ['cbos audit --json', 'with the whole input, the rules and the position in the recording'],
    ],
  })
    .argument('[name]', 'only this session')
    .option('--since <when>', 'a span such as 8h, or a time', readMoment)
    .option('--limit <number>', 'only the newest decisions, at most this many', readWhole(1, MOST_ENTRIES))
    .option('--json', 'print the API response as JSON')
    .action(async (session: string | undefined, { since, limit, json }: AuditOptions) => {
      const query = {
        ...withoutUndefined({ session, limit }),
        ...(since === undefined
          ? {}
          : { since: 'at' in since ? since.at : new Date(io.now() - since.agoMs).toISOString() }),
      };
      const client = await context.client();
      const entries = await client.call('audit', { query });
      if (json === true) out.json(entries);
      else if (entries.length === 0) out.notice('no rule has decided anything');
      else printAudit(context, entries);
    });
}

function printAudit({ out, io }: CliContext, entries: readonly AuditEntry[]): void {
  const now = io.now();
  out.table(
    [
      { title: 'AGE' },
      { title: 'NAME', keeps: 'both ends' },
      { title: 'WAS' },
      { title: 'RULES', worth: 1 },
      { title: 'REPLY', worth: 2 },
      { title: 'WHAT', keeps: 'start' },
    ],
    entries.map((entry): Cell[] => [
      { text: formatSince(entry.at, now) },
      { text: cleanLine(entry.session) },
      { text: DECIDED_WORDS[entry.decision] ?? cleanLine(entry.decision), style: 'bold' },
      { text: cleanLine(entry.rules.map(({ id }) => id).join(' ')), style: 'dim' },
      { text: OUTCOME_WORDS[entry.outcome] ?? cleanLine(entry.outcome) },
      { text: decidedCall(entry) },
    ]),
  );
}
