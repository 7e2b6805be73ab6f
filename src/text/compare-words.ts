import type { Changes, Session } from '../protocol/index.ts';
import { baseText, leftOutLines, totalText } from './changes-words.ts';
import { formatDuration } from './durations.ts';
import { dollarsText } from './figure-words.ts';
import { showHiddenMarks } from './hidden-marks.ts';
import { sessionStyle, stateText } from './session-words.ts';
import type { StyleName } from './style.ts';
import { cleanBlock, cleanLine } from './terminal-text.ts';

interface Tests {
  command: string;
  outcome: 'passed' | 'failed';
  edited_since: boolean;
}

/** What a session has done, as returned by `compareSession`. */
interface Compared {
  session: Session;
  changes: Pick<Changes, 'base' | 'total' | 'left_out'> | null;
  worked_ms: number;
  cost_usd: number | null;
  tests: Tests | null;
  last_words: string;
}

/**
 * Returns the outcome of a session's last tests, such as `passed before the last edit: npm test`, or an empty string if
 * the outcome is unknown.
 */
export function testsText(tests: Tests | null): string {
  if (tests === null) return '';
  return cleanLine(`${tests.outcome}${tests.edited_since ? ' before the last edit' : ''}: ${tests.command}`);
}

/** The rows of a table that shows sessions side by side. A text may have several lines, but no invisible characters. */
export const COMPARED_ROWS: readonly {
  title: string;
  text(one: Compared): string;
  style?(one: Compared): StyleName | null;
}[] = [
  { title: 'State', text: ({ session }) => stateText(session), style: ({ session }) => sessionStyle(session) },
  { title: 'Changes', text: ({ changes }) => (changes === null ? '' : changesText(changes)) },
  { title: 'Cost', text: ({ cost_usd: cost }) => (cost === null ? '' : dollarsText(cost)) },
  { title: 'Worked', text: ({ worked_ms: ms }) => (ms === 0 ? '' : formatDuration(ms)) },
  {
    title: 'Tests',
    text: ({ tests }) => testsText(tests),
    style: ({ tests }) => (tests?.outcome === 'failed' ? 'red' : null),
  },
  { title: 'Last words', text: ({ last_words: words }) => cleanBlock(showHiddenMarks(words)).trim() },
];

function changesText({ base, total, left_out }: NonNullable<Compared['changes']>): string {
  return [`${totalText(total)} ${baseText(base)}`, ...leftOutLines({ left_out })].join('\n');
}
