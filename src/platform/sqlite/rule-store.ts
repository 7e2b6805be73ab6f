import { existsSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { z } from 'zod';
import { AuditOutcome, Rule, RuleEffect, RuleFields } from '../../protocol/index.ts';
import { type Database, inTransaction } from './database.ts';
import { KeptStatements, type Row } from './kept-statements.ts';

/** A rule that was added by request. */
export interface AddedRule {
  id: string;
  /** the one session that it is for */
  sessionId: string | null;
  effect: RuleEffect;
  fields: RuleFields;
  /** Unix milliseconds */
  createdAt: number;
}

/** A project's own rules, as a person has read and trusted them. */
export interface TrustedRules {
  /** links followed */
  folder: string;
  sha256: string;
  content: string;
}

/** What is written down before a rule's reply is given. */
export interface NewDecision {
  /** Unix milliseconds */
  at: number;
  sessionId: string;
  /** the session's name */
  session: string;
  /** identifies the question; a question is decided once */
  asked: string;
  decision: 'allow' | 'deny';
  rules: readonly Rule[];
  tool: string;
  /** whole */
  input: unknown;
  /** the place in the recording; null where there is none */
  place: { epoch: number; offset: number } | null;
  /** the last event of a JSON session before it */
  seq: number | null;
}

export interface StoredDecision extends Omit<NewDecision, 'sessionId' | 'asked' | 'rules'> {
  id: number;
  rules: Rule[];
  outcome: AuditOutcome;
}

const RuleRow = z.object({
  id: z.string(),
  session_id: z.string().nullable(),
  effect: RuleEffect,
  fields: z.string().transform((text) => RuleFields.parse(JSON.parse(text))),
  created_at: z.number(),
});

const TrustRow = z.object({ folder: z.string(), sha256: z.string(), content: z.string() });

const DecisionRow = z.object({
  id: z.number(),
  at: z.number(),
  session: z.string(),
  decision: z.enum(['allow', 'deny']),
  rules: z.string().transform((text) => z.array(Rule).parse(JSON.parse(text))),
  tool: z.string(),
  input: z.string().transform((text): unknown => JSON.parse(text)),
  epoch: z.number().nullable(),
  place: z.number().nullable(),
  seq: z.number().nullable(),
  outcome: AuditOutcome.nullable(),
});

/** Approval rules that are in no file, what was trusted of projects' files, and what rules have decided. */
export interface RuleStore {
  add(rule: AddedRule): void;
  remove(id: string): void;
  added(): AddedRule[];
  trust(rules: TrustedRules, at: number): void;
  untrust(folder: string): void;
  trusted(): TrustedRules[];
  /** How many calls a rule has decided. */
  used(ruleId: string): number;
  /** @returns the id of the row; null if the question was decided before, or a rule is used up by now */
  decide(decision: NewDecision): number | null;
  isDecided(sessionId: string, asked: string): boolean;
  conclude(id: number, outcome: AuditOutcome, at: number): void;
  /** the newest `limit` of them, oldest first */
  decisions(filter: { session: string | null; since: number | null; limit: number }): StoredDecision[];
}

const READ_DECISIONS = `
  SELECT audit.*, (SELECT outcome FROM audit_outcomes WHERE audit_id = audit.id ORDER BY rowid DESC LIMIT 1) AS outcome
  FROM audit WHERE (?1 IS NULL OR session = ?1) AND at >= ?2 ORDER BY id DESC LIMIT ?3`;

const INSERT_DECISION = `
  INSERT INTO audit (at, session_id, session, asked, decision, rules, tool, input, epoch, place, seq)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id`;

export function createRuleStore(database: Database): RuleStore {
  const sql = new KeptStatements(database);

  const used = (ruleId: string): number =>
    Number(sql.get('SELECT count(*) AS used FROM audit_rules WHERE rule_id = ?', ruleId)?.used ?? 0);

  function decide(given: NewDecision): number | null {
    const { at, sessionId, session, asked, decision, rules, tool, input, place, seq } = given;
    return inTransaction(database, () => {
      // Two sessions may have asked at the same moment.
      if (rules.some(({ id, count }) => count !== null && used(id) >= count)) return null;
      const json = [JSON.stringify(rules), tool, JSON.stringify(input ?? null)] as const;
      const where = [place?.epoch ?? null, place?.offset ?? null, seq] as const;
      const [row] = sql.all(INSERT_DECISION, at, sessionId, session, asked, decision, ...json, ...where);
      if (row === undefined) return null;
      const id = Number(row.id);
      for (const rule of rules) sql.run('INSERT INTO audit_rules VALUES (?, ?)', id, rule.id);
      return id;
    });
  }

  return {
    add: ({ id, sessionId, effect, fields, createdAt }) =>
      void sql.run(
        'INSERT INTO rules VALUES (?, ?, ?, ?, ?)',
        id,
        sessionId,
        effect,
        JSON.stringify(fields),
        createdAt,
      ),
    remove: (id) => void sql.run('DELETE FROM rules WHERE id = ?', id),
    added: () =>
      sql.all('SELECT * FROM rules ORDER BY created_at, rowid').map((row) => {
        const { session_id: sessionId, created_at: createdAt, ...rule } = RuleRow.parse(row);
        return { ...rule, sessionId, createdAt };
      }),
    trust: ({ folder, sha256, content }, at) =>
      void sql.run('INSERT OR REPLACE INTO trusted_rules VALUES (?, ?, ?, ?)', folder, sha256, content, at),
    untrust: (folder) => void sql.run('DELETE FROM trusted_rules WHERE folder = ?', folder),
    trusted: () => trustedIn(sql),
    used,
    decide,
    isDecided: (sessionId, asked) =>
      sql.get('SELECT 1 FROM audit WHERE session_id = ? AND asked = ?', sessionId, asked) !== undefined,
    conclude: (id, outcome, at) => void sql.run('INSERT INTO audit_outcomes VALUES (?, ?, ?)', id, at, outcome),
    decisions: ({ session, since, limit }) =>
      sql
        .all(READ_DECISIONS, session, since ?? 0, limit)
        .map(toDecision)
        .reverse(),
  };
}

/**
 * What was trusted, from a home's database, for programs other than the server. Empty if there is no database, or an
 * older one.
 */
export function readTrusted(file: string): TrustedRules[] {
  if (!existsSync(file)) return [];
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'trusted_rules'").get();
    return table === undefined ? [] : trustedIn(new KeptStatements(database));
  } finally {
    database.close();
  }
}

const trustedIn = (sql: KeptStatements): TrustedRules[] =>
  sql.all('SELECT * FROM trusted_rules ORDER BY folder').map((row) => TrustRow.parse(row));

function toDecision(row: Row): StoredDecision {
  const { epoch, place, outcome, ...decision } = DecisionRow.parse(row);
  const where = epoch === null || place === null ? null : { epoch, offset: place };
  return { ...decision, place: where, outcome: outcome ?? 'started' };
}
