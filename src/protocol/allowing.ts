import type { OptionMeaning, Question } from './question.ts';

/** Reports whether choosing an option allows a command to run, a file to be written, or the session to continue. */
export function allows(means: OptionMeaning): boolean {
  return means !== 'no' && means !== 'text' && means !== 'leave';
}

/**
 * Reports whether an answer allows the requested call, or might allow it. Such an answer may only be given by somebody
 * who has seen the whole question. Answers to Claude's own questions (`question`) never allow anything.
 */
export function mayAllow(question: Question, answer: { choice?: unknown; text?: string | undefined }): boolean {
  if (question.kind === 'question' || question.kind === 'closing') return false;
  const { choice, text } = answer;
  const options = question.questions[0]?.options ?? question.options;
  if (choice === undefined) {
    const label = text?.trim().toLowerCase();
    return options.some((option) => allows(option.means) && option.label.trim().toLowerCase() === label);
  }
  if (choice === 'no' || choice === 'cancel') return false;
  const numbers = (Array.isArray(choice) ? choice : [choice]).filter((one) => typeof one === 'number');
  return numbers.length === 0 || numbers.some((number) => allows(options[number - 1]?.means ?? 'choice'));
}
