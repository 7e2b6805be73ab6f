import type { Detail, Primary } from '../../protocol/index.ts';
import type { Millis } from './millis.ts';

/** What every rule says of itself, whatever it reads. */
export interface RuleFacts {
  /** `SOURCE.NAME`, as the status names it */
  id: string;
  /** versions of Claude Code on which it was seen to hold */
  versions: readonly string[];
}

/** What a rule says when it fits. */
export interface RuleFinding {
  /** null: that what the session does counts for nothing now */
  primary: Exclude<Primary, 'stuck'> | null;
  detail: Detail | null;
  /** what it read, for people */
  evidence: string;
  /** since when the source says so */
  since: Millis;
}

/** A rule over one source's evidence. The first of a list that fits wins. */
export interface Rule<Source> extends RuleFacts {
  read(evidence: Source): RuleFinding | null;
}

/** Longest evidence of a prompt or message. */
const EVIDENCE_CHARS = 200;

/** The beginning of a text, as evidence. */
export const beginOf = (text: string): string => text.slice(0, EVIDENCE_CHARS);

/** The end of a text, as evidence: of a longer one from a word on. */
export const endOf = (text: string): string =>
  text.length <= EVIDENCE_CHARS ? text : `… ${text.slice(-EVIDENCE_CHARS).replace(/^\S*\s+/, '')}`;

/** The versions that recordings were made of while the rules were written. */
export const ALL_VERSIONS = ['1.0.128', '2.0.77', '2.1.150', '2.1.329'] as const;

/** Rules of the person who runs CBOS: they know their own programs best, so they are believed before all others. */
export const USER_RULE_PREFIX = 'user.';

export const isUserRule = (id: string): boolean => id.startsWith(USER_RULE_PREFIX);
