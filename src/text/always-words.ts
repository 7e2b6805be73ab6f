import type { AlwaysChoices } from '../protocol/index.ts';

/** One meaning of "always": what it allows, or why the user cannot choose it. */
export interface AlwaysText {
  reach: 'session' | 'project' | 'rule';
  text: string | null;
  why: string;
}

const NOT_OFFERED = 'Claude Code offers no permanent permission here';

/** Describes how far a yes can apply, in the order in which the faces show the choices. */
export function alwaysTexts({ session, project, rule, no_rule: noRule }: AlwaysChoices): readonly AlwaysText[] {
  return [
    { reach: 'session', text: session, why: NOT_OFFERED },
    { reach: 'project', text: project, why: session === null ? NOT_OFFERED : 'It applies only to this session' },
    { reach: 'rule', text: rule, why: noRule ?? 'No rule can be made for this request' },
  ];
}
