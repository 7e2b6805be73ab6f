import type { Command } from 'commander';
import type { Explanation, Session } from '../../protocol/index.ts';
import { formatSince } from '../../text/durations.ts';
import { agoText, evidenceFacts, statusWord } from '../../text/explanation-text.ts';
import { sessionIcon, sessionStyle, stateText } from '../../text/session-words.ts';
import { cleanBlock, cleanLine } from '../../text/terminal-text.ts';
import { UsageError } from '../command-error.ts';
import type { CliContext } from '../context.ts';
import type { TimelineChange } from '../local-host.ts';
import { shownLines } from '../output/shown-lines.ts';
import { describe } from './command-help.ts';
import { readStatusWord, readWhole } from './option-values.ts';

/** The largest window size that the server accepts for a session. */
const MAX_CELLS = 1_000;

interface TimelineOptions {
  timing?: string;
  cols?: number;
  rows?: number;
  json?: boolean;
}

/** Adds `timeline`, `explain`, and `record-misdetection`. */
export function addExplaining(program: Command, context: CliContext): void {
  const { out, host } = context;

  describe(program.command('timeline'), {
    group: 'looking',
    summary: "print how a session's status changed during a recording, as derived from its screen",
    more: [
      'This command needs no server. RECORDING is a session, or a file written by `script`; its timing file must be next to it and be called FILE.timing, or be given with --timing.',
      'A recording usually contains its terminal size; use --cols and --rows for one that does not.',
    ].join('\n'),
    examples: [
      ['cbos timeline AUTH', 'show what the session did, and when'],
      ['cbos timeline old/run.typescript --json', 'print one JSON line per change, for scripts'],
    ],
  })
    .argument('<recording>', 'a session, or a .typescript file')
    .option('--timing <file>', 'its timing file')
    .option('--cols <n>', 'terminal width, in columns', readWhole(1, MAX_CELLS))
    .option('--rows <n>', 'terminal height, in rows', readWhole(1, MAX_CELLS))
    .option('--json', 'print one JSON line per change')
    .action(async (recording: string, options: TimelineOptions) => {
      const { timing = null, cols = null, rows = null } = options;
      const { timed, changes } = await host.timeline({ recording, timing, cols, rows });
      if (!timed)
        out.notice('no timing file was found, so only the order is known, not the times — name one with --timing FILE');
      if (options.json === true) for (const change of changes) out.jsonLine(change);
      else printTimeline(context, { timed, changes });
    });

  describe(program.command('explain'), {
    group: 'looking',
    summary: "explain a session's status: the evidence, each source's verdict, and why CBOS believed one of them",
    examples: [
      ['cbos explain AUTH', 'find out why the status looks wrong'],
      ['cbos record-misdetection AUTH --should-be waiting/permission', 'save the evidence for a wrong status'],
    ],
  })
    .argument('<name>', 'the session')
    .option('--json', 'print the API response as JSON')
    .action(async (slug: string, options: { json?: boolean }) => {
      const client = await context.client();
      const [explanation, session] = await Promise.all([
        client.call('explain', { params: { slug } }),
        client.call('getSession', { params: { slug } }),
      ]);
      if (options.json === true) out.json(explanation);
      else printExplanation(context, session, explanation);
    });

  describe(program.command('record-misdetection'), {
    group: 'looking',
    summary: 'save a wrong status to a file, for a report or a test',
    more: [
      'The file contains what `cbos explain` prints. Every letter and digit of your text is replaced by another one of the same width. Only those words of',
      'Claude Code itself that the rules read are kept. Check the file before you send it to anybody.',
    ].join('\n'),
    examples: [['cbos record-misdetection AUTH --should-be waiting/permission', "prints the file's path"]],
  })
    .argument('<name>', 'the session')
    .option('--should-be <status>', 'the correct status, such as waiting/permission', readStatusWord)
    .option('--json', 'print the path as JSON')
    .action(async (slug: string, options: { shouldBe?: string; json?: boolean }) => {
      const { shouldBe } = options;
      if (shouldBe === undefined) {
        const cure = `cbos record-misdetection ${slug} --should-be waiting/permission`;
        throw new UsageError('The correct status is missing', cure);
      }
      const client = await context.client();
      const explanation = await client.call('explain', { params: { slug } });
      const said = statusWord(explanation.status);
      if (said === shouldBe)
        out.notice(`${slug} is ${said} now, which is correct: the file does not contain the earlier, wrong status`);
      const file = await host.recordMisdetection({ slug, shouldBe, explanation, at: context.io.now() });
      out.result(options.json, { file }, cleanLine(file));
    });
}

const LABEL_WIDTH = 12;

function printExplanation(context: CliContext, session: Session, explanation: Explanation): void {
  const { status, why, verdicts, evidence } = explanation;
  const { out } = context;
  const now = context.io.now();
  const say = (label: string, text: string): void =>
    out.line(`  ${out.style('dim', label.padEnd(LABEL_WIDTH))}${cleanLine(text)}`);
  out.line(
    `${out.style('bold', session.slug)}  ${statusWord(status)} for ${formatSince(status.since, now)}: ${cleanLine(why)}`,
  );
  out.line();
  out.table(
    [
      { title: '' },
      { title: 'SOURCE' },
      { title: 'SAYS' },
      { title: 'SINCE', worth: 1 },
      { title: 'RULE', keeps: 'start', worth: 2 },
      { title: 'EVIDENCE', keeps: 'start', worth: 3 },
    ],
    verdicts.map((verdict) => [
      { text: verdict.won ? '→' : '' },
      { text: verdict.source },
      { text: statusWord(verdict) },
      { text: agoText(verdict.since, now) },
      { text: cleanLine(verdict.rule) },
      { text: cleanLine(verdict.evidence) },
    ]),
  );
  out.line();
  for (const [label, text] of evidenceFacts(session, explanation, now)) say(label, text);
  if (evidence.json !== null) return;
  const shown = evidence.screen?.lines.map((line) => cleanBlock(line).trimEnd()) ?? [];
  while (shown.at(-1) === '') shown.pop();
  out.lines(shownLines(out, shown));
}

function printTimeline({ out }: CliContext, { timed, changes }: { timed: boolean; changes: TimelineChange[] }): void {
  out.table(
    [
      { title: 'TIME' },
      { title: '' },
      { title: 'STATE' },
      { title: 'HEALTH', worth: 2 },
      { title: 'BECAUSE', keeps: 'start', worth: 1 },
    ],
    changes.map((change) => {
      const shown = { status: change };
      const { source, rule, evidence } = change.because;
      return [
        { text: timed ? clock(change.t) : '', style: 'dim' },
        { text: sessionIcon(shown) },
        { text: stateText(shown), style: sessionStyle(shown) },
        { text: change.health === 'ALIVE' ? '' : change.health },
        { text: source === 'none' ? '' : cleanLine(`${rule}: ${evidence}`), style: 'dim' },
      ];
    }),
  );
}

/** Formats seconds as `4.2`, `1:04.2`, or `25:01:04.2`. */
function clock(seconds: number): string {
  const tenths = Math.floor(seconds * 10);
  const parts = [Math.floor(tenths / 36_000), Math.floor(tenths / 600) % 60, (tenths % 600) / 10];
  const [hours = 0, minutes = 0, rest = 0] = parts;
  if (hours === 0 && minutes === 0) return rest.toFixed(1);
  const tail = rest.toFixed(1).padStart(4, '0');
  return hours === 0 ? `${minutes}:${tail}` : `${hours}:${String(minutes).padStart(2, '0')}:${tail}`;
}
