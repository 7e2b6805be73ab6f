import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import type { TimelineChange } from '../local-host.ts';
import { sessionIcon, sessionStyle, stateText } from '../output/session-text.ts';
import { cleanLine } from '../output/terminal-text.ts';
import { describe } from './command-help.ts';
import { readWhole } from './option-values.ts';

/** As the server takes for a session's window. */
const MAX_CELLS = 1_000;

interface TimelineOptions {
  timing?: string;
  cols?: number;
  rows?: number;
  json?: boolean;
}

/** `timeline`. */
export function addExplaining(program: Command, context: CliContext): void {
  const { out, host } = context;

  describe(program.command('timeline'), {
    group: 'looking',
    summary: 'print the status along a recording, as CBOS derives it from the screen',
    more: [
      'Needs no server. RECORDING is a session or a file that `script` wrote; its timing is FILE.timing beside it.',
      'The size of the terminal is in the recording; --cols and --rows are for one that does not tell it.',
    ].join('\n'),
    examples: [
      ['cbos timeline AUTH', 'what it did, and when'],
      ['cbos timeline old/run.typescript --json', 'a JSON line per change, for programs'],
    ],
  })
    .argument('<recording>', 'a session, or a .typescript file')
    .option('--timing <file>', 'its timing file')
    .option('--cols <n>', 'columns of the terminal', readWhole(1, MAX_CELLS))
    .option('--rows <n>', 'rows of the terminal', readWhole(1, MAX_CELLS))
    .option('--json', 'a JSON line per change')
    .action(async (recording: string, options: TimelineOptions) => {
      const { timing = null, cols = null, rows = null } = options;
      const { timed, changes } = await host.timeline({ recording, timing, cols, rows });
      if (!timed)
        out.notice('there is no timing beside it, so the order is known and the times are not — --timing FILE');
      if (options.json === true) for (const change of changes) out.jsonLine(change);
      else printTimeline(context, { timed, changes });
    });
}

function printTimeline({ out }: CliContext, { timed, changes }: { timed: boolean; changes: TimelineChange[] }): void {
  out.table(
    [{ title: 'TIME' }, { title: '' }, { title: 'STATE' }, { title: 'HEALTH' }, { title: 'BECAUSE', isFlexible: true }],
    changes.map((change) => {
      const shown = { state: change.state, status: change };
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

/** `4.2`, `1:04.2`, `25:01:04.2` */
function clock(seconds: number): string {
  const tenths = Math.floor(seconds * 10);
  const parts = [Math.floor(tenths / 36_000), Math.floor(tenths / 600) % 60, (tenths % 600) / 10];
  const [hours = 0, minutes = 0, rest = 0] = parts;
  if (hours === 0 && minutes === 0) return rest.toFixed(1);
  const tail = rest.toFixed(1).padStart(4, '0');
  return hours === 0 ? `${minutes}:${tail}` : `${hours}:${String(minutes).padStart(2, '0')}:${tail}`;
}
