import type { Right } from './machine-words.ts';
import type { Session } from './session.ts';

/** Where a session on another machine runs, and what is known about that machine. */
export interface Elsewhere {
  machine: string;
  /** the session's name there */
  slug: string;
  /** what this machine may do with it */
  may: readonly Right[];
  /** since when its row may be wrong, in Unix milliseconds, or null while it is current */
  asOf: number | null;
}

/** A session on this machine, or one on another machine, whose slug is `machine/SESSION`. */
export type SeenSession = Session & { elsewhere?: Elsewhere };

/** Returns where a session on another machine runs, or null for a session on this machine. */
export const elsewhereOf = ({ elsewhere }: Pick<SeenSession, 'elsewhere'>): Elsewhere | null => elsewhere ?? null;

/** Reports whether what is known about a session is current. An outdated session is not counted or reported. */
export const isCurrent = ({ elsewhere }: Pick<SeenSession, 'elsewhere'>): boolean => (elsewhere?.asOf ?? null) === null;
