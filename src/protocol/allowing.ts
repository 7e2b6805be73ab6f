import type { OptionMeaning, Question } from './question.ts';

/** Reports whether choosing an option allows something to run, to be written, or to continue. */
export function allows(means: OptionMeaning): boolean {
  return means !== 'no' && means !== 'text' && means !== 'leave';
}

/**
 * Reports whether an answer allows the requested call, or could allow it. Only somebody who has seen all of the
 * question may give such an answer. Claude's own questions (`question`) allow nothing.
 */
export function mayAllow(question: Question, answer: { choice?: unknown; text?: string | undefined }): boolean {
  if (question.kind === 'question' || question.kind === 'closing') return false;
  const { choice, text } = answer;
  const options = question.questions[0]?.options ?? question.options;
  if (choice === undefined) {
    const label = text?.trim().toLowerCase();
    return options.some((option) => allows(option.means) && option.label.trim().toLowerCase() === label);
  }
  if (choice === 'no') return false;
  const numbers = (Array.isArray(choice) ? choice : [choice]).filter((one) => typeof one === 'number');
  return numbers.length === 0 || numbers.some((number) => allows(options[number - 1]?.means ?? 'choice'));
}
