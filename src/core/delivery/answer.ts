import type { Answer, ErrorCode, Question, QuestionOption, QuestionPart } from '../../protocol/index.ts';

/**
 * What an answer means in an open dialog: which options, and which text for the free-text option.
 * How it is typed (keys, by version) is another matter: `answer-keys.ts`.
 */
export type AnswerPlan =
  | { kind: 'select'; parts: readonly PartAnswer[]; remark: string | null }
  /** no dialog is open, the question was asked in words: the text is sent as a prompt */
  | { kind: 'prompt'; text: string }
  | { kind: 'refuse'; code: ErrorCode; message: string };

/** The answer to one question of a dialog. Option numbers count from 0. */
export interface PartAnswer {
  options: readonly number[];
  /** typed into the free-text option */
  text: string | null;
}

/** Options that mean yes, no and "yes, and do not ask again", by label. Wording and order differ between versions, so numbers say nothing. */
const NO_LABEL = /^(no\b|exit\b|cancel\b|reject\b|deny\b|don['’]t\b|tell claude|keep planning|type here to tell)/i;
const ALWAYS_LABEL =
  /^yes\b.*\b(always|don['’]t ask again|do not ask again|during this session|all edits|this session|auto-accept|from this project|for\b.*\bproject)|^always\b/i;
const YES_LABEL = /^(yes\b|allow\b|approve\b|accept\b|proceed\b|continue\b|trust\b|i trust\b|ok\b)/i;

/** Reads an answer against the open question. */
export function planAnswer(question: Question, answer: Answer): AnswerPlan {
  if (question.kind === 'closing') return planClosing(answer);
  if (answer.answers !== undefined) return planSeveral(question, answer.answers);
  const first = question.questions[0] ?? flatPart(question);
  if (question.questions.length > 1) {
    return refuse(`This dialog asks ${question.questions.length} questions; answer all of them by name (answers)`);
  }
  if (answer.choice !== undefined) {
    const options = chooseOptions(first, answer.choice);
    return typeof options === 'string'
      ? refuse(options)
      : { kind: 'select', parts: [{ options, text: null }], remark: answer.text ?? null };
  }
  const part = answerByText(first, answer.text ?? '');
  return typeof part === 'string' ? refuse(part) : { kind: 'select', parts: [part], remark: null };
}

function planClosing(answer: Answer): AnswerPlan {
  if (answer.text !== undefined && answer.choice === undefined) return { kind: 'prompt', text: answer.text };
  if (answer.choice === 'yes' || answer.choice === 'no') {
    const remark = answer.text === undefined ? '' : `, ${answer.text}`;
    return { kind: 'prompt', text: `${answer.choice === 'yes' ? 'Yes' : 'No'}${remark}` };
  }
  return refuse('The question was asked in words and has no options: answer it with a text');
}

function planSeveral(question: Question, answers: Readonly<Record<string, string | string[]>>): AnswerPlan {
  const known = question.questions.length > 0 ? question.questions : [flatPart(question)];
  const foreign = Object.keys(answers).find(
    (text) => !known.some((part) => part.text === text || part.header === text),
  );
  if (foreign !== undefined) return refuse(`No open question reads "${foreign}"`);
  const parts: PartAnswer[] = [];
  for (const part of known) {
    const given = answers[part.text] ?? (part.header === null ? undefined : answers[part.header]);
    if (given === undefined) return refuse(`The question "${part.text}" has no answer`);
    const planned = answerByLabels(part, typeof given === 'string' ? [given] : given);
    if (typeof planned === 'string') return refuse(planned);
    parts.push(planned);
  }
  return { kind: 'select', parts, remark: null };
}

function answerByLabels(part: QuestionPart, labels: readonly string[]): PartAnswer | string {
  const single = labels[0];
  if (labels.length === 1 && single !== undefined) return answerByText(part, single);
  if (!part.multi) return `"${part.text}" takes one answer only`;
  const options = labels.map((label) => optionByLabel(part.options, label));
  const missing = options.indexOf(-1);
  return missing >= 0 ? `"${labels[missing]}" is no option of "${part.text}"` : { options, text: null };
}

function answerByText(part: QuestionPart, text: string): PartAnswer | string {
  const exact = optionByLabel(part.options, text);
  if (exact >= 0) return { options: [exact], text: null };
  const freeText = freeTextOption(part.options);
  if (freeText < 0) return `"${text}" is no option of this question`;
  return { options: [freeText], text };
}

/** The option's number from 0, or -1 when none or several carry the label. */
function optionByLabel(options: readonly QuestionOption[], label: string): number {
  const wanted = label.trim().toLowerCase();
  const hits = options.flatMap((option, index) => (option.label.trim().toLowerCase() === wanted ? [index] : []));
  return hits.length === 1 ? (hits[0] ?? -1) : -1;
}

function chooseOptions(part: QuestionPart, choice: NonNullable<Answer['choice']>): readonly number[] | string {
  if (typeof choice === 'number') return inRange(part, [choice]);
  if (Array.isArray(choice)) {
    return part.multi || choice.length === 1 ? inRange(part, choice) : 'This question takes one answer only';
  }
  const index = optionFor(part.options, choice);
  return index < 0 ? `This question has no option that means "${choice}"` : [index];
}

function inRange(part: QuestionPart, numbers: readonly number[]): readonly number[] | string {
  const wrong = numbers.find((number) => number > part.options.length);
  return wrong === undefined
    ? numbers.map((number) => number - 1)
    : `There is no option ${wrong}, only 1 to ${part.options.length}`;
}

/** The option that means yes, no or always, from 0; -1 when there is none. "yes" is never one that grants more than this once. */
export function optionFor(options: readonly QuestionOption[], meaning: 'yes' | 'no' | 'always'): number {
  switch (meaning) {
    case 'no':
      return options.findIndex((option) => NO_LABEL.test(option.label));
    case 'always':
      return options.findIndex((option) => ALWAYS_LABEL.test(option.label));
    case 'yes':
      return options.findIndex((option) => YES_LABEL.test(option.label) && !ALWAYS_LABEL.test(option.label));
  }
}

/** The option that opens a text field, from 0; -1 when there is none. */
export function freeTextOption(options: readonly QuestionOption[]): number {
  return options.findIndex((option) => /^(type something|type here|other\b|tell claude what)/i.test(option.label));
}

function flatPart(question: Question): QuestionPart {
  return { header: null, text: question.text, options: question.options, multi: question.multi };
}

function refuse(message: string): AnswerPlan {
  return { kind: 'refuse', code: 'no_such_option', message };
}
