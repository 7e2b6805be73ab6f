import type { Question, QuestionOption, QuestionPart } from '../../protocol/index.ts';
import type { ScreenDialog, ScreenFrame } from '../status/screen/screen-evidence.ts';
import { type AnswerPlan, partsOf } from './answer.ts';

/** An open dialog as the newest frame shows it. */
export interface DialogView {
  frame: ScreenFrame;
  dialog: ScreenDialog | null;
}

/** An option: by number from 0 with the label it must carry, or the free-text option wherever it stands. */
export type OptionRef = { index: number; label: string } | 'free_text';

/** What to type for a step: raw keys, or a text to paste. */
export type Press = { keys: string } | { paste: string };

/**
 * One step of an answer. None holds for itself: the caller looks at the screen before it and waits until the screen
 * shows that it was taken before the next, so that a dialog that goes away meanwhile gets nothing that was meant for
 * it, and neither does what comes after it.
 */
export interface AnswerStep {
  kind: StepKind;
  /** What to type as the screen is now; null where the dialog does not offer it. */
  press(view: DialogView): Press | null;
  /** Whether the screen shows that the step was taken. @param before what it showed when the step's key was typed */
  isTaken(now: DialogView, before: DialogView): boolean;
  /** It decides nothing, so it may be tried again, and need not be typed where it is taken already. */
  isRepeatable: boolean;
  /** the text that is in the field when the step's key is typed */
  written: string | null;
}

export type StepKind =
  | 'showPart'
  | 'digit'
  | 'mark'
  | 'tick'
  | 'clearField'
  | 'amend'
  | 'write'
  | 'enter'
  | 'nextPart'
  | 'submit'
  | 'escape';

const KEYS = { up: '\x1b[A', down: '\x1b[B', right: '\x1b[C', left: '\x1b[D', enter: '\r', tab: '\t', escape: '\x1b' };
/** Take out a line of a field from its end or its beginning, or the line's end before or behind it (2.1.329). */
const DELETE_KEYS = { before: '\x15', behind: '\x0b' };

/** Stands below a permission while the marker is on an option that takes a remark (2.1.329). */
const AMEND_HINT = /\bTab to amend\b/;
/** A question whose options have previews (2.1.329): its digits only move the marker. */
const PREVIEW_HINT = /\bn to add notes\b/;

type Typing = (view: DialogView) => string | null;

const typing =
  (keys: Typing): AnswerStep['press'] =>
  (view) => {
    const found = keys(view);
    return found === null ? null : { keys: found };
  };

/** A step that brings something about on the screen. */
const arranging = (kind: StepKind, keys: Typing, isSo: (view: DialogView) => boolean): AnswerStep => ({
  ...{ kind, press: typing(keys), isRepeatable: true, written: null },
  isTaken: (now) => now.dialog !== null && isSo(now),
});

/** A step after which the dialog asks something else. */
const deciding = (kind: StepKind, keys: Typing, written: string | null = null): AnswerStep => ({
  ...{ kind, press: typing(keys), isRepeatable: false, written },
  isTaken: (now, before) => now.dialog !== null && squeeze(textOf(now)) !== squeeze(textOf(before)),
});

export const steps = {
  /** brings one of several questions to the front */
  showPart: (texts: readonly string[], index: number) =>
    arranging(
      'showPart',
      (view) => {
        const at = partAt(view, texts);
        if (at === null || at === index) return null;
        return (at < index ? KEYS.right : KEYS.left).repeat(Math.abs(index - at));
      },
      (view) => partAt(view, texts) === index,
    ),
  /** the option's digit: answers at once, without Enter */
  digit: (option: OptionRef) => deciding('digit', (view) => optionsOf(view)[findOption(view, option)]?.key ?? null),
  mark: (option: OptionRef) =>
    arranging(
      'mark',
      (view) => arrowsTo(view, findOption(view, option)),
      (view) => findOption(view, option) >= 0 && view.dialog?.chosen === findOption(view, option),
    ),
  tick: (option: OptionRef, isTicked: boolean) =>
    arranging(
      'tick',
      (view) => {
        const index = findOption(view, option);
        return view.dialog?.checked[index] == null ? null : (optionsOf(view)[index]?.key ?? null);
      },
      (view) => view.dialog?.checked[findOption(view, option)] === isTicked,
    ),
  /**
   * empties the field of the free-text option, where a text stands that was typed into the prompt as the question
   * opened, or half an answer, and takes the marker off it: in the field a digit is a letter
   */
  clearField: () =>
    arranging(
      'clearField',
      (view) => {
        if (textInField(view) === null) return KEYS.up;
        // Each line takes two keys; where in it the cursor stands depends on who went there.
        const times = 2 * rowsOfField(view);
        const deletes = DELETE_KEYS.before.repeat(times) + DELETE_KEYS.behind.repeat(times);
        return (arrowsTo(view, findOption(view, 'free_text')) ?? '') + deletes + KEYS.up;
      },
      (view) =>
        textInField(view) === null && (view.dialog?.freeText == null || view.dialog.chosen !== view.dialog.freeText),
    ),
  /** opens the text field for a remark on the marked option */
  amend: (): AnswerStep => ({
    ...deciding('amend', ({ frame }) => (hasHint(frame, AMEND_HINT) ? KEYS.tab : null)),
    isTaken: (now) => now.dialog !== null && !hasHint(now.frame, AMEND_HINT),
  }),
  write: (text: string): AnswerStep => ({
    kind: 'write',
    press: () => ({ paste: text }),
    isTaken: (now) => standsInField(now.frame, text),
    isRepeatable: false,
    written: null,
  }),
  /** takes the marked option; `written`: with this text in its field */
  enter: (written: string | null = null) =>
    deciding('enter', ({ frame }) => (written === null || standsInField(frame, written) ? KEYS.enter : null), written),
  /** on from a question with checkboxes, which no digit ends */
  nextPart: () => deciding('nextPart', () => KEYS.right),
  /** the page that sums the answers up, `texts` among them: 2.0.77 drops a text beside ticked boxes without a word */
  submit: (texts: readonly string[]) =>
    deciding('submit', (view) => {
      const option = optionsOf(view).find(({ means }) => means === 'submit');
      return texts.every((text) => shows(view.frame, text)) ? (option?.key ?? null) : null;
    }),
  escape: () => deciding('escape', () => KEYS.escape),
};

