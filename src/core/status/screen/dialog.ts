import type { OptionMeaning, QuestionOption, QuestionPart } from '../../../protocol/index.ts';
import { meaningOfAnswer, meaningOfDecision } from '../option-meaning.ts';
import { isDrawnWhole, KEY_HINT } from './dialog-end.ts';
import { readReason } from './dialog-reason.ts';
import { readFormDialog } from './form-dialog.ts';
import { readKeyDialog } from './key-dialog.ts';
import { isRule } from './rule-line.ts';
import type { ScreenDialog, ScreenFrame } from './screen-evidence.ts';
import type { ScreenSigns } from './signs.ts';

interface OptionRow {
  row: number;
  key: string;
  label: string;
  isChosen: boolean;
  /** whether the option's box is ticked, or null if the option has no checkbox */
  isChecked: boolean | null;
  indent: number;
}

// The group for the marker includes the spaces after it. Matching two adjacent runs of spaces would take quadratic
// time.
const NUMBERED = /^(\s*)(?:(❯|>)(\s*))?(\d{1,2})\.\s+(\[[ x✓✔]\]\s*)?(.*)$/;
const MARKED = /^(\s*)❯\s(\s*\S.*)$/;
/** Matches the spaces before an option's text. They may include a check mark (the theme picker of 2.1.329). */
const LEADING_CHECK = /^\s*(?:[✔✓]\s+)?/;
/** Matches what may appear to the left of an option's text. */
const NO_TEXT = /^[\s❯✔✓]*$/;
/** Matches the line below the last option of a dialog that is taller than the window (2.1.329). */
const MORE_ROWS = /^[↑↓] \d+ more lines?$/;
const CHECK_MARK = /\s+[✔✓]$/;
const FRAME = /^[─╌▔╭╰]{2}/;
/**
 * Matches the row below the options of a dialog with checkboxes. This row leads to the next step and is not an option.
 */
const SUBMIT_ROW = /^(?:❯ )?(?:Submit|Next)$/;
/** Matches the place of a dialog among those that wait, at the end of its heading (2.1.330). */
const POSITION = /\s{3,}\d+ of \d+$/;
/** Matches an option with a description, which pickers show in a second column. */
const COLUMNS = /^(\S.*?)\s{2,}(\S.*)$/;

function withoutBorder(line: string, { borders }: ScreenSigns): string {
  const sign = borders.find(({ left }) => left.test(line));
  return sign === undefined ? line : line.replace(sign.left, ' ').replace(sign.right, '');
}

function readNumbered(line: string, row: number): OptionRow | null {
  const match = NUMBERED.exec(line);
  if (match === null) return null;
  const [, before = '', mark, between = '', key = '', box, label = ''] = match;
  return {
    row,
    key,
    label: label.trim(),
    isChosen: mark !== undefined,
    isChecked: box === undefined ? null : /[x✓✔]/.test(box),
    indent: before.length + (mark === undefined ? 0 : 1) + between.length,
  };
}

/**
 * Finds the lowest run of numbered lines whose numbers increase by one and that contains the marker. Numbers in a
 * command or a plan are above that run. Numbers in an answer have no marker in the same column.
 */
function findNumbered(lines: readonly string[]): OptionRow[] {
  let run: OptionRow[] = [];
  for (let row = lines.length - 1; row >= 0; row--) {
    const option = readNumbered(lines[row] ?? '', row);
    if (option === null) continue;
    const below = run[0];
    if (below !== undefined && (Number(option.key) !== Number(below.key) - 1 || option.indent !== below.indent))
      continue;
    run = [option, ...run];
    if (option.key === '1') break;
  }
  return run.some((option) => option.isChosen) ? run : [];
}

/**
 * Finds the options of a dialog without numbers, such as the trust dialog of 2.1.329 or a picker. The options are the
 * lines that have the same indentation as the marker's line and that connect to it without a gap. Only lines below the
 * lowest rule count, because a prompt in the conversation above has the same mark.
 */
