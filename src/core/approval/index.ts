/**
 * Decides whether a rule or the user answers a request from Claude Code. All functions here are pure.
 *
 * - `read-rules.ts`: parses the rules in a file
 * - `rule.ts`: defines a rule, and when it applies
 * - `shell-command.ts`: splits a shell command into simple commands
 * - `programs.ts`: lists the programs that run or change more than their names suggest
 * - `options/`: how programs read their options, and which of these options are harmless
 * - `command-pattern.ts`: matches simple commands against an `allow`
 * - `command-meaning.ts`: finds what a `deny` or an `ask` covers, however it is spelled
 * - `path-pattern.ts`: matches paths against a pattern
 * - `places.ts`, `paths-within.ts`: find the paths that a call names
 * - `decide.ts`, `meant-by-rule.ts`, `runs-written.ts`, `allowed-by-rules.ts`: make the decision
 * - `never-matches.ts`, `never-command.ts`: finds rules that can never match
 * - `known-tools.ts`: lists the tools of Claude Code
 * - `rule-reply.ts`: builds the reply to Claude Code
 * - `brief-input.ts`: shortens a call's input for a list
 * - `before-dialog.ts`, `hidden-command.ts`: decide about a call before Claude Code asks
 */

export { decideBefore, toolsToShow } from './before-dialog.ts';
export { briefInput } from './brief-input.ts';
export { withoutTable } from './command-meaning.ts';
export { decide } from './decide.ts';
export { type NeverMatches, neverMatches, neverWords, readNewRule } from './never-matches.ts';
export { placeKey, placesOf } from './places.ts';
export { readRule, readRules, SHELL_TOOL } from './read-rules.ts';
export { type ApprovalRule, type AskedCall, isInForce, type RulesInForce } from './rule.ts';
export { askWords, denyWords, replyOf } from './rule-reply.ts';
export { type SaidToCommand, type SuggestedRule, suggestRules } from './suggest.ts';
export type { Verdict } from './verdict.ts';
