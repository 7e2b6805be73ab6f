import type { AuditOutcome, Rule, RuleFile, RuleReason, RuleVerdict } from '../protocol/index.ts';
import { cleanLine } from './terminal-text.ts';

/** Why a call is decided as it is, in words. `…` stands for the part of the call that decided. */
const REASONS: Readonly<Record<RuleReason, string>> = {
  allowed: 'every part of it is allowed',
  denied: 'a rule denies: …',
  asks: 'a rule asks about: …',
  no_rules: 'no rule is for it',
  no_rule: 'no rule allows: …',
  for_people: 'only a person answers …',
  not_whole: 'CBOS does not have all of its input',
  unclear_input: 'its input leaves open what it does: …',
  broken_file: 'this file of rules cannot be relied on: …',
  may_be_denied: 'it may contain what a rule denies: …',
  protected: 'no rule may allow this place: …',
  outside: 'a `*` does not reach out of the folder: …',
  too_long: 'the command is too long',
  control_character: 'it has a control character: …',
  not_ascii: 'it has a letter that may look like another: …',
  syntax: 'it cannot be read as a command: …',
  construct: 'it has a construct that rules do not look into: …',
  expansion: 'the shell would expand: …',
  quoting: 'shells may read this differently: …',
  redirection: 'no rule allows this redirection: …',
  assignment: 'it sets a variable: …',
  shell_state: 'it changes how the shell reads what follows: …',
  directory: 'it would run in another directory: …',
};

const DECISIONS = { allow: 'allowed', deny: 'denied', ask: 'asks' } as const;

/** "asks: no rule allows: git push" */
export function verdictLine({ decision, reason, about, rules }: RuleVerdict): string {
  const why = (REASONS[reason] ?? reason).replace('…', about ?? '').replace(/: $/, '');
  const by = rules.length === 0 ? '' : ` (${rules.join(', ')})`;
  return cleanLine(`${DECISIONS[decision] ?? decision}: ${why}${by}`);
}

/** What a rule is about: "Bash: git status | npm test". */
export function ruleAbout({ tool, command, path }: Rule): string {
  const what = [...command, ...path].join(' | ');
  return cleanLine([tool.join(', '), what].filter((part) => part !== '').join(': '));
}

/** What limits a rule: the sessions, the time, how often. */
export function ruleLimits({ session, only, folder, expires, count, used }: Rule): string {
  const limits = [
    only === null ? '' : `for ${only} only`,
    session.length === 0 ? '' : `in ${session.join(', ')}`,
    folder === null ? '' : `below ${folder}`,
    expires === null ? '' : `until ${expires.slice(0, 16).replace('T', ' ')}Z`,
    count === null ? '' : `${used} of ${count}`,
  ];
  return cleanLine(limits.filter((part) => part !== '').join(', '));
}

/** What is wrong with a file of rules; null if nothing is. */
export function ruleFileFault({ path, folder, state, error }: RuleFile): string | null {
  switch (state) {
    case 'counts':
      return null;
    case 'untrusted':
      return cleanLine(`${path} counts for nothing yet: cbos rules trust ${folder ?? ''} shows it and asks`);
    case 'changed':
      return cleanLine(`${path}: ${error ?? 'it has changed'}; what was trusted counts, and nothing is allowed there`);
    case 'broken':
      return cleanLine(`${path}: ${error ?? 'it cannot be read'}; nothing that it touches is allowed`);
  }
}

export const OUTCOME_WORDS: Readonly<Record<AuditOutcome, string>> = {
  started: 'not known',
  given: 'taken',
  overtaken: 'others were first',
  unconfirmed: 'no effect seen',
  failed: 'not given',
};
