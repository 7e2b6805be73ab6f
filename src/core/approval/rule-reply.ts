import type { Rule } from '../../protocol/index.ts';
import type { Reply } from '../answer/reply.ts';

/**
 * What a rule's decision says to Claude Code. An allow sends back the input that was decided on, so that nothing else
 * runs. A deny says why: the turn goes on, and the model can do without.
 */
export function replyOf(decision: 'allow' | 'deny', rules: readonly Rule[], input: unknown): Reply {
  if (decision === 'allow') return { behavior: 'allow', updatedInput: input };
  const [rule] = rules;
  const why = rule?.note == null || rule.note === '' ? '' : ` ${rule.note}`;
  return { behavior: 'deny', message: `A rule of the user's denies this (CBOS rule ${rule?.id ?? '?'}).${why}` };
}
