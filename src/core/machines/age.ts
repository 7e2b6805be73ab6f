/**
 * How old is what another machine said? Its wall clock may be wrong by minutes, and a message may have been on its way
 * for long. Only one thing is certain: what it said in answer to a request was written after the request was sent.
 */

/** At the other machine it was `theirMs` when it was `oursMs` here, or later. Both clocks are monotonic. */
export interface Anchor {
  boot: string;
  theirMs: number;
  oursMs: number;
}

/** A message of another machine, with the time of its own monotonic clock. */
export interface Stamp {
  boot: string;
  at_ms: number;
}

/**
 * Returns when a message was written at the earliest, by our clock. Null if that is not known, because the machine has
 * not answered anything since its start.
 */
export function writtenAt(stamp: Stamp, anchor: Anchor | null, arrivedMs: number): number | null {
  if (anchor === null || anchor.boot !== stamp.boot) return null;
  return Math.min(arrivedMs, anchor.oursMs + (stamp.at_ms - anchor.theirMs));
}

/** Returns the anchor that an answer gives. Of two, the one that says more is kept. */
export function nextAnchor(stamp: Stamp, anchor: Anchor | null, askedMs: number): Anchor {
  const next: Anchor = { boot: stamp.boot, theirMs: stamp.at_ms, oursMs: askedMs };
  if (anchor === null || anchor.boot !== stamp.boot) return next;
  return next.oursMs - next.theirMs > anchor.oursMs - anchor.theirMs ? next : anchor;
}
