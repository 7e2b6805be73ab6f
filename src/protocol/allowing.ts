import type { OptionMeaning, Question } from './question.ts';

/** Whether choosing an option lets something run, be written or go on. */
export function allows(means: OptionMeaning): boolean {
  return means !== 'no' && means !== 'text' && means !== 'leave';
}

/**
 * Whether an answer allows what is asked for, or could: only who has seen all of that may give it. What the model asks
 * of its own (`question`) allows nothing.
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