function findMarked(lines: readonly string[], cols: number): OptionRow[] {
  const top = lines.findLastIndex((line) => isRule(line, cols));
  let markedRow = -1;
  let textColumn = 0;
  for (let row = lines.length - 1; row > top; row--) {
    const match = MARKED.exec(lines[row] ?? '');
    if (match === null) continue;
    // In this case, the dialog is numbered, and some of its numbers have not been drawn yet.
    if (NUMBERED.test(lines[row] ?? '')) return [];
    markedRow = row;
    const [, before = '', after = ''] = match;
    textColumn = before.length + 2 + (LEADING_CHECK.exec(after)?.[0].length ?? 0);
    break;
  }
  if (markedRow < 0) return [];
  const isOption = (row: number): boolean => {
    const line = lines[row] ?? '';
    return NO_TEXT.test(line.slice(0, textColumn)) && /\S/.test(line.charAt(textColumn));
  };
  let first = markedRow;
  while (isOption(first - 1)) first--;
  let last = markedRow;
  while (isOption(last + 1)) last++;
  return lines.slice(first, last + 1).map((line, index) => ({
    row: first + index,
    key: String(index + 1),
    label: line.slice(textColumn).trim(),
    isChosen: first + index === markedRow,
    isChecked: null,
    indent: textColumn,
  }));
}

const isEdge = (line: string, cols: number): boolean =>
  isRule(line, cols) || line.startsWith('▔▔▔▔') || line.startsWith('╭─');

/** An option, as drawn. Its meaning is known only once its label is complete. */
type ShownOption = Omit<QuestionOption, 'means'>;

const withMeaning = (options: readonly ShownOption[], meaningOf: (label: string) => OptionMeaning): QuestionOption[] =>
  options.map((option) => ({ ...option, means: meaningOf(option.label) }));

/**
 * Reads each option together with the lines directly below it. A blank line ends the last option, because hints follow.
 */
function readOptions(rows: readonly OptionRow[], lines: readonly string[]): ShownOption[] {
  return rows.map((option, index) => {
    const own = lines.slice(option.row + 1, rows[index + 1]?.row ?? lines.length).map((line) => line.trim());
    const blank = own.indexOf('');
    const more = own
      .slice(0, blank < 0 ? own.length : blank)
      .filter((line) => !FRAME.test(line) && !KEY_HINT.test(line) && !SUBMIT_ROW.test(line) && !MORE_ROWS.test(line));
    const label = option.label.replace(CHECK_MARK, '');
    return { key: option.key, label, description: more.length === 0 ? null : more.join(' ') };
  });
}

/** Appends the lines below an option to its label. Only the options of a question have descriptions there. */
function joinWrappedLabels(options: readonly ShownOption[]): ShownOption[] {
  return options.map((option) => {
    const [, label = '', beside = ''] = COLUMNS.exec(option.label) ?? [];
    if (label !== '') {
      const description = [beside, option.description].filter((part) => part !== null).join(' ');
      return { ...option, label: label.replace(CHECK_MARK, ''), description };
    }
    if (option.description === null) return option;
    return { ...option, label: `${option.label} ${option.description}`, description: null };
  });
}

const CHIP = /[☐☒☑✔]\s+(\S[^☐☒☑✔→]*)/g;
const TAB_BAR = /^\s*(?:←\s*)?[☐☒☑✔]\s+\S/;
const PLAN = /^(?:Exit plan mode\?|Ready to code\?|Would you like to proceed\?|Claude has written up a plan)/;
// Does not match the question about an API key in the environment, which Claude Code asks at startup, before any tool
// runs.
const PERMISSION =
  /^(?:Do you want (?:to|Claude)\b(?! use this API key)|Allow\b|Would you like to (?:allow|run)\b|Claude (?:wants|needs|requests)\b(?! to exit plan mode))/;

/**
 * Returns the open tab. Only its colour distinguishes the open tab, and this function does not see colours, so it
 * guesses: the first tab without an answer or, if there is none, the last tab.
 */
function currentTab(tabBar: string): string | null {
  const tabs = [...tabBar.matchAll(CHIP)]
    .map((match) => ({ isOpen: match[0].startsWith('☐'), name: (match[1] ?? '').trim() }))
    .filter((tab) => tab.name !== 'Submit');
  return (tabs.find((tab) => tab.isOpen) ?? tabs.at(-1))?.name ?? null;
}

