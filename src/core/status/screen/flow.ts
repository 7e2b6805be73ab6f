import type { FlowEvidence, Millis, ScreenEvidence, ScreenFrame } from '../evidence.ts';

/**
 * The highlight takes 50 ms for a character while a request is out and 200 ms from its first byte on (1.0.128 to 2.1.50); what is further
 * apart in time may be two of its runs.
 */
const ONE_RUN_MS = 500;

/** A spinner's line by its shape alone, cheap and good enough. */
export const SPINNER_SHAPE = /^[·✢✳✶✻✽*∗] .*…/;

const NOTHING: FlowEvidence = { row: null, seen: null, flow: null, runsRight: false };

/**
 * Follows the spinner's highlight from frame to frame. What it told holds while the highlight is away, up to 4 s of 6, and until anything
 * else is drawn above the spinner: a call that ends is followed by another request. From 2.1.250 on it runs to the left whatever goes on,
 * so the left says nothing before it was seen running to the right.
 */
export function followFlow(previous: ScreenEvidence | null, frame: ScreenFrame, at: Millis): FlowEvidence {
  const known = previous?.flow ?? NOTHING;
  const isSame = previous !== null && known.row !== null && isSameTurn(previous.frame, frame, known.row);
  const kept = isSame ? known : { ...NOTHING, runsRight: known.runsRight };
  const glimmer = frame.glimmer ?? null;
  if (glimmer === null) return kept.seen === null ? kept : { ...kept, seen: null };
  const { row, col } = glimmer;
  const seen = kept.row === row ? kept.seen : null;
  if (seen?.col === col) return kept;
  const isStep = seen !== null && at - seen.at <= ONE_RUN_MS;
  const isRight = isStep && col > seen.col;
  // Once may be a jump: the words have changed.
  const isSending = isRight && seen.isRight;
  const isReceiving = isStep && !isRight && kept.runsRight;
  return {
    row,
    seen: { col, at, isRight },
    flow: isSending ? 'sending' : isReceiving ? 'receiving' : kept.flow,
    runsRight: kept.runsRight || isSending,
  };
}

/** Whether the spinner still turns, below the same conversation. */
function isSameTurn(before: ScreenFrame, after: ScreenFrame, row: number): boolean {
  if (!SPINNER_SHAPE.test(after.lines[row] ?? '')) return false;
  for (let above = 0; above < row; above++) if (before.lines[above] !== after.lines[above]) return false;
  return true;
}
