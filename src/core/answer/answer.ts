import {
  type Answer,
  allows,
  type ErrorCode,
  type Question,
  type QuestionOption,
  type QuestionPart,
} from '../../protocol/index.ts';

import { type FormPlan, planForm } from './form-answer.ts';

/**
 * What an answer means in the open dialog: which options it chooses, and what text it puts into the free-text option.
 * `answer-keys.ts` decides which keys to type, and in which order.
 */
export type AnswerPlan =
  | { kind: 'select'; parts: readonly PartAnswer[]; remark: string | null }
  /** dismiss the dialog; in the plan dialog of 2.1.329, this is a no without a reason */
  | { kind: 'dismiss' }
  /** send the text as a prompt, because Claude asked the question in plain text and no dialog is open */
  | { kind: 'prompt'; text: string }
  | FormPlan
  | { kind: 'refuse'; code: ErrorCode; message: string };

/** The answer to one of a dialog's questions. */
export interface PartAnswer {
  /** the indices of the chosen options, counted from 0, not including the free-text option */
  options: readonly number[];
  /** the text for the free-text option, or null to leave it empty */
  text: string | null;
}

/**
 * Turns an answer to the open question into a plan. Users must not allow something that they have not seen in full, so
 * the only answer that a truncated question accepts is a no.
 */
export function planAnswer(question: Question, answer: Answer): AnswerPlan {
  const plan = readAnswer(question, answer);
  if (question.cut !== true || plan.kind !== 'select') return plan;
  const asked = partsOf(question);
  const isAllowed = plan.parts.some(({ options }, part) =>
    options.some((option) => allows(asked[part]?.options[option]?.means ?? 'choice')),
  );
  const message = 'The request is longer than shown here, so you can allow it only in the terminal';
  return isAllowed ? { kind: 'refuse', code: 'not_shown_whole', message } : plan;
}

function readAnswer(question: Question, answer: Answer): AnswerPlan {
  if (question.kind === 'closing') return planClosing(answer);
  if (question.form !== undefined) return planForm(question, question.form, answer);
  if (answer.values !== undefined) return refuse('Only a form takes `values`, and this question has none');
  if (answer.choice === 'cancel') return refuse('Only a form can be cancelled');
  if (answer.answers !== undefined) return planSeveral(question, answer.answers);
  const [first, ...others] = partsOf(question);
  if (others.length > 0) {
    return refuse(
      `This dialog asks ${question.questions.length} questions; answer all of them with \`answers\`, by the text of each question`,
    );
  }
  if (answer.choice === undefined) {
    const part = answerByText(first, answer.text ?? '');
    return typeof part === 'string' ? refuse(part) : { kind: 'select', parts: [part], remark: null };
  }
  const options = chooseOptions(question.kind, first, answer.choice);
  if (typeof options === 'string') return refuse(options);
  return planChoice(question, first, { options, choice: answer.choice, text: answer.text ?? null });
}

interface Chosen {
  options: readonly number[];
  choice: Answer['choice'];
  text: string | null;
}

/**
 * If the free-text option was chosen, the text goes into that option. Otherwise the text is a remark that accompanies a
 * yes or a no.
 */
function planChoice(question: Question, part: QuestionPart, chosen: Chosen): AnswerPlan {
  const { options, choice, text } = chosen;
  const freeText = freeTextOption(part.options);
  if (options.includes(freeText)) {
    const others = options.filter((option) => option !== freeText);
    if (text !== null) return { kind: 'select', parts: [{ options: others, text }], remark: null };
    if (choice === 'no') return { kind: 'dismiss' };
    return refuse(`"${part.options[freeText]?.label}" requires text`);
  }
  if (text === null) return { kind: 'select', parts: [{ options, text: null }], remark: null };
  if (question.kind === 'question') {
    if (part.multi && freeText >= 0) return { kind: 'select', parts: [{ options, text }], remark: null };
    return refuse('This question accepts either one of its options or a text, but not both');
  }
  return { kind: 'select', parts: [{ options, text: null }], remark: text };
}

function planClosing(answer: Answer): AnswerPlan {
  if (answer.text !== undefined && answer.choice === undefined) return { kind: 'prompt', text: answer.text };
  if (answer.choice === 'yes' || answer.choice === 'no') {
    const remark = answer.text === undefined ? '' : `, ${answer.text}`;
    return { kind: 'prompt', text: `${answer.choice === 'yes' ? 'Yes' : 'No'}${remark}` };
  }
  return refuse('The question has no options; answer it with text');
}

