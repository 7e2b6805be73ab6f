import type { RuleEffect } from '../../protocol/index.ts';
import { fitsGlob } from './glob.ts';

/** A rule that has been parsed and checked. An empty list means that the rule does not restrict that field. */
export interface ApprovalRule {
  id: string;
  effect: RuleEffect;
  tools: readonly string[];
  /** the commands that the rule covers, each split into words */
  commands: readonly (readonly string[])[];
  paths: readonly string[];
  /**
   * absolute folders, with symbolic links resolved; the rule applies only to sessions in these folders or their
   * subfolders
   */
  projects: readonly string[];
  sessions: readonly string[];
  /** the id of the only session that the rule applies to, or null if it applies to all sessions */
  onlyFor: string | null;
  /** the folder whose own rules file contains the rule, or null if the rule applies in every folder */
  folder: string | null;
  /** when the rule expires, in Unix milliseconds, or null if never */
  expiresAt: number | null;
  count: number | null;
  /** how many calls the rule has decided so far */
  used: number;
  note: string | null;
}

/** A call that Claude Code asks permission for. */
export interface AskedCall {
  tool: string;
  input: unknown;
  /** whether `input` is complete, that is, not truncated */
  isWhole: boolean;
  session: { id: string; name: string };
  /** the session's folder, with symbolic links resolved, or null if unknown */
  folder: string | null;
  /** the directory in which a command would run, with symbolic links resolved */
  cwd: string | null;
  /** the current time, in Unix milliseconds */
  now: number;
}

/** All the rules in a CBOS home at a given moment. */
export interface RulesInForce {
  rules: readonly ApprovalRule[];
  /**
   * set if a rules file could not be read, or has changed since the user trusted it; no call is allowed in that case
   */
  fault: string | null;
}

/**
 * Reports whether a rule applies to this session at this moment. A rule that has expired or is used up does not apply.
 */
export function isInForce(rule: ApprovalRule, { session, folder, now }: AskedCall): boolean {
  if (rule.expiresAt !== null && rule.expiresAt <= now) return false;
  if (rule.count !== null && rule.used >= rule.count) return false;
  if (rule.onlyFor !== null && rule.onlyFor !== session.id) return false;
  if (rule.folder !== null && !(folder !== null && isWithin(folder, rule.folder))) return false;
  if (rule.projects.length > 0 && !isInProject(rule, folder)) return false;
  return rule.sessions.length === 0 || rule.sessions.some((name) => fitsGlob(name, session.name));
}

/**
 * If a session's folder is unknown, the session could be anywhere. Nothing is then allowed for it, and every `deny`
 * applies to it.
 */
const isInProject = ({ effect, projects }: ApprovalRule, folder: string | null): boolean =>
  folder === null ? effect !== 'allow' : projects.some((project) => isWithin(folder, project));

/**
 * Reports whether a path is the given folder or lies below it. Both paths must be absolute, with symbolic links
 * resolved.
 */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

/** A rule that names no tools applies to every tool that its commands and paths could involve. */
export const fitsTool = ({ tools }: ApprovalRule, tool: string): boolean =>
  tools.length === 0 || tools.some((name) => fitsGlob(name, tool));
