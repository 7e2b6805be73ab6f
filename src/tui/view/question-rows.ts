import type { Question, QuestionOption } from '../../protocol/index.ts';
import { toolGist } from '../../text/session-words.ts';
import type { Style } from '../../text/style.ts';
import { cleanBlock, cleanLine } from '../../text/terminal-text.ts';
import { type AnswerDraft, answerDraft, openPart } from '../model.ts';
import { wrap } from './cells.ts';

/** Characters of a question or a tool's input that are looked at for each picture: more than fits anywhere, and no file of a megabyte. */
const MOST_READ = 10_000;

/** The same of one option. */
const MOST_OPTION = 500;

/** What a tool is about to do, in lines: enough for a command of some lines; `t` shows all of a long file. */
const MAX_TOOL_ROWS = 6;

export interface QuestionOptions {
  question: Question;
  draft: AnswerDraft | null;
  cols: number;
  rows: number;
  dress: Style;
}

/** What is being asked, apart from the session's own drawing of it: text, tool, options with their numbers. At most so many rows. */
export function questionRows({ question, draft, cols, rows, dress }: QuestionOptions): string[] {
  const width = cols - 3;
  const { chosen, answers } = answerDraft(question, draft);
  const part = openPart(question, draft);
  const several = question.questions.length;
  const head = several > 1 ? `${Object.keys(answers).length + 1} of ${several}: ` : '';
  const asked = cleanBlock(part.text.slice(0, MOST_READ)).trim();
  // The dialog's own words mostly say what the tool does.
  const isTold =
    question.tool === null || question.kind !== 'permission' || asked.includes(toolGist(question.tool.input));
  const tool = question.tool === null || isTold ? [] : toolRows(question.tool, width);
  const text = wrap(head + asked, width);
  const options = part.options.flatMap((option, index) =>
    optionRows({ option, number: index + 1, part, chosen, width, dress }),
  );
  const room = Math.max(1, rows - 1 - options.length);
  const said = [...tool.map((row) => dress('bold', row)), ...text];
  const shown = said.length > room ? [...said.slice(0, room - 1), dress('dim', '…')] : said;
  const title = ` ${KIND_TITLES[question.kind] ?? 'asks'} `;
  return [
    dress('yellow', `──${title}${'─'.repeat(Math.max(0, cols - title.length - 2))}`),
    ...[...shown, ...options].slice(0, rows - 1).map((row) => `${dress('yellow', '▌')} ${row}`),
  ];
}

const KIND_TITLES: Readonly<Record<Question['kind'], string>> = {
  permission: 'needs a permission',
  question: 'asks',
  plan: 'needs its plan approved',
  setup: 'must be set up first',
  closing: 'asks, in words',
};

function toolRows(tool: { name: string; input: unknown }, width: number): string[] {
  const fields = typeof tool.input === 'object' && tool.input !== null ? Object.values(tool.input) : [];
  const long = fields.find((value): value is string => typeof value === 'string' && value.includes('\n')) ?? '';
  const name = cleanLine(tool.name);
  const rows = [
    ...wrap(`${name}: ${toolGist(tool.input).slice(0, MOST_READ)}`, width),
    ...(long === '' ? [] : wrap(cleanBlock(long.slice(0, MOST_READ)).trimEnd(), width)),
  ];
  return rows.length > MAX_TOOL_ROWS ? [...rows.slice(0, MAX_TOOL_ROWS - 1), '…'] : rows;
}

interface OptionRow {
  option: QuestionOption;
  number: number;
  part: { multi: boolean };
  chosen: ReadonlySet<number>;
  width: number;
  dress: Style;
}

function optionRows({ option, number, part, chosen, width, dress }: OptionRow): string[] {
  const box = part.multi ? (chosen.has(number) ? '[x] ' : '[ ] ') : '';
  const about = option.description === null ? '' : ` — ${cleanLine(option.description)}`;
  const [first = '', ...more] = wrap(`${box}${cleanLine(option.label)}${about}`.slice(0, MOST_OPTION), width - 3);
  return [`${dress('cyan', String(number))}  ${first}`, ...more.map((row) => `   ${row}`)];
}
