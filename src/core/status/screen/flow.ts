import type { Millis } from '../millis.ts';
import type { FlowEvidence, Highlight, ScreenEvidence, ScreenFrame } from './screen-evidence.ts';

/**
 * The highlight takes 50 ms for a character while a request is out and 200 ms from its first byte on (1.0.94 to
 * 2.1.92); what is further apart in time may be two of its runs.
 */
const ONE_RUN_MS = 500;

/**
 * While a request is out, the highlight is away from the words for 20 steps of 50 ms (1.0.94 to 2.1.92), while its
 * answer comes for 20 of 200 ms. So it is known after this what goes on, and not only when it is back. From 2.0.77 on
 * there is none any more where nothing has come for 3 s, and the spinner fades to red 0.8 s later: that together has to
 * pass first.
 */
export const AWAY_WHILE_SENDING_MS = 2_200;

/**
 * What the highlight takes for a column while a request is out, and by how much that may differ: on two cores with a
 * load of 15 one in five does.
 */
const SENDING_COLUMN_MS = 50;
const UNEVEN_MS = 6;
/**
 * How many more steps of one kind than of the other decide. While an answer comes, one step in five to one in three is
 * even (1.0.85, 1.0.90).
 */
const DECIDED_PACE = 2;
/** An answer goes on for a while: how much longer the pace must be a request's before it counts as one. */
const SLOWEST_PACE = -4;
/**
 * Between two runs to the right: 0.5 to 0.7 s where the highlight never turns (1.0.72 to 1.0.90), 0.76 to 1.1 s where
 * it does.
 */
const SHORT_AWAY_MS = 700;

/** A spinner's line by its shape alone, cheap and good enough. */
export const SPINNER_SHAPE = /^[·✢✳✶✻✽*∗] .*…/;

/** At the end of the spinner's clock while reasoning comes, and for a moment after it (2.0.70 to 2.1.50). */
const REASONS = / · (?:thinking|thought for \d+s)\)$/;

/** Before a highlight was seen. */
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
 * Follows the spinner's highlight from frame to frame. What it told holds until anything else is drawn above the
 * spinner: a call that ends is followed by another request. From 2.1.250 on it runs to the left whatever goes on, so
 * the left says nothing before it was seen running to the right. Up to 1.0.90 it always runs to the right: every 50 ms
 * while a request is out, and then as fast as the answer comes, 30 to 200 ms, which changes all the time.
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
  // Once may be a jump: the words have changed.
  const isSecond = kept.step === step;
  if (step === 'left') {
    const isReceiving = kept.runsRight;
    return { ...back, turns: (isSecond && isReceiving) || kept.turns, flow: isReceiving ? 'receiving' : kept.flow };
  }
  return isSecond && seen !== null ? runToTheRight(back, { from: seen, to: highlight, tookMs: at - seen.at }) : back;
}

/** The highlight is not over the words. Where the spinner fades there is none, so that it is away says nothing. */
function leaveWords(kept: FlowEvidence, colour: number | null, at: Millis): FlowEvidence {
  if (kept.seen === null && (kept.awaySince === null || colour === kept.colour)) return kept;
  return { ...kept, seen: null, awaySince: colour === kept.colour ? at : null };
}

/** What a step to the right tells: that a request is out, or, where the highlight never turns, what its pace says. */
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

/** Whether the spinner still turns, below the same conversation. */
function isSameTurn(before: ScreenFrame, after: ScreenFrame, row: number): boolean {
  if (!SPINNER_SHAPE.test(after.lines[row] ?? '')) return false;
  for (let above = 0; above < row; above++) if (before.lines[above] !== after.lines[above]) return false;
  return true;
}
