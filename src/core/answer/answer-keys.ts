import type { Question, QuestionOption, QuestionPart } from '../../protocol/index.ts';
import { type AnswerPlan, partsOf } from './answer.ts';
import {
  type DialogView,
  findOption,
  hasHint,
  type OptionRef,
  optionsOf,
  partAt,
  rowsOfField,
  shows,
  squeeze,
  standsInField,
  textInField,
  textOf,
} from './dialog-view.ts';

/** What to type in a step: raw keys, or text to paste. */
export type Press = { keys: string } | { paste: string };

/**
 * One step of an answer. The caller checks the screen before each step, and waits until the screen shows that the
 * dialog accepted the step. If the dialog disappears before a step, CBOS does not type that step, so no key can reach
 * whatever replaces the dialog.
 */
export interface AnswerStep {
  kind: StepKind;
  /** Returns what to type on the current screen, or null if the dialog does not offer this step. */
  press(view: DialogView): Press | null;
  /**
   * Reports whether the screen shows that the dialog accepted the step. @param before the screen when the step's key
   * was typed
   */
  isTaken(now: DialogView, before: DialogView): boolean;
  /**
   * True if the step commits to nothing. Such a step may be repeated, and may be skipped if the screen already shows
   * its result.
   */
  isRepeatable: boolean;
  /** the text that is in the field when the step's key is typed */
  written: string | null;
  /** Reports whether the dialog shows the option of this step; only for a step of the kind `key`. */
  isShown?(view: DialogView): boolean;
}

export type StepKind =
  | 'showPart'
  | 'digit'
  | 'key'
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
/**
 * Deletes the part of a field's line before or after the cursor. At either end of the line, the key deletes the line
 * break instead (2.1.329).
 */
const DELETE_KEYS = { before: '\x15', behind: '\x0b' };

/**
 * The hint that Claude Code shows below a permission dialog while the marker is on an option that accepts a remark
 * (2.1.329).
 */
const AMEND_HINT = /\bTab to amend\b/;
/**
 * The hint that Claude Code shows below a question whose options have previews (2.1.329). In such a question, digits
 * only move the marker.
 */
const PREVIEW_HINT = /\bn to add notes\b/;

type Typing = (view: DialogView) => string | null;

const typing =
  (keys: Typing): AnswerStep['press'] =>
  (view) => {
    const found = keys(view);
    return found === null ? null : { keys: found };
  };

/** Creates a step that changes only what the dialog shows. */
const arranging = (kind: StepKind, keys: Typing, isSo: (view: DialogView) => boolean): AnswerStep => ({
  ...{ kind, press: typing(keys), isRepeatable: true, written: null },
  isTaken: (now) => now.dialog !== null && isSo(now),
});

/** Creates a step after which the dialog asks a different question. */
const deciding = (kind: StepKind, keys: Typing, written: string | null = null): AnswerStep => ({
  ...{ kind, press: typing(keys), isRepeatable: false, written },
  isTaken: (now, before) => now.dialog !== null && squeeze(textOf(now)) !== squeeze(textOf(before)),
});

