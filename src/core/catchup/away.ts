/** When the user was present. Times are in Unix milliseconds. */
export interface LastThere {
  /** when the user last gave a sign of presence, or null if never */
  lastAt: number | null;
  /** when the user last gave a sign of presence before the most recent absence, or null if there has been none */
  leftAt: number | null;
}

export const NEVER_THERE: LastThere = { lastAt: null, leftAt: null };

/** How long a user may give no sign and still count as present, for example while reading a long diff. */
const AWAY_MS = 15 * 60_000;

/** Records a sign of the user's presence: looking at a session, answering, or sending a prompt. */
export function noteThere({ lastAt, leftAt }: LastThere, now: number): LastThere {
  const wasAway = lastAt !== null && now - lastAt >= AWAY_MS;
  // Without this check, the user could seem to be away after the clock is set back.
  return { lastAt: Math.max(now, lastAt ?? now), leftAt: wasAway ? lastAt : leftAt };
}

/**
 * Returns when the user went away, or null if that is unknown. After the user has returned, this is when the last
 * absence began.
 */
export function awaySince({ lastAt, leftAt }: LastThere, now: number): number | null {
  if (lastAt === null) return null;
  return now - lastAt >= AWAY_MS ? lastAt : leftAt;
}
