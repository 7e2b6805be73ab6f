import type { FormField, Session } from '../protocol/index.ts';
import { cleanLine } from '../text/terminal-text.ts';
import type { Suggestion } from './completion-ids.ts';

/**
 * Reports whether a session has a dialog open. A question at the end of a turn is not a dialog: it is answered with a
 * prompt.
 */
export function asks({ status }: Session): boolean {
  return status.question !== null && status.question.kind !== 'closing';
}

/** Returns the possible answers to a session's open question, and the possible values of its form's fields. */
export function answersTo(session: Session | undefined): { choices: Suggestion[]; fields: Suggestion[] } {
  const { question, questions = [] } = session?.status ?? { question: null };
  const form = [question, ...questions].find((one) => one?.form !== undefined)?.form;
  return { choices: choicesOf(question), fields: (form?.fields ?? []).flatMap(valuesOf) };
}

/** Returns each option's number, and its word if it has one. */
function choicesOf(question: Session['status']['question']): Suggestion[] {
  const options = question?.options ?? [];
  const words = (['yes', 'always', 'no'] as const).flatMap((word): Suggestion[] => {
    const option = options.find(({ means }) => means === word);
    return option === undefined ? [] : [[word, cleanLine(option.label)]];
  });
  return [...words, ...options.map(({ label }, index): Suggestion => [String(index + 1), cleanLine(label)])];
}

/** Returns `NAME=VALUE` for each value that a field of a form can have, or `NAME=` if the user has to write it. */
function valuesOf({ name, type, title, choices }: FormField): Suggestion[] {
  const values = type === 'boolean' ? [YES, NO] : (choices ?? []);
  if (values.length === 0) return [[cleanLine(`${name}=`), cleanLine(title ?? '')]];
  return values.map(({ value, title: about }) => [cleanLine(`${name}=${value}`), cleanLine(about)]);
}

const YES = { value: 'yes', title: '' };
const NO = { value: 'no', title: '' };
