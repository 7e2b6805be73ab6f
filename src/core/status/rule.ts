import type { Detail, Primary } from '../../protocol/index.ts';
import type { Millis } from './millis.ts';

/** What every rule states about itself, no matter which source it reads. */
export interface RuleFacts {
  /** `SOURCE.NAME`, in the form in which the status reports it */
  id: string;
  /** the versions of Claude Code for which the rule was confirmed */
  versions: readonly string[];
}

/** What a rule reports when it matches. */
export interface RuleFinding {
  /** null if nothing shows reliably what the session is doing */
  primary: Exclude<Primary, 'stuck'> | null;
  detail: Detail | null;
  /** the text that the rule read, to be shown to users */
  evidence: string;
  /** when the source began to report this status */
  since: Millis;
}

/** A rule that reads the evidence from one source. The first matching rule in a list wins. */
export interface Rule<Source> extends RuleFacts {
  read(evidence: Source): RuleFinding | null;
}

/** How many characters of a prompt or a message are quoted as evidence. */
const EVIDENCE_CHARS = 200;

/** Returns the beginning of a string, to be quoted as evidence. */
export const beginOf = (text: string): string => text.slice(0, EVIDENCE_CHARS);

/** Returns the end of a string, to be quoted as evidence. A long string is cut at the beginning of a word. */
export const endOf = (text: string): string =>
  text.length <= EVIDENCE_CHARS ? text : `… ${text.slice(-EVIDENCE_CHARS).replace(/^\S*\s+/, '')}`;

/** The versions whose recordings the rules were written for. */
export const ALL_VERSIONS = ['1.0.128', '2.0.77', '2.1.150', '2.1.329'] as const;

/**
 * The prefix of the user's own rules. They take precedence over all other rules, because users know their own programs
 * best.
 */
export const USER_RULE_PREFIX = 'user.';

export const isUserRule = (id: string): boolean => id.startsWith(USER_RULE_PREFIX);
