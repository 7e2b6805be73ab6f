/**
 * Determines the age of a message from another machine. The wall clock of that machine may be wrong by minutes, and a
 * message may be in transit for a long time. Only one thing is certain: an answer is written after its request was
 * sent.
 */

/**
 * Pairs two times: the other machine's clock showed `theirMs` when our clock showed `oursMs` or later. Both clocks are
 * monotonic.
 */
export interface Anchor {
  boot: string;
  theirMs: number;
  oursMs: number;
}

/** A message from another machine, with the time at which it was written, by that machine's monotonic clock. */
export interface Stamp {
  boot: string;
  at_ms: number;
}

/**
 * Returns the earliest time, by our clock, at which a message can have been written, or null if that is unknown,
 * because the machine has not answered any request since it started.
 */
export function writtenAt(stamp: Stamp, anchor: Anchor | null, arrivedMs: number): number | null {
  if (anchor === null || anchor.boot !== stamp.boot) return null;
  return Math.min(arrivedMs, anchor.oursMs + (stamp.at_ms - anchor.theirMs));
}

/** Returns the anchor that an answer provides. If there is already an anchor, the more precise of the two is kept. */
export function nextAnchor(stamp: Stamp, anchor: Anchor | null, askedMs: number): Anchor {
  const next: Anchor = { boot: stamp.boot, theirMs: stamp.at_ms, oursMs: askedMs };
  if (anchor === null || anchor.boot !== stamp.boot) return next;
  return next.oursMs - next.theirMs > anchor.oursMs - anchor.theirMs ? next : anchor;
}
