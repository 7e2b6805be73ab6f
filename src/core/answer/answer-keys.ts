import type { Question, QuestionOption, QuestionPart } from '../../protocol/index.ts';
import type { ScreenDialog, ScreenFrame } from '../status/screen/screen-evidence.ts';
import type { AnswerPlan } from './answer.ts';

/** An open dialog as the newest frame shows it. */
export interface DialogView {
  frame: ScreenFrame;
  dialog: ScreenDialog | null;
}

/** An option: by number from 0 with the label it must carry, or the free-text option wherever it stands. */
export type OptionRef = { index: number; label: string } | 'free_text';

/**
 * One step of an answer. None holds for itself: the caller looks at the screen before it ({@link pressFor}) and waits
 * until the screen shows that it was taken ({@link isTaken}) before the next, so that a dialog that goes away meanwhile
 * gets nothing that was meant for it, and neither does what comes after it.
 */
export type AnswerStep =
  /** brings one of several questions to the front */
  | { kind: 'show_part'; texts: readonly string[]; index: number }
  /** the option's digit: answers at once, without Enter */
  | { kind: 'digit'; option: OptionRef }
  | { kind: 'mark'; option: OptionRef }
  | { kind: 'tick'; option: OptionRef; ticked: boolean }
  /**
   * empties the field of the free-text option, where a text stands that was typed into the prompt as the question opened, or half an answer,
   * and takes the marker off it: in the field a digit is a letter
   */
  | { kind: 'clear_field' }
  /** opens the text field for a remark on the marked option */
  | { kind: 'amend' }
  | { kind: 'write'; text: string }
  /** takes the marked option; `written`: with this text in its field */
  | { kind: 'enter'; written: string | null }
  /** on from a question with checkboxes, which no digit ends */
  | { kind: 'next_part' }
  /** the page that sums the answers up, `texts` among them: 2.0.77 drops a text beside ticked boxes without a word */
  | { kind: 'submit'; texts: readonly string[] }
  | { kind: 'escape' };

/** What to type for a step: raw keys, or a text to paste. */
export type Press = { keys: string } | { paste: string };

const KEYS = { up: '\x1b[A', down: '\x1b[B', right: '\x1b[C', left: '\x1b[D', enter: '\r', tab: '\t', escape: '\x1b' };
/** Take a line of a field out from its end, and from its beginning, or the end of the line before or behind it (2.1.329). */
const DELETE_KEYS = { before: '\x15', behind: '\x0b' };

/** Stands below a permission while the marker is on an option that takes a remark (2.1.329). */
const AMEND_HINT = /\bTab to amend\b/;
/** A question whose options have previews (2.1.329): its digits only move the marker. */
const PREVIEW_HINT = /\bn to add notes\b/;

/**
 * The steps that answer a dialog, from what it shows when the answer begins. Measured on 2.1.329:
 * - a digit answers a numbered dialog at once. Where it comes too late it is a harmless letter in the prompt, while an
 *   Enter would send what is there: so digits wherever they do. The trust dialog has no numbers and ignores them.
 * - in a question with checkboxes digits tick, Right leads on; a text for its free-text option ticks that, and only with the marker
 *   elsewhere does Right lead on. After several questions, or one with checkboxes, a page asks to submit.
 * - a remark: marker, Tab, text, Enter.
 */
export function answerSteps(
  question: Question,
  plan: Exclude<AnswerPlan, { kind: 'prompt' | 'refuse' }>,
  view: DialogView,
): AnswerStep[] {
  if (plan.kind === 'dismiss') return [{ kind: 'escape' }];
  const parts = question.questions.length > 0 ? question.questions : [flatPart(question)];
  const byDigit = (view.dialog?.numbered ?? false) && !hasHint(view.frame, PREVIEW_HINT);
  const clearing: AnswerStep[] = question.kind === 'question' ? [{ kind: 'clear_field' }] : [];
  const steps: AnswerStep[] = [...clearing];
  for (const [index, part] of parts.entries()) {
    const answer = plan.parts[index];
    if (answer === undefined) throw new Error('a plan answers every question of its dialog');
    if (parts.length > 1) steps.push({ kind: 'show_part', texts: parts.map(({ text }) => text), index }, ...clearing);
    const options = answer.options.map((option) => refTo(part, option));
    const leaving = answer.options.find((option) => part.options[option]?.means === 'leave');
    if (leaving !== undefined) return [...steps, ...chooseSteps([refTo(part, leaving)], byDigit)];
    if (part.multi) steps.push(...tickSteps(part, answer.options, answer.text));
    else if (answer.text !== null) steps.push(...writeSteps('free_text', answer.text));
    else if (plan.remark !== null) steps.push(...remarkSteps(options, plan.remark));
    else steps.push(...chooseSteps(options, byDigit));
  }
  if (parts.length > 1 || parts.some(({ multi }) => multi)) {
    steps.push({ kind: 'submit', texts: plan.parts.flatMap(({ text }) => text ?? []) });
  }
  return steps;
}

function chooseSteps(options: readonly OptionRef[], byDigit: boolean): AnswerStep[] {
  return options.flatMap((option): AnswerStep[] =>
    byDigit
      ? [{ kind: 'digit', option }]
      : [
          { kind: 'mark', option },
          { kind: 'enter', written: null },
        ],
  );
}

function writeSteps(option: OptionRef, text: string): AnswerStep[] {
  return [
    { kind: 'mark', option },
    { kind: 'write', text },
    { kind: 'enter', written: text },
  ];
}

function remarkSteps(options: readonly OptionRef[], remark: string): AnswerStep[] {
  return options.flatMap((option): AnswerStep[] => [
    { kind: 'mark', option },
    { kind: 'amend' },
    { kind: 'write', text: remark },
    { kind: 'enter', written: remark },
  ]);
}

