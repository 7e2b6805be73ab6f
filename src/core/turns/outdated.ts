/** The fields of a stored turn that determine whether to delete it. */
export interface AgedTurn {
  number: number;
  session: string;
  kind: 'turn' | 'rewind';
  /** when the turn began, in Unix milliseconds */
  beganAt: number;
  /** when the turn ended, or null while it is running */
  endedAt: number | null;
}

export interface TurnBounds {
  /** the current time, in Unix milliseconds */
  now: number;
  /** how many turns are kept for each session */
  kept: number;
  /** whether the session is still listed */
  isListed(session: string): boolean;
  /** whether the session's working tree still exists */
  hasFiles(session: string): boolean;
}

/** How long the turns of a deleted session are kept. */
export const DELETED_KEPT_MS = 30 * 24 * 3_600_000;

/**
 * Returns the turns to delete. A listed session keeps only its newest turns. A deleted session keeps its turns only for
 * a while. Turns that may hold the only copy of something are kept: the files from before a rewind, and the last files
 * of a deleted session whose working tree no longer exists.
 * @param turns the turns, in the order of their numbers
 */
export function outdatedTurns<T extends AgedTurn>(turns: readonly T[], bounds: TurnBounds): T[] {
  const sessions = [...new Set(turns.map(({ session }) => session))];
  return sessions.flatMap((session) => {
    const own = turns.filter((turn) => turn.session === session);
    const last = own.at(-1);
    const removable = own.filter(({ kind }) => kind === 'turn');
    if (bounds.isListed(session)) return removable.slice(0, Math.max(0, removable.length - bounds.kept));
    const seenAt = Math.max(...own.map(({ beganAt, endedAt }) => endedAt ?? beganAt));
    if (bounds.now - seenAt < DELETED_KEPT_MS) return [];
    return bounds.hasFiles(session) ? removable : removable.filter((turn) => turn !== last);
  });
}