function freeTextIndex(options: readonly QuestionOption[]): number | null {
  const index = options.findIndex(({ means }) => means === 'text');
  return index < 0 ? null : index;
}

/**
 * Restores the label of a question's free-text option. On the screen, text in the option's field replaces the label,
 * and this function returns that text as the description. The option that leaves the dialog comes directly after the
 * free-text option (2.1.50 to 2.1.329). The text need not be an answer. It may also be something that was meant for the
 * prompt and was typed just as the question opened.
 */
function withFreeTextLabel(options: readonly ShownOption[], multi: boolean): ShownOption[] {
  const index = options.findIndex(({ label }) => meaningOfAnswer(label) === 'leave') - 1;
  return options.map((option, at) => {
    if (at !== index || meaningOfAnswer(option.label) === 'text') return option;
    const text = [option.label, option.description].filter((part) => part !== null).join(' ');
    return { ...option, label: multi ? 'Type something' : 'Type something.', description: text };
  });
}

/**
 * Reads the dialog at the bottom of the window, or returns null if no dialog is open there. Call this function only if
 * there is no prompt box, because a dialog replaces the prompt in every known version.
 */
export function readDialog(frame: ScreenFrame, signs: ScreenSigns): ScreenDialog | null {
  const unlisted = readFormDialog(frame) ?? readKeyDialog(frame);
  if (unlisted !== null) return unlisted;
  const lines = frame.lines.map((line) => withoutBorder(line, signs));
  let end = lines.length;
  while (end > 0 && (lines[end - 1] ?? '').trim() === '') end--;
  const body = lines.slice(0, end);
  const numbered = findNumbered(body);
  const hasHint = body.slice(-4).some((line) => KEY_HINT.test(line));
  const rows = numbered.length > 0 ? numbered : hasHint ? findMarked(body, frame.cols) : [];
  const firstRow = rows[0];
  if (firstRow === undefined) return null;

  let edge = firstRow.row - 1;
  while (edge >= 0 && !isEdge(frame.lines[edge] ?? '', frame.cols)) edge--;
  const above = body
    .slice(edge + 1, firstRow.row)
    .map((line) => line.trim().replace(POSITION, ''))
    .filter((line) => line !== '' && !FRAME.test(line));
  const bare = readOptions(rows, body);
  const marks = {
    chosen: rows.findIndex((row) => row.isChosen),
    numbered: numbered.length > 0,
    checked: rows.map((row) => row.isChecked),
  };

  const isBordered = body[firstRow.row] !== frame.lines[firstRow.row];
  const drawn = { frame, edge, lines: body, options: rows, isBordered };

  const tabBar = body.slice(edge + 1, firstRow.row).find((line) => line.trim() !== '') ?? '';
  if (TAB_BAR.test(tabBar)) {
    const multi = rows.some((row) => row.isChecked !== null);
    const options = withMeaning(withFreeTextLabel(bare, multi), meaningOfAnswer);
    const part: QuestionPart = {
      header: currentTab(tabBar),
      text: above.slice(1).join('\n'),
      options,
      multi,
    };
    const isWhole = isDrawnWhole({ ...drawn, kind: 'question', lastLabel: options.at(-1)?.label ?? '' });
    return { kind: 'question', parts: [part], ...marks, freeText: freeTextIndex(options), isWhole };
  }

  const options = withMeaning(joinWrappedLabels(bare), meaningOfDecision);
  const kind = above.some((line) => PLAN.test(line)) ? 'plan' : isPermission(above, options) ? 'permission' : 'setup';
  return {
    kind,
    parts: [{ header: null, text: above.join('\n'), options, multi: false }],
    ...marks,
    freeText: freeTextIndex(options),
    ...(kind === 'permission' ? readReason(body.slice(edge + 1, firstRow.row)) : {}),
    isWhole: isDrawnWhole({ ...drawn, kind, lastLabel: options.at(-1)?.label ?? '' }),
  };
}

function isPermission(above: readonly string[], options: readonly QuestionOption[]): boolean {
  const asks = above.slice(-3).some((line) => PERMISSION.test(line));
  return (
    asks &&
    options.some(({ means }) => means === 'yes') &&
    options.some(({ means }) => means === 'no' || means === 'text')
  );
}
