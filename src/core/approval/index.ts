/**
 * Whether a rule answers what Claude Code asks for, or a person does. Everything here is pure.
 *
 * - rules as they are written: `read-rules.ts`; a rule: `rule.ts`
 * - a command's simple commands: `shell-command.ts`; programs that run or change more than they say: `programs.ts`
 * - which simple commands a pattern fits: `command-pattern.ts`; which paths: `path-pattern.ts`
 * - which paths a call names: `places.ts`; the decision: `decide.ts`; what it says to Claude Code:
 *   `rule-reply.ts`
 */

export { decide, type Verdict } from './decide.ts';
export { placeKey, placesOf } from './places.ts';
export { readRule, readRules } from './read-rules.ts';
export { type ApprovalRule, type AskedCall, isInForce, type RulesInForce } from './rule.ts';
export { replyOf } from './rule-reply.ts';
