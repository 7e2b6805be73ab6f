import { z } from 'zod';
import type { RouteRow } from './route.ts';
import {
  AuditEntry,
  AuditQuery,
  AuditRecord,
  NewRule,
  Rule,
  RuleBook,
  RuleSuggestion,
  RuleTest,
  RuleTrust,
  RuleVerdict,
} from './rules.ts';

/** Not `z.coerce.number()`, because the OpenAPI description would then mark this path parameter as optional. */
const DecisionId = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);

/** The part of the REST interface for approval rules and their decisions. */
export const RULE_ROUTES = {
  listRules: {
    method: 'get',
    path: '/rules',
    who: 'session',
    summary: 'Every approval rule, and every rules file with its state',
    query: z.strictObject({
      folder: z
        .string()
        .optional()
        .meta({ description: 'another project to look in, besides the projects of the sessions' }),
    }),
    response: RuleBook,
  },
  addRule: {
    method: 'post',
    path: '/rules',
    who: 'person',
    summary: 'Add an approval rule, for all sessions or for one',
    body: NewRule,
    success: 201,
    response: Rule,
    errors: ['no_such_session', 'invalid_rule'],
  },
  removeRule: {
    method: 'delete',
    path: '/rules/{id}',
    who: 'person',
    summary: 'Remove a rule that was added through the API; to remove a rule in a file, edit the file',
    response: Rule,
    errors: ['no_such_rule', 'rule_in_file'],
  },
  testRules: {
    method: 'post',
    path: '/rules/test',
    who: 'person',
    summary: 'What the rules would decide about a call, and why; nothing is carried out or recorded',
    body: RuleTest,
    response: RuleVerdict,
    errors: ['no_such_session'],
  },
  suggestRules: {
    method: 'get',
    path: '/rules/suggestions',
    who: 'session',
    summary:
      'Suggested rules, based on requests that a person allowed repeatedly; no suggestion takes effect on its own',
    response: z.array(RuleSuggestion),
  },
  trustRules: {
    method: 'post',
    path: '/rules/trust',
    who: 'person',
    summary: "Apply a project's own rules exactly as they were read; they can deny and ask, but never allow",
    body: RuleTrust,
    response: RuleBook,
    errors: ['no_such_path', 'rules_changed', 'invalid_rule'],
  },
  untrustRules: {
    method: 'post',
    path: '/rules/untrust',
    who: 'person',
    summary: "Stop applying a project's own rules",
    body: z.strictObject({ path: z.string().min(1) }),
    response: RuleBook,
    errors: ['no_such_path'],
  },
  audit: {
    method: 'get',
    path: '/audit',
    who: 'session',
    summary: 'What rules have decided, oldest first, with the whole input of each call',
    query: AuditQuery,
    response: z.array(AuditEntry),
  },
  auditRecord: {
    method: 'get',
    path: '/audit/{id}',
    who: 'session',
    summary: 'One decision of the rules, with its whole input and the recording that shows it',
    params: z.object({ id: DecisionId }),
    response: AuditRecord,
    errors: ['no_such_decision'],
  },
} as const satisfies Record<string, RouteRow>;
