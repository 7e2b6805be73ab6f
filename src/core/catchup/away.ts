/** When a user was present. Times are Unix milliseconds. */
export interface LastThere {
  /** the last sign of the user, or null if there has never been one */
  lastAt: number | null;
  /** the last sign before the last absence, or null if there was none */
  leftAt: number | null;
}

export const NEVER_THERE: LastThere = { lastAt: null, leftAt: null };

/** How long a user may give no sign and still count as present, for example while reading a long diff. */
const AWAY_MS = 15 * 60_000;

/** Records a sign of the user: looking at a session, answering, or sending a message. */
export function noteThere({ lastAt, leftAt }: LastThere, now: number): LastThere {
  const wasAway = lastAt !== null && now - lastAt >= AWAY_MS;
  // Without this check, a clock that was set back could make the user seem away.
  return { lastAt: Math.max(now, lastAt ?? now), leftAt: wasAway ? lastAt : leftAt };
}

/** Returns when the user went away, or, once they are back, when their last absence began, or null if unknown. */
export function awaySince({ lastAt, leftAt }: LastThere, now: number): number | null {
  if (lastAt === null) return null;
  return now - lastAt >= AWAY_MS ? lastAt : leftAt;
}
