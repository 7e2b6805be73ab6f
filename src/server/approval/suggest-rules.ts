import { type ApprovalRule, readRule, type SuggestedRule, suggestRules } from '../../core/approval/index.ts';
import type { AnsweredCommand } from '../../platform/sqlite/answer-store.ts';
import type { RuleSuggestion } from '../../protocol/index.ts';

/** How many rules are suggested at most, because nobody reads a longer list. */
const MOST_SUGGESTIONS = 20;
/**
 * How many different commands of a project are tried, newest first. Each command is tried with every rule that may
 * match it.
 */
const MOST_TRIED = 200;
const MOST_SHOWN = 10;

/**
 * Proposes rules, and tries each rule on every command in its project that a person was asked about.
 * @param asks reports whether a person would be asked about a command if the rules being tried were added to those in
 * effect
 */
export async function suggestFromAnswers(
  answers: readonly AnsweredCommand[],
  asks: (answer: AnsweredCommand, extra: readonly ApprovalRule[]) => Promise<boolean>,
): Promise<RuleSuggestion[]> {
  // This module is loaded on demand, because few people ask for suggestions.
  const { stringify } = await import('smol-toml');
  const found: RuleSuggestion[] = [];
  const asking = new Map<AnsweredCommand, Promise<boolean>>();
  const asksNow = (one: AnsweredCommand): Promise<boolean> => {
    const known = asking.get(one) ?? asks(one, []);
    asking.set(one, known);
    return known;
  };
  for (const suggested of suggestRules(answers)) {
    if (found.length === MOST_SUGGESTIONS) break;
    const { folder: project, command, sessions, commands, step, yes } = suggested;
    const rule = readRule({ effect: 'allow', fields: { command, project }, id: 'suggested', folder: null });
    if ('problem' in rule) continue;
    const tried = await tryOut({ suggested, rule, answers, asks, asksNow });
    // The proposed rule does not help: either the rules in effect already allow the whole command, or some rule always
    // asks about it.
    if (tried.allowed.length === 0) continue;
    found.push({
      ...{ number: found.length + 1, project, command, step, yes, no: 0 },
      ...{ sessions: [...sessions], commands: commands.slice(0, MOST_SHOWN), also: tried.also.slice(0, MOST_SHOWN) },
      toml: `[[allow]]\n${stringify({ command, project })}`,
    });
  }
  return found;
}

/**
 * Returns the commands for which no question would be asked any more, divided into those that the person has allowed
 * and all others.
 */
async function tryOut(of: {
  suggested: SuggestedRule;
  rule: ApprovalRule;
  answers: readonly AnsweredCommand[];
  asks: (answer: AnsweredCommand, extra: readonly ApprovalRule[]) => Promise<boolean>;
  /** whether a person would be asked under the rules in effect alone; determined once for each command */
  asksNow: (answer: AnsweredCommand) => Promise<boolean>;
}): Promise<{ allowed: string[]; also: string[] }> {
  const { suggested, rule, answers, asks, asksNow } = of;
  const [program = ''] = suggested.command.split(' ');
  const different = new Map<string, AnsweredCommand>();
  for (const one of answers) {
    const { command } = one.input as { command?: unknown };
    if (one.folder === suggested.folder && typeof command === 'string') different.set(command, one);
  }
  const allowed: string[] = [];
  for (const [text, one] of [...different].slice(-MOST_TRIED)) {
    if (text.includes(program) && (await asksNow(one)) && !(await asks(one, [rule]))) allowed.push(text);
  }
  return { allowed, also: allowed.filter((text) => !suggested.commands.includes(text)) };
}
