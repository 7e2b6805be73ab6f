import type { Rule, RuleReason } from '../../protocol/index.ts';
import type { Reply } from '../answer/reply.ts';

/**
 * Returns the reply that carries out a rule's decision. For an allow, the reply contains exactly the input that the
 * rule was checked against, so nothing else can run. For a deny, the reply contains the reason, because the turn
 * continues and the model can look for another way.
 */
export function replyOf(decision: 'allow' | 'deny', rules: readonly Rule[], input: unknown): Reply {
  if (decision === 'allow') return { behavior: 'allow', updatedInput: input };
  return { behavior: 'deny', message: denyWords(rules) };
}

/** Returns the reason for a denial, worded for the model. */
export function denyWords(rules: readonly Rule[]): string {
  const [rule] = rules;
  const why = rule?.note == null || rule.note === '' ? '' : ` ${rule.note}`;
  return `One of the user's rules denies this (CBOS rule ${rule?.id ?? '?'}).${why}`;
}

/** Returns the text that tells the user which rule opened a dialog. */
export function askWords(reason: RuleReason, rules: readonly Rule[]): string {
  const [rule] = rules;
  if (rule === undefined) return 'CBOS cannot read its rules; `cbos rules` shows why.';
  return reason === 'asks'
    ? `One of your rules asks about this (CBOS rule ${rule.id}).`
    : `This may contain something that one of your rules denies (CBOS rule ${rule.id}).`;
}
