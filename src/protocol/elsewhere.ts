import type { Right } from './machine-words.ts';
import type { Session } from './session.ts';

/** Where a session of another machine runs, and the known facts about that machine. */
export interface Elsewhere {
  machine: string;
  /** the session's name there */
  slug: string;
  /** what this machine may do with it */
  may: readonly Right[];
  /** since when its row may be wrong, in Unix milliseconds; null while it is current */
  asOf: number | null;
}

/** A session of this machine, or one of another machine, whose slug is `machine/SESSION`. */
export type SeenSession = Session & { elsewhere?: Elsewhere };

/** Returns where a session of another machine runs. Null for a session of this machine. */
export const elsewhereOf = ({ elsewhere }: Pick<SeenSession, 'elsewhere'>): Elsewhere | null => elsewhere ?? null;

/** Reports whether the known facts about a session are current. An outdated session is not counted or reported. */
export const isCurrent = ({ elsewhere }: Pick<SeenSession, 'elsewhere'>): boolean => (elsewhere?.asOf ?? null) === null;
