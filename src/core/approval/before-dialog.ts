import type { RuleReason } from '../../protocol/index.ts';
import { decide } from './decide.ts';
import { mayHideCommand } from './hidden-command.ts';
import { coversFileTool } from './meant-by-rule.ts';
import { commandOf, fieldOf, type Places, placeKey } from './places.ts';
import { FILE_TOOLS, SHELL_TOOL } from './read-rules.ts';
import { type ApprovalRule, type AskedCall, fitsTool, isInForce, type RulesInForce } from './rule.ts';
import type { Verdict } from './verdict.ts';

/** The reasons why CBOS makes Claude Code ask the user even if it would not ask otherwise. */
const ASKS_ALWAYS: ReadonlySet<RuleReason> = new Set(['asks', 'may_be_denied', 'broken_file', 'not_whole']);

/**
 * Applies the rules before Claude Code decides whether to ask, so that the rules also cover calls that Claude Code
 * would not ask about. A `deny` that covers the call denies it. If a `deny` might cover the call, CBOS asks the user.
 * This function never allows a call.
 * @returns null if the rules leave the decision to Claude Code
 */
export function decideBefore(
  call: AskedCall,
  book: RulesInForce,
  where: { home: string; places: Places },
): Verdict | null {
  const strict = book.rules.filter((rule) => rule.effect !== 'allow' && isInForce(rule, call));
  if (strict.length === 0 && book.fault === null) return null;
  const verdict = decide(call, book, where);
  if (verdict.decision === 'deny') return verdict;
  if (verdict.decision === 'allow' || verdict.reason === 'for_people') return null;
  if (ASKS_ALWAYS.has(verdict.reason)) return verdict;
  if (verdict.reason === 'runs_written' && strict.some(({ commands }) => commands.length > 0)) return verdict;
  const rule = call.tool === SHELL_TOOL ? strict.find((one) => mayHide(one, call, where.places)) : undefined;
  if (rule === undefined) return null;
  return { decision: 'ask', reason: 'may_be_denied', about: verdict.about, rules: [rule] };
}

/** Reports whether a command that is not fully known might do something that a rule covers. */
function mayHide(rule: ApprovalRule, call: AskedCall, places: Places): boolean {
  const command = commandOf(call);
  if (rule.commands.length > 0) {
    if (command === null) return true;
    const follow = (path: string): string => (path.includes('/') && places.get(placeKey(call.cwd ?? '', path))) || path;
    return mayHideCommand(rule.commands, command, { text: fieldOf(call.input, 'command') ?? '', follow });
  }
  return rule.paths.length > 0 && (command === null || command.unclear !== null);
}

/**
 * Returns the names of the tools whose calls the rules may decide before a dialog opens, or an empty list if no rule
 * needs to see any call. In a name, `*` matches any characters.
 */
export function toolsToShow(rules: readonly ApprovalRule[], isBroken: boolean): string[] {
  if (isBroken) return ['*'];
  const tools = rules.flatMap((rule) => {
    if (rule.effect === 'allow') return [];
    if (rule.commands.length > 0) return [SHELL_TOOL];
    if (rule.paths.length === 0) return rule.tools;
    const named = [...FILE_TOOLS.keys()].filter((tool) => coversFileTool(rule, tool));
    // Any command may open a file that a rule closes to a tool.
    return named.length > 0 || fitsTool(rule, SHELL_TOOL) ? [...named, SHELL_TOOL] : [];
  });
  return [...new Set(tools)].sort();
}