export const steps = {
  /** shows another one of several questions */
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
  /** types the option's digit, which answers the question at once, without Enter */
  digit: (option: OptionRef) => deciding('digit', (view) => optionsOf(view)[findOption(view, option)]?.key ?? null),
  /** types the key that a dialog without a list of options names for this one */
  key: (option: OptionRef): AnswerStep => ({
    ...deciding('key', (view) => view.dialog?.keys?.[findOption(view, option)] ?? null),
    isShown: (view) => findOption(view, option) >= 0,
  }),
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
   * empties the field of the free-text option and moves the marker away, because the field would take a digit as text.
   * The field may already contain half an answer, or text that someone was typing into the prompt when the question
   * opened
   */
  clearField: () =>
    arranging(
      'clearField',
      (view) => {
        if (textInField(view) === null) return KEYS.up;
        // Clearing a line takes two keypresses in each direction, because the cursor may be anywhere in the field.
        const times = 2 * rowsOfField(view);
        const deletes = DELETE_KEYS.before.repeat(times) + DELETE_KEYS.behind.repeat(times);
        return (arrowsTo(view, findOption(view, 'free_text')) ?? '') + deletes + KEYS.up;
      },
      (view) =>
        textInField(view) === null && (view.dialog?.freeText == null || view.dialog.chosen !== view.dialog.freeText),
    ),
  /** opens a text field for a remark on the option that the marker is on */
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
  /** chooses the marked option, whose field must contain the text `written` */
  enter: (written: string | null = null) =>
    deciding('enter', ({ frame }) => (written === null || standsInField(frame, written) ? KEYS.enter : null), written),
  /** moves on from a question with checkboxes, which a digit cannot finish */
  nextPart: () => deciding('nextPart', () => KEYS.right),
  /**
   * submits the page that summarizes the answers; the page must show `texts`, because Claude Code 2.0.77 silently drops
   * text that was entered alongside ticked boxes
   */
  submit: (texts: readonly string[]) =>
    deciding('submit', (view) => {
      const option = optionsOf(view).find(({ means }) => means === 'submit');
      return texts.every((text) => shows(view.frame, text)) ? (option?.key ?? null) : null;
    }),
  escape: () => deciding('escape', () => KEYS.escape),
};

/**
 * Returns the steps that answer a dialog, based on the screen at the start of the answer. The following was measured on
 * 2.1.329:
 * - A digit answers a numbered dialog immediately. A digit that arrives too late is only a harmless character in the
 *   prompt, whereas a late Enter would send the prompt. CBOS therefore uses digits wherever they work. The trust dialog
 *   has no numbers and ignores digits.
 * - In a question with checkboxes, digits tick options, and Right moves to the next question. Text in the free-text
 *   option ticks that option, and Right works only while the marker is on another option. If there are several
 *   questions, or one with checkboxes, a final page asks the user to submit.
 * - To add a remark, move the marker to the option, then press Tab, type the text, and press Enter.
 */
export function answerSteps(
  question: Question,
  plan: Extract<AnswerPlan, { kind: 'select' | 'dismiss' }>,
  view: DialogView,
): AnswerStep[] {
  if (plan.kind === 'dismiss') return [steps.escape()];
  const parts = partsOf(question);
  const byDigit = (view.dialog?.numbered ?? false) && !hasHint(view.frame, PREVIEW_HINT);
  const byKey = view.dialog?.keys !== undefined;
  const choose = (option: OptionRef): AnswerStep[] =>
    byKey ? [steps.key(option)] : byDigit ? [steps.digit(option)] : [steps.mark(option), steps.enter()];
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

/** Sets every box as the answer requires, including boxes that someone has already ticked. */
function tickSteps(part: QuestionPart, chosen: readonly number[], text: string | null): AnswerStep[] {
  const boxes = part.options.flatMap((option, index) => (isOwnOption(option) ? [index] : []));
  const [first] = boxes;
  const own =
    text === null || first === undefined
      ? []
      : [steps.mark('free_text'), steps.write(text), steps.mark(refTo(part, first))];
  return [...boxes.map((index) => steps.tick(refTo(part, index), chosen.includes(index))), ...own, steps.nextPart()];
}

/**
 * Reports whether an option belongs to the question itself. Claude Code adds two options of its own below the
 * question's options.
 */
const isOwnOption = ({ means }: QuestionOption): boolean => means !== 'leave' && means !== 'text';

const refTo = (part: QuestionPart, index: number): OptionRef => ({ index, label: part.options[index]?.label ?? '' });

/**
 * Returns the keypresses that move the marker to an option, or null if the marker is already there, or if there is no
 * marker or no such option.
 */
function arrowsTo({ dialog }: DialogView, index: number): string | null {
  const chosen = dialog?.chosen ?? -1;
  if (index < 0 || chosen < 0 || index === chosen) return null;
  return (index > chosen ? KEYS.down : KEYS.up).repeat(Math.abs(index - chosen));
}
