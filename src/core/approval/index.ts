/**
 * Decides whether a rule or the user answers a request from Claude Code. All functions here are pure.
 *
 * - the syntax of rules: `read-rules.ts`
 * - a rule: `rule.ts`
 * - splitting a command into simple commands: `shell-command.ts`
 * - programs that run or change more than their name suggests: `programs.ts`
 * - which simple commands a pattern matches: `command-pattern.ts`
 * - which paths a pattern matches: `path-pattern.ts`
 * - which paths a call names: `places.ts`
 * - the decision: `decide.ts`
 * - the reply to Claude Code: `rule-reply.ts`
 * - a call's input in a list: `brief-input.ts`
 * - the decision before Claude Code asks: `before-dialog.ts`, `hidden-command.ts`
 */

export { decideBefore, toolsToShow } from './before-dialog.ts';
export { briefInput } from './brief-input.ts';
export { decide, type Verdict } from './decide.ts';
export { placeKey, placesOf } from './places.ts';
export { readRule, readRules, SHELL_TOOL } from './read-rules.ts';
export { type ApprovalRule, type AskedCall, isInForce, type RulesInForce } from './rule.ts';
export { askWords, denyWords, replyOf } from './rule-reply.ts';
export { type SaidToCommand, type SuggestedRule, suggestRules } from './suggest.ts';
