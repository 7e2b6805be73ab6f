import { z } from 'zod';
import { QuestionQuery } from './question.ts';
import type { RouteRow } from './route.ts';
import { Rule } from './rules.ts';

/**
 * How far a yes can apply beyond the call that the session asks about, described in words that the user reads before
 * choosing.
 */
export const AlwaysChoices = z
  .object({
    question_id: z.string(),
    session: z.string().nullable().meta({ description: 'What `for: session` allows; null if it is not offered' }),
    project: z.string().nullable().meta({ description: 'What `for: project` allows; null if it is not offered' }),
    rule: z
      .string()
      .nullable()
      .meta({ description: 'The approval rule, as TOML; null if no rule can be made for this request' }),
    no_rule: z.string().nullable().meta({ description: 'Why no rule can be made for this request' }),
  })
  .meta({ id: 'AlwaysChoices' });
export type AlwaysChoices = z.infer<typeof AlwaysChoices>;

/** What Claude Code's own "always" would allow, for each place where that permission can be stored. */
export type StandingChoices = Pick<AlwaysChoices, 'session' | 'project'>;

const LONGEST_RULE = 20_000;

/**
 * A yes that also adds a rule. The client sends back the rule that it showed, so that no rule is saved that the user
 * has not seen.
 */
export const AllowByRule = z
  .strictObject({ question_id: z.string(), rule: z.string().max(LONGEST_RULE) })
  .meta({ id: 'AllowByRule' });
export type AllowByRule = z.infer<typeof AllowByRule>;

export const AllowedByRule = z
  .object({ status: z.literal('answered'), rule: Rule })
  .meta({ id: 'AllowedByRule', description: 'The rule that was added' });
export type AllowedByRule = z.infer<typeof AllowedByRule>;

/** The part of the REST interface for a yes that applies beyond the call that the session asks about. */
export const ALWAYS_ROUTES = {
  alwaysChoices: {
    method: 'get',
    path: '/sessions/{slug}/always',
    who: 'session',
    summary:
      'What "always" can mean for the session\'s permission request: for the session or in the project (`for` of an answer), or as an approval rule',
    query: QuestionQuery,
    response: AlwaysChoices,
    errors: ['no_such_session', 'no_question', 'stale_question', 'question_behind'],
  },
  allowByRule: {
    method: 'post',
    path: '/sessions/{slug}/always',
    who: 'person',
    summary:
      'Add the approval rule that `GET` returned, and answer yes. If the session cannot be answered, no rule is added',
    body: AllowByRule,
    response: AllowedByRule,
    errors: [
      'no_such_session',
      'no_question',
      'stale_question',
      'question_behind',
      'invalid_rule',
      'not_adopted',
      'no_such_option',
      'not_shown_whole',
      'not_confirmed',
    ],
  },
} as const satisfies Record<string, RouteRow>;
