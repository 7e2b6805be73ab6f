import { z } from 'zod';
import type { Route } from './route.ts';
import { AuditEntry, AuditQuery, NewRule, Rule, RuleBook, RuleTest, RuleTrust, RuleVerdict } from './rules.ts';

/** The part of the REST interface that is about approval rules, and what they have decided. */
export const RULE_ROUTES = {
  listRules: {
    method: 'get',
    path: '/rules',
    summary: 'Every approval rule, and every file of rules with what it is worth',
    query: z.strictObject({
      folder: z.string().optional().meta({ description: 'a project to look at, besides those of the sessions' }),
    }),
    success: 200,
    response: RuleBook,
    errors: [],
  },
  addRule: {
    method: 'post',
    path: '/rules',
    summary: 'Add an approval rule, for all sessions or for one',
    body: NewRule,
    success: 201,
    response: Rule,
    errors: ['no_such_session', 'invalid_rule'],
  },
  removeRule: {
    method: 'delete',
    path: '/rules/{id}',
    summary: 'Remove a rule that was added by request; one in a file is removed there',
    params: z.object({ id: z.string() }),
    success: 200,
    response: Rule,
    errors: ['no_such_rule', 'rule_in_file'],
  },
  testRules: {
    method: 'post',
    path: '/rules/test',
    summary: 'What the rules would decide about a call, and why; nothing is decided or written down',
    body: RuleTest,
    success: 200,
    response: RuleVerdict,
    errors: ['no_such_session'],
  },
  trustRules: {
    method: 'post',
    path: '/rules/trust',
    summary: "Let a project's own rules count, exactly as they were read; they can deny and ask, never allow",
    body: RuleTrust,
    success: 200,
    response: RuleBook,
    errors: ['no_such_path', 'rules_changed', 'invalid_rule'],
  },
  untrustRules: {
    method: 'post',
    path: '/rules/untrust',
    summary: "Let a project's own rules count no more",
    body: z.strictObject({ path: z.string().min(1) }),
    success: 200,
    response: RuleBook,
    errors: ['no_such_path'],
  },
  audit: {
    method: 'get',
    path: '/audit',
    summary: 'What rules have decided, oldest first, with the whole input of each call',
    query: AuditQuery,
    success: 200,
    response: z.array(AuditEntry),
    errors: [],
  },
} as const satisfies Record<string, Route>;
