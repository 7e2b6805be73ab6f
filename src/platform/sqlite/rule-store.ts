import { z } from 'zod';
import { AuditOutcome, Rule, RuleEffect, RuleFields } from '../../protocol/index.ts';
import { type Database, inTransaction } from './database.ts';
import { KeptStatements, type Row } from './kept-statements.ts';
import { readTable } from './read-table.ts';
import { json, Table } from './table.ts';

const AddedRule = z.object({
  id: z.string(),
  /** the only session to which the rule applies */
  sessionId: z.string().nullable(),
  effect: RuleEffect,
  fields: json(RuleFields),
  /** when the rule was added, in Unix milliseconds */
  createdAt: z.number(),
});
/** A rule that was added on request rather than written in a file. */
export type AddedRule = z.infer<typeof AddedRule>;

const TrustedRules = z.object({
  /** the project's folder, with symbolic links followed */
  folder: z.string(),
  sha256: z.string(),
  content: z.string(),
});
/** A project's own rules, in the version that the user has read and trusted. */
export type TrustedRules = z.infer<typeof TrustedRules>;

/** The record that is stored before a rule's reply is given. */
export interface NewDecision {
  /** when the rule decided, in Unix milliseconds */
  at: number;
  sessionId: string;
  /** the name of the session */
  session: string;
  /** identifies the question; each question is decided only once */
  asked: string;
  decision: 'allow' | 'deny';
  rules: readonly Rule[];
  tool: string;
  /** the complete input of the call */
  input: unknown;
  /** the position in the recording, or null if there is none */
  place: { epoch: number; offset: number } | null;
  /** the number of the last event of the JSON session before the call */
  seq: number | null;
}

export interface StoredDecision extends Omit<NewDecision, 'asked' | 'rules'> {
  id: number;
  rules: Rule[];
  outcome: AuditOutcome;
}

const Decision = z.object({
  id: z.number(),
  at: z.number(),
  sessionId: z.string(),
  session: z.string(),
  decision: z.enum(['allow', 'deny']),
  rules: json(z.array(Rule)),
  tool: z.string(),
  input: json(z.unknown()),
  epoch: z.number().nullable(),
  place: z.number().nullable(),
  seq: z.number().nullable(),
  outcome: AuditOutcome.nullable().transform((outcome) => outcome ?? 'started'),
});

/**
 * Stores the approval rules that are not in any file, the trusted rules of projects, and the decisions that rules have
 * made.
 */
export interface RuleStore {
  add(rule: AddedRule): void;
  remove(id: string): void;
  added(): AddedRule[];
  trust(rules: TrustedRules, at: number): void;
  untrust(folder: string): void;
  trusted(): TrustedRules[];
  /** Returns how many calls a rule has decided. */
  used(ruleId: string): number;
  /**
   * @returns the id of the row, or null if the question has already been decided or if one of the rules has been used
   * up by now
   */
  decide(decision: NewDecision): number | null;
  isDecided(sessionId: string, asked: string): boolean;
  conclude(id: number, outcome: AuditOutcome, at: number): void;
  /** the newest `limit` decisions, oldest first; with `before`, only decisions that have a lower id */
  decisions(filter: {
    session: string | null;
    since: number | null;
    before?: number | null;
    limit: number;
  }): StoredDecision[];
  decision(id: number): StoredDecision | null;
}

const SELECT_DECISIONS = `
  SELECT audit.*, (SELECT outcome FROM audit_outcomes WHERE audit_id = audit.id ORDER BY rowid DESC LIMIT 1) AS outcome
  FROM audit`;
const READ_DECISIONS = `${SELECT_DECISIONS}
  WHERE (?1 IS NULL OR session = ?1) AND at >= ?2 AND (?3 IS NULL OR id < ?3) ORDER BY id DESC LIMIT ?4`;

const INSERT_DECISION = `
  INSERT INTO audit (at, session_id, session, asked, decision, rules, tool, input, epoch, place, seq)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id`;

export function createRuleStore(database: Database): RuleStore {
  const sql = new KeptStatements(database);
  const rules = new Table(sql, 'rules', AddedRule);
  const audit = new Table(sql, 'audit', Decision);

  const toDecision = (row: Row): StoredDecision => {
    const { epoch, place, ...decision } = audit.read(row);
    return { ...decision, place: epoch === null || place === null ? null : { epoch, offset: place } };
  };

  const used = (ruleId: string): number =>
    Number(sql.get('SELECT count(*) AS used FROM audit_rules WHERE rule_id = ?', ruleId)?.used ?? 0);

  function decide(given: NewDecision): number | null {
    const { at, sessionId, session, asked, decision, rules, tool, input, place, seq } = given;
    return inTransaction(database, () => {
      // Two sessions may have asked at the same moment, so this is checked again here.
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
    add: (rule) => void rules.insert(rule),
    remove: (id) => void sql.run('DELETE FROM rules WHERE id = ?', id),
    added: () => rules.all('ORDER BY created_at, rowid'),
    trust: ({ folder, sha256, content }, at) =>
      void sql.run('INSERT OR REPLACE INTO trusted_rules VALUES (?, ?, ?, ?)', folder, sha256, content, at),
    untrust: (folder) => void sql.run('DELETE FROM trusted_rules WHERE folder = ?', folder),
    trusted: () => trustedIn(database),
    used,
    decide,
    isDecided: (sessionId, asked) =>
      sql.get('SELECT 1 FROM audit WHERE session_id = ? AND asked = ?', sessionId, asked) !== undefined,
    conclude: (id, outcome, at) => void sql.run('INSERT INTO audit_outcomes VALUES (?, ?, ?)', id, at, outcome),
    decisions: ({ session, since, before = null, limit }) =>
      sql
        .all(READ_DECISIONS, session, since ?? 0, before, limit)
        .map(toDecision)
        .reverse(),
    decision: (id) => {
      const row = sql.get(`${SELECT_DECISIONS} WHERE id = ?`, id);
      return row === undefined ? null : toDecision(row);
    },
  };
}

/** Reads the trusted rules from the database of a home. */
export const readTrusted = (file: string): TrustedRules[] => readTable(file, 'trusted_rules', trustedIn);

const trustedIn = (database: Database): TrustedRules[] =>
  new Table(new KeptStatements(database), 'trusted_rules', TrustedRules).all('ORDER BY folder');
