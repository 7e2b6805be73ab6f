import type { RuleEffect } from '../../protocol/index.ts';
import { fitsGlob } from './glob.ts';

/** A rule, read and checked. Lists that are empty leave that side open. */
export interface ApprovalRule {
  id: string;
  effect: RuleEffect;
  tools: readonly string[];
  /** each as its words */
  commands: readonly (readonly string[])[];
  paths: readonly string[];
  sessions: readonly string[];
  /** id of the one session that it is for; null: for all */
  onlyFor: string | null;
  /** the folder whose own file has the rule; null: any */
  folder: string | null;
  /** Unix milliseconds */
  expiresAt: number | null;
  count: number | null;
  /** how many calls it has decided */
  used: number;
  note: string | null;
}

/** What Claude Code asks for. */
export interface AskedCall {
  tool: string;
  input: unknown;
  /** whether `input` is all of it */
  isWhole: boolean;
  session: { id: string; name: string };
  /** the session's folder, links followed; null where it is unknown */
  folder: string | null;
  /** the directory in which a command would run, links followed */
  cwd: string | null;
  /** Unix milliseconds */
  now: number;
}

/** All rules of a home at one moment. */
export interface RulesInForce {
  rules: readonly ApprovalRule[];
  /** a file of rules that could not be read, or has changed since it was trusted: nothing is allowed then */
  fault: string | null;
}

/** Whether a rule counts for this session at this moment. A rule that is used up or over does not. */
export function isInForce(rule: ApprovalRule, { session, folder, now }: AskedCall): boolean {
  if (rule.expiresAt !== null && rule.expiresAt <= now) return false;
  if (rule.count !== null && rule.used >= rule.count) return false;
  if (rule.onlyFor !== null && rule.onlyFor !== session.id) return false;
  if (rule.folder !== null && !(folder !== null && isWithin(folder, rule.folder))) return false;
  return rule.sessions.length === 0 || rule.sessions.some((name) => fitsGlob(name, session.name));
}

/** Whether a path is a folder, or lies below it. Both are absolute, with links followed. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
