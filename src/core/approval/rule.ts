import type { RuleEffect } from '../../protocol/index.ts';
import { fitsGlob } from './glob.ts';

/** A rule, parsed and checked. An empty list means no restriction. */
export interface ApprovalRule {
  id: string;
  effect: RuleEffect;
  tools: readonly string[];
  /** each one split into words */
  commands: readonly (readonly string[])[];
  paths: readonly string[];
  /** absolute folders, with links resolved: the rule applies only to sessions there or below */
  projects: readonly string[];
  sessions: readonly string[];
  /** the id of the only session to which the rule applies; null for all sessions */
  onlyFor: string | null;
  /** the folder whose own file contains the rule, or null if the rule applies in any folder */
  folder: string | null;
  /** Unix milliseconds */
  expiresAt: number | null;
  count: number | null;
  /** how many calls the rule has decided */
  used: number;
  note: string | null;
}

/** A call for which Claude Code asks permission. */
export interface AskedCall {
  tool: string;
  input: unknown;
  /** whether `input` is complete */
  isWhole: boolean;
  session: { id: string; name: string };
  /** the session's folder, with links resolved, or null if unknown */
  folder: string | null;
  /** the directory in which a command would run, with links resolved */
  cwd: string | null;
  /** Unix milliseconds */
  now: number;
}

/** All the rules of a CBOS home at one moment. */
export interface RulesInForce {
  rules: readonly ApprovalRule[];
  /** set if a rules file could not be read, or has changed since someone trusted it; then nothing is allowed */
  fault: string | null;
}

/** Reports whether a rule applies to this session at this moment. A used-up or expired rule does not apply. */
export function isInForce(rule: ApprovalRule, { session, folder, now }: AskedCall): boolean {
  if (rule.expiresAt !== null && rule.expiresAt <= now) return false;
  if (rule.count !== null && rule.used >= rule.count) return false;
  if (rule.onlyFor !== null && rule.onlyFor !== session.id) return false;
  if (rule.folder !== null && !(folder !== null && isWithin(folder, rule.folder))) return false;
  if (rule.projects.length > 0 && !isInProject(rule, folder)) return false;
  return rule.sessions.length === 0 || rule.sessions.some((name) => fitsGlob(name, session.name));
}

/** A session whose folder is unknown may be anywhere: nothing is allowed for it, and every deny applies to it. */
const isInProject = ({ effect, projects }: ApprovalRule, folder: string | null): boolean =>
  folder === null ? effect !== 'allow' : projects.some((project) => isWithin(folder, project));

/** Reports whether a path is a folder or is below it. Both must be absolute, with links resolved. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
