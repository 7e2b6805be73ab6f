import type { RuleEffect, RuleReason } from '../../protocol/index.ts';
import type { ApprovalRule } from './rule.ts';

/** What the rules decide about a call, and the reason. */
export interface Verdict {
  decision: RuleEffect;
  reason: RuleReason;
  /** the part of the call, or the rules file, that led to the decision */
  about: string | null;
  /** the rules that made the decision */
  rules: readonly ApprovalRule[];
}

export const ask = (reason: RuleReason, about: string | null = null, rules: readonly ApprovalRule[] = []): Verdict => ({
  decision: 'ask',
  reason,
  about,
  rules,
});

export const allowedBy = (rules: readonly ApprovalRule[], about: string | null): Verdict => ({
  ...{ decision: 'allow', reason: 'allowed', about, rules: [...new Set(rules)] },
});