/**
 * The steps that answer a dialog, from what it shows when the answer begins. Measured on 2.1.329:
 * - a digit answers a numbered dialog at once. Where it comes too late it is a harmless letter in the prompt, while an
 *   Enter would send what stands there: so digits wherever they do. The trust dialog has no numbers and ignores them.
 * - in a question with checkboxes digits tick, Right leads on; a text for its free-text option ticks that, and only
 *   with the marker elsewhere does Right lead on. After several questions, or one with checkboxes, a page asks to
 *   submit.
 * - a remark: marker, Tab, text, Enter.
 */
export function answerSteps(
  question: Question,
  plan: Extract<AnswerPlan, { kind: 'select' | 'dismiss' }>,
  view: DialogView,
): AnswerStep[] {
  if (plan.kind === 'dismiss') return [steps.escape()];
  const parts = partsOf(question);
  const byDigit = (view.dialog?.numbered ?? false) && !hasHint(view.frame, PREVIEW_HINT);
  const choose = (option: OptionRef): AnswerStep[] =>
    byDigit ? [steps.digit(option)] : [steps.mark(option), steps.enter()];
  const clearing = question.kind === 'question' ? [steps.clearField()] : [];
  const all = [...clearing];
  for (const [index, part] of parts.entries()) {
    const answer = plan.parts[index];
    if (answer === undefined) throw new Error('a plan answers every question of its dialog');
    const texts = parts.map(({ text }) => text);
    if (parts.length > 1) all.push(steps.showPart(texts, index), ...clearing);
    const leaving = answer.options.find((option) => part.options[option]?.means === 'leave');
    if (leaving !== undefined) return [...all, ...choose(refTo(part, leaving))];
    if (part.multi) all.push(...tickSteps(part, answer.options, answer.text));
    else if (answer.text !== null) all.push(steps.mark('free_text'), ...writeSteps(answer.text));
    for (const option of part.multi ? [] : answer.options.map((number) => refTo(part, number))) {
      if (plan.remark === null) all.push(...choose(option));
      else all.push(steps.mark(option), steps.amend(), ...writeSteps(plan.remark));
    }
  }
  const isSummedUp = parts.length > 1 || parts.some(({ multi }) => multi);
  return isSummedUp ? [...all, steps.submit(plan.parts.flatMap(({ text }) => text ?? []))] : all;
}

const writeSteps = (text: string): AnswerStep[] => [steps.write(text), steps.enter(text)];

/** Every box is set as the answer says, also those that somebody ticked before. */
function tickSteps(part: QuestionPart, chosen: readonly number[], text: string | null): AnswerStep[] {
  const boxes = part.options.flatMap((option, index) => (isOwnOption(option) ? [index] : []));
  const [first] = boxes;
  const own =
    text === null || first === undefined
      ? []
      : [steps.mark('free_text'), steps.write(text), steps.mark(refTo(part, first))];
  return [...boxes.map((index) => steps.tick(refTo(part, index), chosen.includes(index))), ...own, steps.nextPart()];
}

/** The options of the question itself: below them Claude Code adds two of its own. */
const isOwnOption = ({ means }: QuestionOption): boolean => means !== 'leave' && means !== 'text';

