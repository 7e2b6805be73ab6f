import { z } from 'zod';
import { Timestamp } from './words.ts';

/** What a rule does with a call that matches it. */
export const RuleEffect = z.enum(['allow', 'deny', 'ask']);
export type RuleEffect = z.infer<typeof RuleEffect>;

/** The maximum length of a pattern. No one would read a longer pattern. */
const MOST_PATTERN = 1_000;
const MOST_PATTERNS = 100;
const MOST_NOTE = 500;
const MOST_COUNT = 1_000_000;

const Pattern = z.string().min(1).max(MOST_PATTERN);
const Patterns = z.union([Pattern, z.array(Pattern).min(1).max(MOST_PATTERNS)]);

/** The fields of a rule, in a file or in a request. */
export const RuleFields = z.strictObject({
  tool: Patterns.optional().meta({ description: 'names of tools; `*` stands for any letters' }),
  command: Patterns.optional().meta({
    description:
      'the words of a simple command; `*` stands for a word or part of one, and `**` at the end for any further words',
  }),
  path: Patterns.optional().meta({ description: "relative to the session's folder, absolute, or below `~`" }),
  project: Patterns.optional().meta({ description: 'absolute folders: only for sessions in these folders or below' }),
  session: Patterns.optional().meta({ description: 'names of sessions; `*` stands for any letters' }),
  expires: Timestamp.optional(),
  count: z.int().min(1).max(MOST_COUNT).optional().meta({ description: 'how many calls an `allow` rule allows' }),
  note: z.string().max(MOST_NOTE).optional().meta({ description: 'the reason; for a `deny` rule, the model gets it' }),
});
export type RuleFields = z.infer<typeof RuleFields>;

export const NewRule = z
  .strictObject({
    effect: RuleEffect,
    ...RuleFields.shape,
    only: z
      .string()
      .optional()
      .meta({ description: 'the one session that the rule is for; the rule is deleted with it' }),
  })
  .meta({ id: 'NewRule' });
export type NewRule = z.infer<typeof NewRule>;

/** Where a rule comes from: the home's file, a project's trusted file, or a request. */
export const RuleOrigin = z.enum(['home', 'project', 'added']);
export type RuleOrigin = z.infer<typeof RuleOrigin>;

export const Rule = z
  .object({
    id: z.string(),
    effect: RuleEffect,
    origin: RuleOrigin,
    tool: z.array(z.string()),
    command: z.array(z.string()),
    path: z.array(z.string()),
    project: z.array(z.string()).default([]).meta({ description: 'only for sessions in these folders or below' }),
    session: z.array(z.string()),
    only: z.string().nullable().meta({ description: 'the one session that the rule is for' }),
    folder: z.string().nullable().meta({ description: "the folder of a project's rule" }),
    expires: Timestamp.nullable(),
    count: z.number().nullable(),
    used: z.number().meta({ description: 'how many calls the rule has decided' }),
    note: z.string().nullable(),
    never_matches: z.string().nullable().default(null).meta({
      description: 'why the rule can never match, and which rule would; null if it can',
    }),
    without_table: z.array(z.string()).default([]).meta({
      description:
        'the commands whose options CBOS cannot read: a star in an `allow` matches no option of theirs, and a `deny` or an `ask` compares options by their letters',
    }),
  })
  .meta({ id: 'Rule' });
export type Rule = z.infer<typeof Rule>;

/**
 * The state of a rules file. `untrusted`: no one has trusted the file yet, so it has no effect. `changed`: the version
 * that was trusted still applies, but no rule allows anything in that folder until someone trusts the file again.
 */
export const RuleFileState = z.enum(['counts', 'broken', 'untrusted', 'changed']);
export type RuleFileState = z.infer<typeof RuleFileState>;

export const RuleFile = z
  .object({
    path: z.string(),
    folder: z.string().nullable().meta({ description: "null for the home's own file" }),
    state: RuleFileState,
    error: z.string().nullable(),
    content: z.string().nullable().meta({ description: "the file's current content; null if the file cannot be read" }),
    sha256: z.string().nullable(),
  })
  .meta({ id: 'RuleFile' });
export type RuleFile = z.infer<typeof RuleFile>;

export const RuleBook = z.object({ rules: z.array(Rule), files: z.array(RuleFile) }).meta({ id: 'RuleBook' });
export type RuleBook = z.infer<typeof RuleBook>;

/** Why the user is asked, or why a rule allows or denies a call. */
export const RuleReason = z.enum([
  'allowed',
  'denied',
  'asks',
  'no_rules',
  'no_rule',
  'for_people',
  'not_whole',
  'unclear_input',
  'broken_file',
  'may_be_denied',
  'protected',
  'outside',
  'too_long',
  'control_character',
  'not_ascii',
  'syntax',
  'construct',
  'expansion',
  'quoting',
  'redirection',
  'assignment',
  'shell_state',
  'directory',
  'star_word',
  'runs_written',
]);
export type RuleReason = z.infer<typeof RuleReason>;