function planSeveral(question: Question, answers: Readonly<Record<string, string | string[]>>): AnswerPlan {
  const known = partsOf(question);
  const foreign = Object.keys(answers).find(
    (text) => !known.some((part) => part.text === text || part.header === text),
  );
  if (foreign !== undefined) return refuse(`The dialog has no question with the text "${foreign}"`);
  const parts: PartAnswer[] = [];
  for (const part of known) {
    // A question may have the text of a part of every object, such as `constructor`.
    const name = [part.text, part.header].find((one) => one !== null && Object.hasOwn(answers, one)) ?? null;
    const given = name === null ? undefined : answers[name];
    if (given === undefined) return refuse(`The question "${part.text}" has no answer`);
    // For a question on a later tab, CBOS knows only the model's own options. Claude Code adds a free-text option to
    // every question.
    const isHidden = known.length > 1 && question.kind === 'question';
    const planned = answerByLabels(part, typeof given === 'string' ? [given] : given, isHidden);
    if (typeof planned === 'string') return refuse(planned);
    parts.push(planned);
  }
  return { kind: 'select', parts, remark: null };
}

/** A label that matches no option is treated as free text. An answer may contain only one such label. */
function answerByLabels(part: QuestionPart, labels: readonly string[], isHidden: boolean): PartAnswer | string {
  if (labels.length > 1 && !part.multi) return `"${part.text}" takes only one answer`;
  const freeText = freeTextOption(part.options);
  const found = labels.map((label) => ({ label, option: optionByLabel(part.options, label) }));
  const [text, second] = found.filter(({ option }) => option < 0 || option === freeText);
  const options = unique(found.map(({ option }) => option)).filter((option) => option >= 0 && option !== freeText);
  if (text === undefined) return options.length === 0 ? `"${part.text}" has no answer` : { options, text: null };
  if (second !== undefined) return `Neither "${text.label}" nor "${second.label}" is an option of "${part.text}"`;
  if (freeText < 0 && !isHidden) return `"${text.label}" isn't one of the options of "${part.text}"`;
  return text.label.trim() === '' ? `"${part.text}" has no answer` : { options, text: text.label };
}

function answerByText(part: QuestionPart, text: string): PartAnswer | string {
  return answerByLabels(part, [text], false);
}

/** Returns the option's index, counted from 0, or -1 if no option or more than one option has the label. */
function optionByLabel(options: readonly QuestionOption[], label: string): number {
  const wanted = label.trim().toLowerCase();
  const hits = options.flatMap((option, index) => (option.label.trim().toLowerCase() === wanted ? [index] : []));
  return hits.length === 1 ? (hits[0] ?? -1) : -1;
}

function chooseOptions(
  kind: Question['kind'],
  part: QuestionPart,
  choice: NonNullable<Answer['choice']>,
): readonly number[] | string {
  if (typeof choice === 'number') return inRange(part, [choice]);
  if (Array.isArray(choice)) {
    return part.multi || choice.length === 1 ? inRange(part, choice) : 'This question takes only one answer';
  }
  const index = optionFor(kind, part.options, choice);
  return index < 0 ? `This question has no option that means "${choice}"` : [index];
}

function inRange(part: QuestionPart, numbers: readonly number[]): readonly number[] | string {
  const wrong = numbers.find((number) => number > part.options.length);
  return wrong === undefined
    ? unique(numbers).map((number) => number - 1)
    : `Option ${wrong} does not exist; the options are 1 to ${part.options.length}`;
}

/**
 * Returns the index, counted from 0, of the option that a word such as "yes" means, or -1 if there is none. If no
 * option means no, the free-text option is used for a no. If Claude itself asks the question, the word must match
 * exactly one option.
 */
export function optionFor(
  kind: Question['kind'],
  options: readonly QuestionOption[],
  word: 'yes' | 'no' | 'always' | 'cancel',
): number {
  const hits = options.flatMap(({ means }, index) => (means === word ? [index] : []));
  if (kind === 'question') return hits.length === 1 ? (hits[0] ?? -1) : -1;
  return hits[0] ?? (word === 'no' ? freeTextOption(options) : -1);
}

/**
 * Returns the index, counted from 0, of the option that opens a text field, or -1 if there is none. Claude Code puts
 * this option after all others.
 */
const freeTextOption = (options: readonly QuestionOption[]): number =>
  options.findLastIndex(({ means }) => means === 'text');

function unique(numbers: readonly number[]): number[] {
  return [...new Set(numbers)];
}

/** Returns the questions in a dialog. If the dialog lists none, the dialog itself is the only question. */
export function partsOf({ questions, text, options, multi }: Question): readonly [QuestionPart, ...QuestionPart[]] {
  const [first = { header: null, text, options, multi }, ...others] = questions;
  return [first, ...others];
}

function refuse(message: string): AnswerPlan {
  return { kind: 'refuse', code: 'no_such_option', message };
}
