/**
 * Bytes that a client which acknowledges may be sent ahead of its last acknowledgement. A terminal in a page parses
 * about 5 MB/s, so this is 50 ms of work; VS Code allows 100,000 characters. More lets a key's echo queue behind
 * output, less starves a client that is a round trip of 100 ms away (2.5 MB/s).
 */
export const WINDOW_BYTES = 256 * 1024;

/**
 * How far behind a client may be when it can take more and still get every byte. Beyond it the screen as it is now
 * (some 10 kB) tells more, sooner, than the bytes that led there.
 */
export const MAX_LAG_BYTES = 512 * 1024;

/** Bytes in one frame at most: a frame is held whole by both sides, and other sessions' frames wait behind it. */
export const FRAME_BYTES = 64 * 1024;

/** The longest character; with less room than that a frame could be empty. */
const MIN_ROOM_BYTES = 4;

/** Where a subscriber stands in a recording, in bytes of its file. */
export interface Standing {
  /** how far it was sent */
  position: number;
  /** how far there is something to send */
  end: number;
  /**
   * how far it acknowledged, or its last snapshot's offset where that is further; null: it never acknowledged anything
   */
  ackedTo: number | null;
  /** how far behind it may be: see {@link allowedLag} */
  allowedLagBytes: number;
  /** the connection holds as much unsent as it may */
  congested: boolean;
}

export type NextStep =
  | { kind: 'live' }
  /** until it acknowledges or the connection drains */
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
 * How far behind a subscriber may be that begins at an offset of its own choice: as far as it is now, for it asked for
 * those bytes and they are read from the file at its pace, but not fall behind further than anybody else.
 */
export function allowedLag(position: number, end: number): number {
  return Math.max(0, end - position) + MAX_LAG_BYTES;
}

/** Where a subscription begins. A `from` before the output is the output's beginning, one beyond the end is none. */
export function beginning(
  from: number | undefined,
  recording: { start: number; end: number },
): { kind: 'snapshot' } | { kind: 'offset'; position: number } {
  if (from === undefined || from > recording.end) return { kind: 'snapshot' };
  return { kind: 'offset', position: Math.max(from, recording.start) };
}

/** An acknowledgement taken into account: it never goes back, and never beyond what was sent. */
export function acknowledged(ackedTo: number | null, offset: number, position: number): number {
  return Math.max(ackedTo ?? 0, Math.min(offset, position));
}
