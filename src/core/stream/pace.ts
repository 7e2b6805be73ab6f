/**
 * How many bytes the server sends ahead of the last acknowledgement of a client that acknowledges. A terminal in a page
 * parses about 5 MB/s, so this is 50 ms of work; VS Code allows 100,000 characters. With more, a key's echo waits
 * behind output. With less, a client with a round trip of 100 ms starves (2.5 MB/s).
 */
export const WINDOW_BYTES = 256 * 1024;

/**
 * How far behind a client may be and still get every byte. Beyond that, the current screen (some 10 kB) shows more,
 * sooner, than the bytes that led to it.
 */
export const MAX_LAG_BYTES = 512 * 1024;

/**
 * How many bytes a frame has at most: both sides hold a whole frame in memory, and other sessions' frames wait behind
 * it.
 */
export const FRAME_BYTES = 64 * 1024;

/** The length of the longest character: with less room, a frame could be empty. */
const MIN_ROOM_BYTES = 4;

/** The position of a subscriber in a recording, in bytes of its file. */
export interface Standing {
  /** how far the recording was sent to the subscriber */
  position: number;
  /** the end of what can be sent */
  end: number;
  /**
   * how far the subscriber acknowledged, or its last snapshot's offset if that is further; null if it never
   * acknowledged anything
   */
  ackedTo: number | null;
  /** how far behind the subscriber may be: see {@link allowedLag} */
  allowedLagBytes: number;
  /** whether the connection holds as many unsent bytes as it may */
  congested: boolean;
}

export type NextStep =
  | { kind: 'live' }
  /** wait until the subscriber acknowledges or the connection drains */
  | { kind: 'wait' }
  | { kind: 'snapshot' }
  /** send the bytes from the position up to here */
  | { kind: 'chunk'; to: number };

/** What to send to a subscriber next. */
export function nextStep(standing: Standing): NextStep {
  const { position, end, ackedTo, congested } = standing;
  if (position >= end) return { kind: 'live' };
  const room = ackedTo === null ? FRAME_BYTES : ackedTo + WINDOW_BYTES - position;
  if (congested || room < MIN_ROOM_BYTES) return { kind: 'wait' };
  if (end - position > standing.allowedLagBytes) return { kind: 'snapshot' };
  return { kind: 'chunk', to: Math.min(end, position + FRAME_BYTES, position + room) };
}

/**
 * How far behind a subscriber may be that begins at an offset of its own choice. Its initial lag is allowed, because it
 * asked for those bytes, and they are read from the file at its pace. Beyond that, it may fall behind no further than
 * any other subscriber.
 */
export function allowedLag(position: number, end: number): number {
  return Math.max(0, end - position) + MAX_LAG_BYTES;
}

/**
 * Where a subscription begins. A `from` before the output means the output's beginning. A `from` beyond the end is
 * ignored.
 */
export function beginning(
  from: number | undefined,
  recording: { start: number; end: number },
): { kind: 'snapshot' } | { kind: 'offset'; position: number } {
  if (from === undefined || from > recording.end) return { kind: 'snapshot' };
  return { kind: 'offset', position: Math.max(from, recording.start) };
}

/** The acknowledged position after a new acknowledgement. It never moves back, and never beyond what was sent. */
export function acknowledged(ackedTo: number | null, offset: number, position: number): number {
  return Math.max(ackedTo ?? 0, Math.min(offset, position));
}
