import type { Millis } from '../millis.ts';
import type { FlowEvidence, Highlight, ScreenEvidence, ScreenFrame } from './screen-evidence.ts';

/**
 * The maximum time between two positions of the highlight in the same run. The highlight takes 50 ms per character
 * while a request is pending, and 200 ms after the first byte has arrived (1.0.94 to 2.1.92). Positions that are
 * further apart may belong to two runs.
 */
const ONE_RUN_MS = 500;

/**
 * How long the highlight must be absent from the words to prove that an answer is arriving. It is absent for 20 steps.
 * A step takes 50 ms while a request is pending, and 200 ms while the answer arrives (1.0.94 to 2.1.92). CBOS therefore
 * recognizes an arriving answer before the highlight returns. From 2.0.77 on, the highlight disappears after 3 s
 * without a byte, and the spinner fades to red 0.8 s later. This constant also covers that case.
 */
export const AWAY_WHILE_SENDING_MS = 2_200;

/**
 * How long the highlight takes per column while a request is pending, and by how much that time may vary. On two cores
 * with a load of 15, one step in five varies by more than that.
 */
const SENDING_COLUMN_MS = 50;
const UNEVEN_MS = 6;
/**
 * How many more steps of one kind than of the other CBOS must see before it decides. While an answer arrives, between
 * one step in five and one in three has the pace of a pending request (1.0.85, 1.0.90).
 */
const DECIDED_PACE = 2;
/**
 * The lower bound for the pace counter. An answer takes a while, so after an answer, more evenly paced steps are needed
 * to recognize the next request.
 */
const SLOWEST_PACE = -4;
/**
 * The longest pause between two rightward runs of a highlight that never reverses. The pause is 0.5 to 0.7 s if the
 * highlight never reverses (1.0.72 to 1.0.90), and 0.76 to 1.1 s if it does.
 */
const SHORT_AWAY_MS = 700;

/** Matches a spinner's line by its shape alone, which is cheap and sufficiently exact. */
export const SPINNER_SHAPE = /^[·✢✳✶✻✽*∗] .*…/;

/** Matches how the spinner's clock ends during reasoning and for a moment afterwards (2.0.70 to 2.1.50). */
const REASONS = / · (?:thinking|thought for \d+s)\)$/;

/** The evidence before a highlight has been seen. */
export const NO_FLOW: FlowEvidence = {
  row: null,
  seen: null,
  step: null,
  colour: null,
  awaySince: null,
  isBackSoon: false,
  pace: 0,
  flow: null,
  hasReasoned: false,
  runsRight: false,
  turns: null,
  keepsTime: false,
};

/**
 * Follows the spinner's highlight from frame to frame. The result remains valid until something else is drawn above the
 * spinner, because another request follows when a call ends. From 2.1.250 on, the highlight always runs to the left. A
 * run to the left therefore means nothing until the highlight has been seen running to the right. Up to 1.0.90, the
 * highlight always runs to the right. While a request is pending, the highlight takes a step every 50 ms. While the
 * answer arrives, a step takes 30 to 200 ms, and the pace changes constantly.
 */
export function followFlow(previous: ScreenEvidence | null, frame: ScreenFrame, at: Millis): FlowEvidence {
  const known = previous?.flow ?? NO_FLOW;
  const isSame = previous !== null && known.row !== null && isSameTurn(previous.frame, frame, known.row);
  const { runsRight, turns, keepsTime } = known;
  const { row = null, colour = null, highlight = null } = frame.spinner ?? {};
  const hasReasoned = row !== null && REASONS.test(frame.lines[row] ?? '');
  const before = isSame ? known : { ...NO_FLOW, runsRight, turns, keepsTime };
  const kept = hasReasoned && !before.hasReasoned ? { ...before, hasReasoned } : before;
  if (highlight === null) return leaveWords(kept, colour, at);
  const seen = kept.row === row ? kept.seen : null;
  if (seen?.col === highlight.col) return kept;
  const isStep = seen !== null && at - seen.at <= ONE_RUN_MS;
  const step = !isStep ? null : highlight.col > seen.col ? 'right' : 'left';
  const back: FlowEvidence = { ...kept, row, colour, seen: { ...highlight, at }, step, awaySince: null };
  if (step === null) {
    const isSoon = kept.awaySince !== null && at - kept.awaySince <= SHORT_AWAY_MS;
    return { ...back, isBackSoon: isSoon && kept.step === 'right' };
  }
  // A single step may be a jump that happened because the words changed.
  const isSecond = kept.step === step;
  if (step === 'left') {
    const isReceiving = kept.runsRight;
    return { ...back, turns: (isSecond && isReceiving) || kept.turns, flow: isReceiving ? 'receiving' : kept.flow };
  }
  return isSecond && seen !== null ? runToTheRight(back, { from: seen, to: highlight, tookMs: at - seen.at }) : back;
}

/**
 * Records that the highlight is absent from the words. A fading spinner has no highlight, so in that case the absence
 * means nothing.
 */
function leaveWords(kept: FlowEvidence, colour: number | null, at: Millis): FlowEvidence {
  if (kept.seen === null && (kept.awaySince === null || colour === kept.colour)) return kept;
  return { ...kept, seen: null, awaySince: colour === kept.colour ? at : null };
}

/**
 * Records a step to the right, which means that a request is pending. If the highlight never reverses, its pace decides
 * instead.
 */
function runToTheRight(
  known: FlowEvidence,
  { from, to, tookMs }: { from: Highlight; to: Highlight; tookMs: Millis },
): FlowEvidence {
  const isWhole = from.isWhole && to.isWhole;
  const isEven = Math.abs(tookMs / (to.col - from.col) - SENDING_COLUMN_MS) <= UNEVEN_MS;
  const change = !isWhole ? 0 : isEven ? 1 : -1;
  const pace = Math.max(SLOWEST_PACE, Math.min(DECIDED_PACE, known.pace + change));
  const keepsTime = known.keepsTime || pace === DECIDED_PACE;
  const turns = known.turns ?? (known.isBackSoon ? false : null);
  const isPaced = turns === false && keepsTime;
  const byPace = pace <= -DECIDED_PACE ? 'receiving' : pace === DECIDED_PACE ? 'sending' : (known.flow ?? 'sending');
  return { ...known, pace, keepsTime, turns, runsRight: true, flow: isPaced ? byPace : 'sending' };
}

/** Reports whether the spinner is still turning below the same conversation. */
function isSameTurn(before: ScreenFrame, after: ScreenFrame, row: number): boolean {
  if (!SPINNER_SHAPE.test(after.lines[row] ?? '')) return false;
  for (let above = 0; above < row; above++) if (before.lines[above] !== after.lines[above]) return false;
  return true;
}