export const RuleVerdict = z
  .object({
    decision: RuleEffect,
    reason: RuleReason,
    about: z.string().nullable().meta({ description: 'the part of the call, or the file, that led to the decision' }),
    rules: z.array(z.string()).meta({ description: 'ids of the rules that decided' }),
  })
  .meta({ id: 'RuleVerdict' });
export type RuleVerdict = z.infer<typeof RuleVerdict>;

export const RuleTest = z
  .strictObject({
    tool: z.string().min(1),
    input: z.record(z.string(), z.unknown()),
    session: z.string().optional().meta({ description: 'as if this session had made the call' }),
    folder: z
      .string()
      .optional()
      .meta({ description: 'as if a session in this folder had made the call, and no rule named that session' }),
  })
  .meta({ id: 'RuleTest' });
export type RuleTest = z.infer<typeof RuleTest>;

/**
 * The outcome of a decision. `started`: nothing else was recorded, because CBOS ended at that moment. `given`: Claude
 * Code accepted the reply. `overtaken`: someone else had already answered. `unconfirmed`: the reply was sent, but there
 * is no sign that it had an effect.
 */
export const AuditOutcome = z.enum(['started', 'given', 'overtaken', 'unconfirmed', 'failed']);
export type AuditOutcome = z.infer<typeof AuditOutcome>;

export const AuditEntry = z
  .object({
    id: z.number(),
    at: Timestamp,
    session: z.string().meta({ description: "the session's name at that time" }),
    listed: z.string().nullable().meta({ description: "the session's name now; null if it is no longer in any list" }),
    decision: z.enum(['allow', 'deny']),
    rules: z.array(Rule),
    tool: z.string(),
    input: z.unknown(),
    cut: z.literal(true).optional().meta({
      description: 'Long strings in the input are cut off; a request for this one decision returns the whole input',
    }),
    offset: z.number().nullable().meta({ description: 'the position in the recording' }),
    epoch: z.number().nullable(),
    seq: z.number().nullable().meta({ description: 'the last event of a JSON session before the decision' }),
    outcome: AuditOutcome,
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof AuditEntry>;

/** One decision, with the complete input of the tool call and the recording that shows the decision. */
export const AuditRecord = z
  .object({
    ...AuditEntry.shape,
    recording: z.string().nullable().meta({
      description:
        'The recording that `offset` belongs to: the name of the session, or SLUG.N; null without a recording',
    }),
  })
  .meta({ id: 'AuditRecord' });
export type AuditRecord = z.infer<typeof AuditRecord>;

const MOST_ENTRIES = 1_000;

export const AuditQuery = z.strictObject({
  session: z.string().optional(),
  since: Timestamp.optional(),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MOST_ENTRIES)
    .optional()
    .meta({ type: 'integer', description: 'at most this many decisions, the newest; 200 by default' }),
  before: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .meta({ type: 'integer', minimum: 1, description: 'only decisions with a lower id, for the previous page' }),
  brief: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'Cut off long strings in each input, for a list; `cut` reports where' }),
});
export type AuditQuery = z.infer<typeof AuditQuery>;

/**
 * A request to trust a rules file. Trust only applies to the exact content that the user has read, whose hash is
 * `sha256`.
 */
export const RuleTrust = z.strictObject({ path: z.string().min(1), sha256: z.string().length(64) });
export type RuleTrust = z.infer<typeof RuleTrust>;

/**
 * A rule that CBOS proposes because the user has said yes again and again. The rule takes effect only if the user adds
 * it.
 */
export const RuleSuggestion = z
  .object({
    number: z.int().min(1).meta({ description: 'the position of the suggestion in the list' }),
    project: z.string(),
    command: z.string(),
    step: z.enum(['exact', 'arguments']).meta({
      description: '`exact`: the command exactly as requested; `arguments`: the same subcommand with any arguments',
    }),
    yes: z.int().meta({ description: 'how often a person allowed the command' }),
    no: z
      .int()
      .meta({ description: 'how often a person refused the command; a single refusal removes the suggestion' }),
    sessions: z.array(z.string()),
    commands: z.array(z.string()).meta({ description: 'some of the commands that a person allowed' }),
    also: z.array(z.string()).meta({
      description: 'other commands that sessions asked to run in the project and that the rule would have allowed',
    }),
    toml: z.string().meta({ description: 'the rule as it is written in rules.toml' }),
  })
  .meta({ id: 'RuleSuggestion' });
export type RuleSuggestion = z.infer<typeof RuleSuggestion>;
