/**
 * How many bytes the server sends beyond what a client has acknowledged. A terminal in a page parses about 5 MB/s, so
 * this amounts to 50 ms of work. VS Code allows 100,000 characters. With a larger window, the echo of a keypress would
 * wait behind other output. With a smaller one, a client with a round trip of 100 ms would receive too little (2.5
 * MB/s).
 */
export const WINDOW_BYTES = 256 * 1024;

/**
 * How far a client may be behind and still receive every byte. If it is further behind, the current screen (about 10
 * kB) shows more, and sooner, than the bytes that led to it.
 */
export const MAX_LAG_BYTES = 512 * 1024;

/**
 * The maximum size of a frame in bytes. Both sides hold a whole frame in memory, and the frames of other sessions wait
 * behind it.
 */
export const FRAME_BYTES = 64 * 1024;

/** The number of bytes in the longest character. With less room, a frame could be empty. */
const MIN_ROOM_BYTES = 4;

/** A subscriber's position in a recording, in bytes of the file. */
export interface Standing {
  /** the position up to which the recording has been sent to the subscriber */
  position: number;
  /** the position up to which output can be sent */
  end: number;
  /**
   * the position up to which the subscriber has acknowledged the output, or the offset of its last snapshot if that is
   * further ahead, or null if it has never acknowledged anything
   */
  ackedTo: number | null;
  /** how far behind the subscriber may be; see {@link allowedLag} */
  allowedLagBytes: number;
  /** whether the connection already holds as many unsent bytes as it may */
  congested: boolean;
}

export type NextStep =
  | { kind: 'live' }
  /** wait until the subscriber acknowledges output or the connection drains */
  | { kind: 'wait' }
  | { kind: 'snapshot' }
  /** send the bytes from the subscriber's position up to this one */
  | { kind: 'chunk'; to: number };

/** Returns what to send to a subscriber next. */
export function nextStep(standing: Standing): NextStep {
  const { position, end, ackedTo, congested } = standing;
  if (position >= end) return { kind: 'live' };
  const room = ackedTo === null ? FRAME_BYTES : ackedTo + WINDOW_BYTES - position;
  if (congested || room < MIN_ROOM_BYTES) return { kind: 'wait' };
  if (end - position > standing.allowedLagBytes) return { kind: 'snapshot' };
  return { kind: 'chunk', to: Math.min(end, position + FRAME_BYTES, position + room) };
}

/**
 * Returns how far behind a subscriber may be if it begins at an offset of its own choice. The initial lag is allowed,
 * because the subscriber asked for those bytes and receives them from the file at its own pace. Beyond that, the same
 * limit applies as for other subscribers.
 */
export function allowedLag(position: number, end: number): number {
  return Math.max(0, end - position) + MAX_LAG_BYTES;
}

/**
 * Returns where a subscription begins. If `from` is before the output, the subscription begins where the output begins.
 * If `from` is beyond the end, it is ignored.
 */
export function beginning(
  from: number | undefined,
  recording: { start: number; end: number },
): { kind: 'snapshot' } | { kind: 'offset'; position: number } {
  if (from === undefined || from > recording.end) return { kind: 'snapshot' };
  return { kind: 'offset', position: Math.max(from, recording.start) };
}

/**
 * Returns the acknowledged position after a new acknowledgement. The position never moves back, and it never exceeds
 * what was sent.
 */
export function acknowledged(ackedTo: number | null, offset: number, position: number): number {
  return Math.max(ackedTo ?? 0, Math.min(offset, position));
}
