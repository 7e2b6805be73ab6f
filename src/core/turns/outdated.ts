/** A kept turn, as far as its age decides about it. */
export interface AgedTurn {
  number: number;
  session: string;
  kind: 'turn' | 'rewind';
  /** Unix milliseconds */
  beganAt: number;
  /** null while it runs */
  endedAt: number | null;
}

export interface TurnBounds {
  /** Unix milliseconds */
  now: number;
  /** how many turns of a session are kept */
  kept: number;
  /** whether a session is still listed */
  isListed(session: string): boolean;
  /** whether the working tree of a session is still there */
  hasFiles(session: string): boolean;
}

/** How long the turns of a deleted session are kept. */
export const DELETED_KEPT_MS = 30 * 24 * 3_600_000;

/**
 * Which turns are forgotten: of a listed session all but the newest ones, of a deleted one all after a while. What may
 * be the only copy of something stays: the files as they were before a rewind, and the last ones of a deleted session
 * whose working tree is gone.
 * @param turns by number
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