const refTo = (part: QuestionPart, index: number): OptionRef => ({ index, label: part.options[index]?.label ?? '' });

/** The keys that bring the marker to an option; null where it is there, or either is not. */
function arrowsTo({ dialog }: DialogView, index: number): string | null {
  const chosen = dialog?.chosen ?? -1;
  if (index < 0 || chosen < 0 || index === chosen) return null;
  return (index > chosen ? KEYS.down : KEYS.up).repeat(Math.abs(index - chosen));
}

/**
 * Whether the dialog of a question is what the screen shows, beside what the status says of it, which comes a moment
 * later.
 * @param opened what it showed when the answer began: where the model's own words are not known, it must still be that
 */
export function showsDialog(question: Question, opened: DialogView, now: DialogView): boolean {
  if (now.dialog === null) return false;
  const texts = question.questions.map(({ text }) => text);
  if (question.kind === 'question' && question.tool !== null) return partAt(now, texts) !== null;
  return isSameText(textOf(now), textOf(opened)) || isSummary(now);
}

/**
 * Whether a text is in the field that has the marker. Blanks and line breaks do not count. Where Claude Code keeps
 * the cursor in the field (2.1.329), the text must end there; 2.0.77 leaves it below everything.
 */
export function standsInField(frame: ScreenFrame, text: string): boolean {
  const tail = squeeze(text).slice(-TAIL_CHARACTERS);
  if (tail === '') return false;
  const { row, col } = frame.cursor;
  const toCursor = [...frame.lines.slice(0, row), (frame.lines[row] ?? '').slice(0, col)].join('');
  if (squeeze(toCursor).endsWith(tail)) return true;
  const marked = frame.lines.findLastIndex((line) => MARKED_ROW.test(line));
  const isBelow = frame.lines.slice(row).every((line) => line.trim() === '');
  return isBelow && marked >= 0 && squeeze(frame.lines.slice(marked).join('')).includes(tail);
}

const MARKED_ROW = /^│?\s*[❯>]\s*\d+\./;

/** How much of a text's end to compare: more may have scrolled away. */
const TAIL_CHARACTERS = 80;

/** Which of the questions is in front, from 0; their count for the page that sums up; null for anything else. */
function partAt(view: DialogView, texts: readonly string[]): number | null {
  if (view.dialog === null) return null;
  if (isSummary(view)) return texts.length;
  const index = texts.findIndex((text) => isSameText(textOf(view), text));
  return index < 0 ? null : index;
}

const isSummary = (view: DialogView): boolean => optionsOf(view).some(({ means }) => means === 'submit');

/** Where an option stands now, -1 where nothing is there that carries its label. */
function findOption(view: DialogView, option: OptionRef): number {
  if (view.dialog === null) return -1;
  if (option === 'free_text') return view.dialog.freeText ?? -1;
  const shown = squeeze(firstColumn(optionsOf(view)[option.index]?.label ?? ''));
  const wanted = squeeze(firstColumn(option.label));
  // A long label goes on below itself, where it reads like a description.
  const isIt = shown !== '' && (wanted.startsWith(shown) || shown.startsWith(wanted));
  return isIt ? option.index : -1;
}

/** What is in the field of a question's free-text option, null where nothing does. */
const textInField = (view: DialogView): string | null =>
  optionsOf(view)[findOption(view, 'free_text')]?.description ?? null;

/** How many rows it may fill: those from its number to the next one's. */
function rowsOfField({ frame, dialog }: DialogView): number {
  const rowOf = (index: number): number =>
    frame.lines.findLastIndex((line) => new RegExp(`^\\s*[❯>]?\\s*${index + 1}\\.`).test(line));
  const at = dialog?.freeText ?? -1;
  return Math.max(1, rowOf(at + 1) - rowOf(at));
}

/** Previews (2.1.329) stand beside the labels. */
const firstColumn = (label: string): string => label.split(/\s{2,}/, 1)[0] ?? '';
const optionsOf = (view: DialogView): QuestionPart['options'] => view.dialog?.parts[0]?.options ?? [];
const textOf = (view: DialogView): string => view.dialog?.parts[0]?.text ?? '';

/** The upper lines of a text that is too long for the window are cut off. */
function isSameText(shown: string, told: string): boolean {
  const [a, b] = [squeeze(shown), squeeze(told)];
  return a === b || (a !== '' && b.endsWith(a));
}

const shows = (frame: ScreenFrame, text: string): boolean =>
  squeeze(frame.lines.join('')).includes(squeeze(text).slice(-TAIL_CHARACTERS));

const hasHint = (frame: ScreenFrame, hint: RegExp): boolean => frame.lines.some((line) => hint.test(line));

/** Without blanks, line breaks and the borders that 1.0 draws: what wraps differently stays the same. */
const squeeze = (text: string): string => text.replace(/[\s│]+/g, '');
