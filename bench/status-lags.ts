/** A change that an agent made, and when, in Unix milliseconds. */
export interface Change {
  session: string;
  at: number;
  /** `idle/waiting_input` */
  status: string;
}

/** A status that a client received, and when. */
export type Shown = Change;

export interface Lags {
  /**
   * Milliseconds from each change until a client had it. For a change that no client saw before the session's next
   * change, this is the time until the next change: the lag was at least as long, and must not be left out.
   */
  lagsMs: number[];
  /** how many changes no client saw before the session's next change */
  missed: number;
}

/** Clocks of two processes are read in different units, so a frame may seem to be this much older than its cause. */
const CLOCK_MS = 1;

/**
 * Compares changes with what a client received. Each change must be shown after it happened and before the session's
 * next change; the last change of a session may be shown at any later time.
 */
export function lagsOf(changes: readonly Change[], shown: readonly Shown[]): Lags {
  const result: Lags = { lagsMs: [], missed: 0 };
  const shownOf = bySession(shown);
  for (const [session, ofSession] of bySession(changes)) {
    const seen = (shownOf.get(session) ?? []).sort(byTime);
    for (const [index, { at, status }] of ofSession.sort(byTime).entries()) {
      const until = ofSession[index + 1]?.at ?? Number.POSITIVE_INFINITY;
      const first = seen.find((one) => one.status === status && one.at >= at - CLOCK_MS && one.at < until);
      if (first === undefined) result.missed++;
      result.lagsMs.push(Math.max(0, (first?.at ?? until) - at));
    }
  }
  return result;
}

/** Parses an agent's file of changes: `SECONDS.MICROSECONDS STATUS`, a line each. */
export function parseChanges(session: string, text: string): Change[] {
  return text
    .split('\n')
    .map((line) => line.split(' '))
    .flatMap(([seconds, status]) =>
      status === undefined || status === 'finished' ? [] : [{ session, at: Number(seconds) * 1_000, status }],
    );
}

function bySession(changes: readonly Change[]): Map<string, Change[]> {
  const sessions = new Map<string, Change[]>();
  for (const change of changes) {
    const known = sessions.get(change.session);
    if (known === undefined) sessions.set(change.session, [change]);
    else known.push(change);
  }
  return sessions;
}

const byTime = (one: Change, other: Change): number => one.at - other.at;
