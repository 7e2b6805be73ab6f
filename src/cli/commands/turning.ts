import type { Command } from 'commander';
import { type Rewind, type Rewound, settingKey, type Turn } from '../../protocol/index.ts';
import { countsText } from '../../text/changes-words.ts';
import { agoText } from '../../text/explanation-text.ts';
import { cleanLine } from '../../text/terminal-text.ts';
import { UsageError } from '../command-error.ts';
import { isConfirmed } from '../confirm.ts';
import type { CliContext } from '../context.ts';
import { describe } from './command-help.ts';
import { readTurnNumber } from './option-values.ts';

interface RewindOptions {
  to?: string;
  before?: string;
  yes?: boolean;
  json?: boolean;
}

/** The maximum number of unchanged files whose names a rewind prints. */
const MOST_NAMED = 5;

/** Adds `turns` and `rewind`. */
export function addTurning(program: Command, context: CliContext): void {
  describe(program.command('turns'), {
    group: 'looking',
    summary: "list a session's turns whose files were saved, and what each turn changed",
    more: [
      "In a git repository, CBOS saves all files that git tracks or does not ignore, when a turn begins and when it ends. The saved files are in refs/cbos/turns/NAME/NUMBER; the parent of that commit has the files as they were when the turn began. The repository's hooks and filters do not run, and neither its index nor its files change.",
      `If several sessions share a folder, a turn includes everything that changed there while it ran. The settings ${settingKey('turn_checkpoints')} and ${settingKey('turns_kept')} control whether the files are saved, and for how many turns.`,
    ].join('\n'),
    examples: [
      ['cbos turns AUTH', 'list the turns with their times, prompts, files and lines'],
      ['cbos diff AUTH --turn', 'show what the last turn changed'],
      ['cbos rewind AUTH --before 3', 'restore the files as they were before turn 3'],
      ["cbos turns AUTH --jq '.turns[-1].files'", 'print the number of files that the last turn changed'],
    ],
  })
    .argument('<name>', 'the session')
    .option('--json', 'print the API response as JSON')
    .action((slug: string, options: { json?: boolean }) => list(context, slug, options));

  describe(program.command('rewind'), {
    group: 'sessions',
    summary: "restore a session's files as they were before or after a turn",
    more: [
      'Each file gets back its content, executable bit or link target; files that were added later are deleted. CBOS first saves the current files as a separate turn, and prints the command that undoes the rewind.',
      'Ignored files stay, and so do commits, branches and the index. The conversation is not rewound: tell the session about the rewind, or fork the session. A rewind is refused while a turn runs in the folder.',
      'The command asks for confirmation first. In a script, where nobody can answer, it needs --yes.',
    ].join('\n'),
    examples: [
      ['cbos rewind AUTH --before 3', 'undo turn 3 and all later turns'],
      [
        'cbos rewind AUTH --to 2',
        'restore the state after turn 2, which is the same unless something else changed the files',
      ],
      ['cbos turns AUTH', 'list the turns to choose from'],
    ],
  })
    .argument('<name>', 'the session')
    .option('--to <turn>', 'restore the files as this turn left them')
    .option('--before <turn>', 'restore the files as they were before this turn')
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--json', 'print the API response as JSON')
    .action((slug: string, options: RewindOptions) => rewind(context, slug, options));
}

async function list(context: CliContext, slug: string, options: { json?: boolean }): Promise<void> {
  const { out, io } = context;
  const client = await context.client();
  const answer = await client.call('listTurns', { params: { slug } });
  if (options.json === true) return out.json(answer);
  const { turns, fault } = answer;
  if (turns.length === 0) out.notice(`no turns of ${slug} are saved yet`);
  else {
    out.table(
      [{ title: '' }, { title: 'BEGAN' }, { title: 'FILES' }, { title: 'LINES' }, { title: 'PROMPT', worth: 1 }],
      turns.map((turn) => [
        { text: String(turn.number) },
        { text: agoText(turn.began_at, io.now()) },
        { text: turn.ended_at === null ? '…' : String(turn.files) },
        { text: turn.ended_at === null ? '' : countsText(turn) },
        { text: cleanLine(turn.prompt ?? ''), ...(turn.kind === 'rewind' ? { style: 'dim' as const } : {}) },
      ]),
    );
  }
  if (fault !== null) out.notice(`the files of the last turn were not saved: ${cleanLine(fault)}`);
}

async function rewind(context: CliContext, slug: string, options: RewindOptions): Promise<void> {
  const { out, io } = context;
  const body = whereTo(options);
  const client = await context.client();
  if (options.yes !== true) {
    const { turns } = await client.call('listTurns', { params: { slug } });
    const turn = turns.find(({ number }) => number === body.turn);
    const asked = `${questionOf(slug, body, turn)}${turn === undefined ? '' : ` It began ${agoText(turn.began_at, io.now())}.`}`;
    if (!(await isConfirmed(context, asked, `${slug} not rewound`))) return;
  }
  const rewound = await client.call('rewindSession', { params: { slug }, body });
  if (options.json === true) out.json(rewound);
  else for (const line of outcome(slug, body, rewound)) out.line(line);
}

function whereTo({ to, before }: RewindOptions): Rewind {
  const word = to ?? before;
  if (word === undefined || (to !== undefined && before !== undefined)) {
    throw new UsageError('Use either --to or --before', 'cbos turns NAME lists the turns');
  }
  return { turn: readTurnNumber(word), to: to === undefined ? 'begin' : 'end' };
}

function stateOf({ turn, to }: Rewind): string {
  return to === 'begin' ? `as they were before turn ${turn}` : `as turn ${turn} left them`;
}

function questionOf(slug: string, request: Rewind, turn: Turn | undefined): string {
  const prompt = turn?.prompt == null ? '' : ` (${cleanLine(turn.prompt)})`;
  return `Restore the files of ${slug} ${stateOf(request)}${prompt}?`;
}

function outcome(slug: string, request: Rewind, { saved, written, deleted, left }: Rewound): string[] {
  const files = (count: number): string => (count === 1 ? '1 file' : `${count} files`);
  const more = left.length > MOST_NAMED ? ` and ${left.length - MOST_NAMED} more` : '';
  return [
    `the files of ${slug} are ${stateOf(request)}: ${files(written)} written, ${deleted} deleted`,
    ...(left.length === 0
      ? []
      : [
          `  left unchanged, because there is no other copy: ${left.slice(0, MOST_NAMED).map(cleanLine).join(', ')}${more}`,
        ]),
    `  cbos rewind ${slug} --before ${saved.number} undoes this`,
  ];
}
