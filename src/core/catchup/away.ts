/** When a person was there. Times are Unix milliseconds. */
export interface Presence {
  /** the last sign of the person; null if there never was one */
  lastAt: number | null;
  /** the last sign before the last absence; null if there was none */
  leftAt: number | null;
}

export const NEVER_THERE: Presence = { lastAt: null, leftAt: null };

/** How long nothing may come from a person who is still there, such as one who reads a long diff. */
const AWAY_MS = 15 * 60_000;

/** Records a sign of the person: a look, an answer, a text. */
export function noteThere({ lastAt, leftAt }: Presence, now: number): Presence {
  const wasAway = lastAt !== null && now - lastAt >= AWAY_MS;
  // A clock that was set back must not make the person seem away.
  return { lastAt: Math.max(now, lastAt ?? now), leftAt: wasAway ? lastAt : leftAt };
}

/**
 * Returns since when the person was away, or, once they are back, since when they had been away. Null if unknown.
 */
export function awaySince({ lastAt, leftAt }: Presence, now: number): number | null {
  if (lastAt === null) return null;
  return now - lastAt >= AWAY_MS ? lastAt : leftAt;
}
