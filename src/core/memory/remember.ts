import type { Answer, AnswerBefore, ChosenBefore, Question } from '../../protocol/index.ts';
import { type AnswerPlan, partsOf, planAnswer } from '../answer/answer.ts';

/** What the user answered. */
export type Said = Pick<AnswerBefore, 'said' | 'remark' | 'chosen'>;

/** How many characters of the user's own words are kept. Longer answers are unlikely to be given again. */
const MOST_WORDS = 2_000;

/**
 * Reports whether CBOS keeps the answers to a question. It keeps them for calls that were shown in full, and for
 * questions that Claude itself asks.
 */
export const remembersKind = ({ kind, tool, cut }: Question): boolean =>
  tool !== null && cut !== true && (kind === 'permission' || kind === 'question');

/**
 * Returns what an answer says, in the form in which memory keeps it, or null if memory does not keep the answer. CBOS
 * does not keep answers to plans, to set-up dialogs, to questions that were not shown in full, or to closing questions.
 * It also keeps no answer that goes beyond the call that was asked about.
 */
export function remember(question: Question, answer: Answer): Said | null {
  if (!remembersKind(question)) return null;
  const plan = planAnswer(question, answer);
  if (question.kind === 'permission') return toPermission(question, plan);
  return plan.kind === 'select' ? { said: 'choice', remark: null, chosen: chosenBy(question, plan) } : null;
}

function toPermission(question: Question, plan: AnswerPlan): Said | null {
  const saying = (said: Said['said'], words: string | null): Said => ({ said, remark: cut(words), chosen: [] });
  if (plan.kind === 'dismiss') return saying('no', null);
  if (plan.kind !== 'select') return null;
  const [part] = plan.parts;
  const text = part?.text ?? plan.remark;
  const means = question.options[part?.options[0] ?? -1]?.means ?? (text === null ? undefined : 'text');
  if (means === 'yes' || means === 'always') return saying(means, text);
  return means === 'no' || means === 'text' ? saying('no', text) : null;
}

const chosenBy = (question: Question, { parts }: Extract<AnswerPlan, { kind: 'select' }>): ChosenBefore[] =>
  partsOf(question).map((part, index) => ({
    question: part.text,
    labels: (parts[index]?.options ?? []).flatMap((option) => part.options[option]?.label ?? []),
    text: cut(parts[index]?.text ?? null),
  }));

function cut(words: string | null): string | null {
  const clean = words?.trim() ?? '';
  return clean === '' ? null : clean.slice(0, MOST_WORDS);
}

/** The maximum length of a text that CBOS suggests. A face shows the whole text before sending it. */
const MOST_SUGGESTED = 300;

const isLong = (words: string | null): boolean => words !== null && words.length > MOST_SUGGESTED;

/**
 * Returns the answer to the open question that says the same as a stored answer, or null if the question does not offer
 * that answer now.
 */
export function sayAgain(question: Question, said: Said): Answer | null {
  if (isLong(said.remark) || said.chosen.some(({ text }) => isLong(text))) return null;
  const answer = answerFor(question, said);
  if (answer === null) return null;
  const again = remember(question, answer);
  return again !== null && isSame(again, said) ? answer : null;
}

function answerFor(question: Question, { said, remark, chosen }: Said): Answer | null {
  if (said !== 'choice') return { choice: said, ...(remark === null ? {} : { text: remark }) };
  const parts = partsOf(question);
  const [first] = parts;
  const [only] = chosen;
  if (parts.length === 1 && only !== undefined && only.labels.length === 1 && only.text === null) {
    const option = first.options.findIndex(({ label }) => label === only.labels[0]);
    return option < 0 ? null : { choice: option + 1 };
  }
  if (new Set(parts.map(({ text }) => text)).size < parts.length) return null;
  const answers = chosen.map(({ question: text, labels, text: words }): [string, string | string[]] => {
    const all = [...labels, ...(words === null ? [] : [words])];
    return [text, parts.find((part) => part.text === text)?.multi === true ? all : (all[0] ?? '')];
  });
  return { answers: Object.fromEntries(answers) };
}

/** Reports whether two answers have the same content. */
export const isSame = (one: Said, other: Said): boolean => sameKey(one) === sameKey(other);

export const sameKey = ({ said, remark, chosen }: Said): string =>
  JSON.stringify([said, remark, chosen.map(({ question, labels, text }) => [question, labels, text])]);
