import type { Detail, Primary } from '../../protocol/index.ts';
import type { Millis } from './millis.ts';

/** What every rule states about itself, whichever source it reads. */
export interface RuleFacts {
  /** `SOURCE.NAME`, as the status reports it */
  id: string;
  /** versions of Claude Code in which the rule was seen to hold */
  versions: readonly string[];
}

/** What a matching rule reports. */
export interface RuleFinding {
  /** null if nothing shows reliably what the session is doing */
  primary: Exclude<Primary, 'stuck'> | null;
  detail: Detail | null;
  /** the text that the rule read, for people */
  evidence: string;
  /** when the source began to report this */
  since: Millis;
}

/** A rule over one source's evidence. The first matching rule in a list wins. */
export interface Rule<Source> extends RuleFacts {
  read(evidence: Source): RuleFinding | null;
}

/** How many characters of a prompt or message are quoted as evidence. */
const EVIDENCE_CHARS = 200;

/** The beginning of a string, as evidence. */
export const beginOf = (text: string): string => text.slice(0, EVIDENCE_CHARS);

/** The end of a string, as evidence. A longer string is cut at the beginning of a word. */
export const endOf = (text: string): string =>
  text.length <= EVIDENCE_CHARS ? text : `… ${text.slice(-EVIDENCE_CHARS).replace(/^\S*\s+/, '')}`;

/** The versions whose recordings the rules were written against. */
export const ALL_VERSIONS = ['1.0.128', '2.0.77', '2.1.150', '2.1.329'] as const;

/**
 * The prefix of the user's own rules. They take precedence over all others, because users know their own programs best.
 */
export const USER_RULE_PREFIX = 'user.';

export const isUserRule = (id: string): boolean => id.startsWith(USER_RULE_PREFIX);
