import {
  type Question,
  type QuestionMemory,
  type QuestionOption,
  type QuestionPart,
  takesNumbers,
} from '../../protocol/index.ts';
import { askerText, behindText } from '../../text/asker-words.ts';
import { truncate } from '../../text/display-width.ts';
import { showHiddenMarks } from '../../text/hidden-marks.ts';
import type { Style } from '../../text/style.ts';
import { cleanBlock, cleanLine } from '../../text/terminal-text.ts';
import { askedCallLines, askedText, cutText, formLinesOf, reasonLines, saysCall } from '../../text/tool-input-text.ts';
import { type AnswerDraft, answerDraft, openPart } from '../model.ts';
import { wrap } from './cells.ts';
import { memoryRows } from './memory-rows.ts';

/**
 * How many characters of a question or a tool's input are read for each available cell. This is more than fits, but
 * much less than the megabyte that an input can contain.
 */
const READ_PER_CELL = 2;

/** The same limit for the text of one option. */
const MOST_OPTION = 500;

export interface QuestionOptions {
  question: Question;
  draft: AnswerDraft | null;
  /** all open questions of the session, oldest first */
  all: readonly Question[];
  /** the earlier answers to the question */
  memory: QuestionMemory | null;
  cols: number;
  rows: number;
  dress: Style;
}

export interface QuestionRows {
  rows: string[];
  /** for each row, the number of the option that it shows */
  options: (number | null)[];
  /** whether the question is shown in full */
  isWhole: boolean;
  /** whether the suggestion to answer as before is shown */
  hasSuggestion: boolean;
}

/**
 * Renders a question in CBOS's own way, regardless of how the session draws it: the call, the text, and the numbered
 * options, in at most the given number of rows.
 */
export function questionRows({ question, all, draft, memory, cols, rows, dress }: QuestionOptions): QuestionRows {
  const width = cols - 3;
  const most = READ_PER_CELL * cols * rows;
  const { chosen, answers } = answerDraft(question, draft);
  const part = openPart(question, draft);
  const several = question.questions.length;
  const head = several > 1 ? `${Object.keys(answers).length + 1} of ${several}: ` : '';
  const { call, text } = wordsOf(question, part, most);
  const optionRowsOf = part.options.map((option, index) =>
    optionRows({ option, number: index + 1, mark: markOf(question, index), part, chosen, width, dress }),
  );
  const options = optionRowsOf.flat();
  const numbers = optionRowsOf.flatMap((rows, index) => rows.map(() => (takesNumbers(question) ? index + 1 : null)));
  const said = [
    ...call.flatMap((line) => wrap(line, width)).map((row) => dress('bold', row)),
    ...[...reasonLines(question), behindText(question)].flatMap((line) => (line === '' ? [] : wrap(line, width))),
    ...(question.cut === true ? wrap(cutText('t opens it'), width) : []),
    ...wrap(head + text, width),
  ];
  const before = memoryRows(question, memory, { width, dress });
  const below = options.length + before.length;
  const room = Math.max(1, rows - 1 - below);
  const hasRoom = said.length <= room && said.length + options.length <= rows - 1;
  const isLong = part.options.some(({ label, description }) => label.length + (description?.length ?? 0) > MOST_OPTION);
  const shown = said.length > room ? [...said.slice(0, room - 1), dress('dim', '…')] : said;
  const title = ` ${truncate(titleOf(question, all), Math.max(0, cols - 4))} `;
  const line = '─'.repeat(Math.max(0, cols - title.length - 2));
  return {
    rows: [
      `${dress('dim', '──')}${dress('yellow', title)}${dress('dim', line)}`,
      ...[...shown, ...options, ...before].slice(0, rows - 1).map((row) => `${dress('dim', '▌')} ${row}`),
    ],
    options: [null, ...shown.map(() => null), ...numbers].slice(0, rows),
    hasSuggestion: memory?.suggestion != null && shown.length + below <= rows - 1,
    isWhole: hasRoom && !isLong && askedText(question, part).length <= most,
  };
}

/** Renders the whole question as a page. */
export function questionPage(question: Question, part: QuestionPart, cols: number): string[] {
  const { call, text } = wordsOf(question, part, Number.POSITIVE_INFINITY);
  const options = part.options.flatMap((option, index) => [
    '',
    ...plain(`${markOf(question, index)}  ${option.label}\n${option.description ?? ''}`).split('\n'),
  ]);
  return [...call, ...reasonLines(question), '', ...text.split('\n'), ...options]
    .flatMap((line) => wrap(line, cols - 2))
    .map((row) => ` ${row}`);
}

/** The result is reused for all pictures of the same question, because the input may be as large as 200 kB. */
const words = new WeakMap<Question, { call: string[] }>();

/**
 * Returns the text that precedes the options, up to the given number of characters. The dialog's own text usually
 * contains the call.
 */
function wordsOf(question: Question, part: { text: string }, most: number): { call: string[]; text: string } {
  const known = words.get(question) ?? { call: saysCall(question) ? [] : askedCallLines(question) };
  words.set(question, known);
  let left = most;
  const call: string[] = [];
  for (const line of known.call) {
    if (left <= 0) break;
    call.push(line.slice(0, left));
    left -= line.length;
  }
  return { call, text: plain([part.text, ...formLinesOf(question)].join('\n').slice(0, most)) };
}

const plain = (text: string): string => cleanBlock(showHiddenMarks(text)).trim();

const KIND_TITLES: Readonly<Record<Question['kind'], string>> = {
  permission: 'asks for permission',
  question: 'asks',
  plan: 'asks you to approve its plan',
  setup: 'needs set-up first',
  closing: 'ended its turn with a question',
  form: 'asks you to fill in a form',
};

function titleOf(question: Question, all: readonly Question[]): string {
  const who = askerText(question);
  const asks = KIND_TITLES[question.kind] ?? 'asks';
  const at = all.length < 2 ? '' : ` (question ${all.findIndex(({ id }) => id === question.id) + 1} of ${all.length})`;
  return `${who === '' ? asks : `${who} ${asks}`}${at}`;
}

interface OptionRow {
  option: QuestionOption;
  number: number;
  mark: string;
  part: { multi: boolean };
  chosen: ReadonlySet<number>;
  width: number;
  dress: Style;
}

/** Returns the key that chooses an option. */
const markOf = (question: Question, index: number): string => (takesNumbers(question) ? String(index + 1) : 'n');

function optionRows({ option, number, mark, part, chosen, width, dress }: OptionRow): string[] {
  const box = part.multi ? (chosen.has(number) ? '[x] ' : '[ ] ') : '';
  const about = option.description === null ? '' : ` — ${cleanLine(option.description)}`;
  const [first = '', ...more] = wrap(
    `${box}${cleanLine(showHiddenMarks(option.label))}${about}`.slice(0, MOST_OPTION),
    width - 3,
  );
  return [`${dress('cyan', mark)}  ${first}`, ...more.map((row) => `   ${row}`)];
}
