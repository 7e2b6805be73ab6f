import type { NewRule, RuleSuggestion } from '../protocol/index.ts';
import { showHiddenMarks } from './hidden-marks.ts';
import { cleanBlock, cleanLine } from './terminal-text.ts';

const seen = (text: string): string => cleanLine(showHiddenMarks(text));

const STEPS: Readonly<Record<RuleSuggestion['step'], string>> = {
  exact: 'exactly this command, with no other arguments',
  arguments: 'the same command with any arguments; you have allowed it with several different ones',
};

/** Says what a suggested rule would allow in addition to the commands that led to it. */
export const stepText = ({ step }: Pick<RuleSuggestion, 'step'>): string => STEPS[step] ?? step;

/** Describes the evidence for a suggestion, such as "allowed 4 times, never refused, in AUTH, SHOP". */
export function evidenceText({ yes, no, sessions }: RuleSuggestion): string {
  const refused = no === 0 ? 'never refused' : `refused ${no} times`;
  return seen(`allowed ${yes} times, ${refused}, in ${sessions.join(', ')}`);
}

/** Returns a suggestion in full: the rule, the evidence for it, and what else the rule would have allowed. */
export function suggestionLines(suggestion: RuleSuggestion): string[] {
  const { number, commands, also, toml } = suggestion;
  return [
    `${number}. ${evidenceText(suggestion)}`,
    `   It allows ${stepText(suggestion)}.`,
    ...commands.map((text) => `   you allowed: ${seen(text)}`),
    ...(also.length === 0 ? ['   It would have allowed nothing else that was requested.'] : []),
    ...also.map((text) => `   it would also have allowed: ${seen(text)}`),
    '',
    ...cleanBlock(showHiddenMarks(toml)).trimEnd().split('\n'),
  ];
}

/** Returns the rule that is added if the user accepts a suggestion. */
export const suggestionRule = ({ command, project }: RuleSuggestion): NewRule => ({
  effect: 'allow',
  command,
  project,
});