/** Every box is set as the answer says, also those that somebody ticked before. */
function tickSteps(part: QuestionPart, chosen: readonly number[], text: string | null): AnswerStep[] {
  const boxes = part.options.flatMap((option, index) => (isOwnOption(option) ? [refTo(part, index)] : []));
  const steps: AnswerStep[] = boxes.map((option) => ({
    kind: 'tick',
    option,
    ticked: option !== 'free_text' && chosen.includes(option.index),
  }));
  const [first] = boxes;
  if (text !== null && first !== undefined) {
    steps.push({ kind: 'mark', option: 'free_text' }, { kind: 'write', text }, { kind: 'mark', option: first });
  }
  return [...steps, { kind: 'next_part' }];
}

/** The options of the question itself: below them Claude Code adds two of its own. */
const isOwnOption = ({ means }: QuestionOption): boolean => means !== 'leave' && means !== 'text';

const refTo = (part: QuestionPart, index: number): OptionRef => ({ index, label: part.options[index]?.label ?? '' });

/** What to type for a step as the screen is now; null where the dialog does not offer it. Nothing for a step that is {@link isTaken} already. */
export function pressFor(step: AnswerStep, view: DialogView): Press | null {
  switch (step.kind) {
    case 'show_part': {
      const at = partAt(view, step.texts);
      if (at === null || at === step.index) return null;
      return { keys: (at < step.index ? KEYS.right : KEYS.left).repeat(Math.abs(step.index - at)) };
    }
    case 'digit':
    case 'tick': {
      const index = findOption(view, step.option);
      const isBox = step.kind === 'digit' || view.dialog?.checked[index] != null;
      const key = optionsOf(view)[index]?.key;
      return key === undefined || !isBox ? null : { keys: key };
    }
    case 'mark': {
      const keys = arrowsTo(view, findOption(view, step.option));
      return keys === null ? null : { keys };
    }
    case 'clear_field': {
      if (textInField(view) === null) return { keys: KEYS.up };
      // Each line takes two keys; where in it the cursor stands depends on who went there.
      const times = 2 * rowsOfField(view);
      const deletes = DELETE_KEYS.before.repeat(times) + DELETE_KEYS.behind.repeat(times);
      return { keys: (arrowsTo(view, findOption(view, 'free_text')) ?? '') + deletes + KEYS.up };
    }
    case 'amend':
      return hasHint(view.frame, AMEND_HINT) ? { keys: KEYS.tab } : null;
    case 'write':
      return { paste: step.text };
    case 'enter':
      return step.written === null || standsInField(view.frame, step.written) ? { keys: KEYS.enter } : null;
    case 'next_part':
      return { keys: KEYS.right };
    case 'submit': {
      const option = optionsOf(view).find(({ means }) => means === 'submit');
      return option === undefined || !step.texts.every((text) => shows(view.frame, text)) ? null : { keys: option.key };
    }
    case 'escape':
      return { keys: KEYS.escape };
  }
}

/** The keys that bring the marker to an option; null where it is there, or either is not. */
function arrowsTo({ dialog }: DialogView, index: number): string | null {
  const chosen = dialog?.chosen ?? -1;
  if (index < 0 || chosen < 0 || index === chosen) return null;
  return (index > chosen ? KEYS.down : KEYS.up).repeat(Math.abs(index - chosen));
}

/** Whether the screen shows that a step was taken. `before` is what it showed when the step's key was typed. The last step is taken when its dialog is gone: that is not asked here. */
export function isTaken(step: AnswerStep, before: DialogView, now: DialogView): boolean {
  if (step.kind === 'write') return standsInField(now.frame, step.text);
  if (now.dialog === null) return false;
  switch (step.kind) {
    case 'show_part':
      return partAt(now, step.texts) === step.index;
    case 'mark':
      return now.dialog.chosen !== null && now.dialog.chosen >= 0 && now.dialog.chosen === findOption(now, step.option);
    case 'tick':
      return now.dialog.checked[findOption(now, step.option)] === step.ticked;
    case 'clear_field':
      return textInField(now) === null && (now.dialog.freeText === null || now.dialog.chosen !== now.dialog.freeText);
    case 'amend':
      return !hasHint(now.frame, AMEND_HINT);
    case 'digit':
    case 'enter':
    case 'next_part':
    case 'submit':
    case 'escape':
      return squeeze(textOf(now)) !== squeeze(textOf(before));
  }
}

/** Whether a step only brings something about, so that it may be tried again, and need not be where it is so already. */
export function isRepeatable(step: AnswerStep): boolean {
  return ['show_part', 'mark', 'tick', 'clear_field'].includes(step.kind);
}

/**
 * Whether the dialog of a question is what the screen shows, beside what the status says of it, which comes a moment later.
 * @param opened what it showed when the answer began: where the model's own words are not known, it must still be that
 */
export function showsDialog(question: Question, opened: DialogView, now: DialogView): boolean {
  if (now.dialog === null) return false;
  if (question.kind === 'question' && question.tool !== null) {
    return (
      partAt(
        now,
        question.questions.map(({ text }) => text),
      ) !== null
    );
  }
  return isSameText(textOf(now), textOf(opened)) || isSummary(now);
}

/**
 * Whether a text is in the field that has the marker. Blanks and line breaks do not count. Where Claude Code keeps the cursor in the
 * field (2.1.329), the text must end there; 2.0.77 leaves it below everything.
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

/** How much of a text's end identifies it: more may have scrolled away. */
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

/** What is in the field of a question's free-text option, null where it is empty. */
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

function flatPart(question: Question): QuestionPart {
  return { header: null, text: question.text, options: question.options, multi: question.multi };
}
