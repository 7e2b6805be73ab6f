import type { MachineCause, Right } from './machine-words.ts';
import type { Session } from './session.ts';

/** Where a session on another machine runs, and what is known about that machine. */
export interface Elsewhere {
  machine: string;
  /** the session's name on that machine */
  slug: string;
  /** what this machine is allowed to do with the session */
  may: readonly Right[];
  /** the time since when the entry may be out of date, in Unix milliseconds, or null while it is current */
  asOf: number | null;
  /** why the information about the session may be out of date; null while it is current */
  cause: MachineCause | null;
  /** whether the session can be followed as it happens; false while its machine runs an older version */
  isLive: boolean;
}

/** A session on this machine or on another one. The slug of a session on another machine is `machine/SESSION`. */
export type SeenSession = Session & { elsewhere?: Elsewhere };

/** Returns where a session on another machine runs, or null for a session on this machine. */
export const elsewhereOf = ({ elsewhere }: Pick<SeenSession, 'elsewhere'>): Elsewhere | null => elsewhere ?? null;

/**
 * Reports whether the information about a session is current. Outdated sessions are not counted, and alerts do not
 * report them.
 */
export const isCurrent = ({ elsewhere }: Pick<SeenSession, 'elsewhere'>): boolean => (elsewhere?.asOf ?? null) === null;
