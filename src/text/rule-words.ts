import {
  type AuditEntry,
  type AuditOutcome,
  type Rule,
  type RuleFile,
  type RuleFileState,
  type RuleOrigin,
  type RuleReason,
  type RuleVerdict,
  tellingField,
} from '../protocol/index.ts';
import { formatDuration } from './durations.ts';
import { showHiddenMarks } from './hidden-marks.ts';
import { firstLine } from './session-words.ts';
import { cleanLine } from './terminal-text.ts';

/** The reasons for decisions, in words. `…` is replaced by the part of the call that determined the decision. */
const REASONS: Readonly<Record<RuleReason, string>> = {
  allowed: 'every part of it is allowed',
  denied: 'a rule denies: …',
  asks: 'a rule asks about: …',
  no_rules: 'no rule matches it',
  no_rule: 'no rule allows: …',
  for_people: 'only a person may answer …',
  not_whole: 'CBOS does not have the complete input',
  unclear_input: 'the input does not fully describe what the call does: …',
  broken_file: "this rules file isn't trustworthy: …",
  may_be_denied: 'it may contain something that a rule denies: …',
  protected: 'no rule may allow access to this path: …',
  outside: 'a `*` does not match outside the folder: …',
  too_long: 'the command is too long',
  control_character: 'it contains a control character: …',
  not_ascii: 'it contains a letter that looks like another one: …',
  syntax: 'it cannot be parsed as a command: …',
  construct: 'it contains a construct that rules do not analyse: …',
  expansion: 'the shell would expand: …',
  quoting: 'different shells may interpret this differently: …',
  redirection: 'no rule allows this redirection: …',
  assignment: 'it sets a variable: …',
  shell_state: 'it changes how the shell interprets what follows: …',
  directory: 'it would run in another directory: …',
  star_word: 'a `*` does not match this word, because it may run, write or read something else: …',
  runs_written: 'it runs a file that it also writes: …',
};

const DECISIONS = { allow: 'allowed', deny: 'denied', ask: 'asks' } as const;

/** Returns a line such as "asks: no rule allows: git push". */
export function verdictLine({ decision, reason, about, rules }: RuleVerdict): string {
  const why = (REASONS[reason] ?? reason).replace('…', about ?? '').replace(/: $/, '');
  const by = rules.length === 0 ? '' : ` (${rules.join(', ')})`;
  return cleanLine(`${DECISIONS[decision] ?? decision}: ${why}${by}`);
}

/** Describes the calls that a rule covers, such as "Bash: git status | npm test". */
export function ruleAbout({ tool, command, path }: Rule): string {
  const what = [...command, ...path].join(' | ');
  return seen([tool.join(', '), what].filter((part) => part !== '').join(': '));
}

/** Says why a rule can never match, and which rule would. Returns null if it can match. */
export const ruleFlaw = ({ never_matches: why }: Pick<Rule, 'never_matches'>): string | null =>
  why == null ? null : seen(`never matches: ${why}`);

/** Says of which commands in a rule CBOS cannot read the options. Returns null if it can read them all. */
export function ruleUnread({ effect, without_table: commands }: Pick<Rule, 'effect' | 'without_table'>): string | null {
  if (commands.length === 0) return null;
  const what =
    effect === 'allow'
      ? 'its `*` matches no option'
      : 'options are compared by their letters, so CBOS only asks about other spellings';
  return seen(`is about a program whose options CBOS does not know; ${what}: ${commands.join(' | ')}`);
}

/** Returns a rule's text on one line, with invisible characters shown as escapes. */
const seen = (text: string): string => cleanLine(showHiddenMarks(text));

/**
 * Describes the sessions and the folder to which a rule applies, or returns an empty string if the rule applies
 * everywhere.
 */
export function ruleScope({
  project,
  session,
  only,
  folder,
}: Pick<Rule, 'session' | 'only' | 'folder'> & Partial<Rule>): string {
  const scope = [
    only === null ? '' : `for ${only} only`,
    session.length === 0 ? '' : `in ${session.join(', ')}`,
    folder === null ? '' : `below ${folder}`,
    project === undefined || project.length === 0 ? '' : `in ${project.join(', ')}`,
  ];
  return seen(scope.filter((part) => part !== '').join(', '));
}

/** Describes the limits of a rule: its sessions, how long it is valid, and how often it can be used. */
export function ruleLimits(rule: Rule): string {
  const { expires, count, used } = rule;
  const limits = [
    ruleScope(rule),
    expires === null ? '' : `until ${expires.slice(0, 16).replace('T', ' ')}Z`,
    count === null ? '' : `${used} of ${count}`,
  ];
  return cleanLine(limits.filter((part) => part !== '').join(', '));
}

/** Says what is wrong with a rules file. Returns null if nothing is wrong. */
export function ruleFileFault({ path, folder, state, error }: RuleFile): string | null {
  switch (state) {
    case 'counts':
      return null;
    case 'untrusted':
      if (error !== null) return cleanLine(`${path} does not apply, and cannot be trusted: ${error}`);
      return cleanLine(`${path} does not apply yet; to read and trust it, run cbos rules trust ${folder ?? ''}`);
    case 'changed':
      return cleanLine(
        `${path}: ${error ?? 'it has changed'}; the version that you trusted applies, and rules allow nothing in that project`,
      );
    case 'broken':
      return cleanLine(`${path}: ${error ?? 'it cannot be read'}; rules allow nothing that this file affects`);
  }
}

export const OUTCOME_WORDS: Readonly<Record<AuditOutcome, string>> = {
  started: 'unknown',
  given: 'taken',
  overtaken: 'somebody answered first',
  unconfirmed: 'no effect was seen',
  failed: 'not given',
};

/** The words for the places where rules come from. */
export const ORIGIN_WORDS: Readonly<Record<RuleOrigin, string>> = {
  home: 'rules.toml',
  project: "a project's file",
  added: 'added',
};

export const FILE_STATE_WORDS: Readonly<Record<RuleFileState, string>> = {
  counts: 'in effect',
  broken: 'broken',
  untrusted: 'not trusted',
  changed: 'changed since it was trusted',
};

/** Returns how much time and how many calls a rule has left, or an empty string if the rule has no limit. */
export function ruleLeft({ expires, count, used }: Rule, now: number): string {
  const leftMs = expires === null ? null : Date.parse(expires) - now;
  const time = leftMs === null ? '' : leftMs <= 0 ? 'expired' : `ends in ${formatDuration(leftMs)}`;
  const calls = count === null ? '' : used >= count ? 'used up' : `${count - used} of ${count} calls left`;
  return [time, calls].filter((part) => part !== '').join(', ');
}

/** Reports whether a rule no longer applies, because its time is over or it has been used as often as allowed. */
export function isRuleOver({ expires, count, used }: Rule, now: number): boolean {
  return (expires !== null && Date.parse(expires) <= now) || (count !== null && used >= count);
}

/** Describes a call in one line of a list, such as "Bash: npm test". */
export function decidedCall({ tool, input }: Pick<AuditEntry, 'tool' | 'input'>): string {
  return seen(`${tool}: ${firstLine(showHiddenMarks(tellingField(input) ?? ''))}`);
}

export const DECIDED_WORDS: Readonly<Record<AuditEntry['decision'], string>> = { allow: 'allowed', deny: 'denied' };
