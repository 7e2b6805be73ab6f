import type { Answer, Question } from '../../protocol/index.ts';
import { planAnswer } from './answer.ts';

/**
 * Returns whether an answer to a permission is a yes or a no. Null if it is neither, or if the question is not a
 * permission.
 */
export function saidTo(question: Question, answer: Answer): 'yes' | 'no' | null {
  if (question.kind !== 'permission') return null;
  const plan = planAnswer(question, answer);
  if (plan.kind === 'dismiss') return 'no';
  if (plan.kind !== 'select') return null;
  const [part] = plan.parts;
  const means = question.options[part?.options[0] ?? -1]?.means ?? (part?.text == null ? undefined : 'text');
  if (means === 'yes' || means === 'always') return 'yes';
  return means === 'no' || means === 'text' ? 'no' : null;
}
