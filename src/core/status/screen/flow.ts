import type { FlowEvidence, HighlightRun, Millis, ScreenEvidence, ScreenFrame } from '../evidence.ts';

/**
 * The highlight takes 50 ms for a character while a request is out and 200 ms from its first byte on (1.0.94 to 2.1.92); what is further
 * apart in time may be two of its runs.
 */
const ONE_RUN_MS = 500;

/**
 * While a request is out, the highlight is away from the words for 20 steps of 50 ms (1.0.94 to 2.1.92), while its answer comes for 20 of
 * 200 ms. So it is known after this what goes on, and not only when it is back. From 2.0.77 on there is none any more where nothing has
 * come for 3 s, and the spinner fades to red 0.8 s later: that together has to pass first.
 */
export const AWAY_WHILE_SENDING_MS = 2_200;

/** What the highlight takes for a column while a request is out, and by how much that may differ: 46 to 54 ms on two cores with a load of 5 to 21 (1.0.90). */
const SENDING_COLUMN_MS = 50;
const UNEVEN_MS = 5;
/** A run is judged from this many steps on: over the shortest of Claude Code's words no more can be seen. */
const JUDGED_STEPS = 2;
/** Where the highlight always runs to the right, it is away for 11 steps, and for 20 where it turns (1.0.90, 1.0.94). */
const SHORT_AWAY_MS = 750;

/** A spinner's line by its shape alone, cheap and good enough. */
export const SPINNER_SHAPE = /^[·✢✳✶✻✽*∗] .*…/;

const NO_STEPS: HighlightRun = { steps: 0, even: 0 };

/** Before a highlight was seen. */
export const NO_FLOW: FlowEvidence = {
  row: null,
  seen: null,
  colour: null,
  awaySince: null,
  run: NO_STEPS,
  flow: null,
  runsRight: false,
  keepsTime: false,
};

/**
 * Follows the spinner's highlight from frame to frame. What it told holds until anything else is drawn above the spinner: a call that ends
 * is followed by another request. From 2.1.250 on it runs to the left whatever goes on, so the left says nothing before it was seen running
 * to the right. Up to 1.0.90 it always runs to the right: every 50 ms while a request is out, and then as fast as the answer comes, 30 to
 * 200 ms, which changes all the time.
 */
export function followFlow(previous: ScreenEvidence | null, frame: ScreenFrame, at: Millis): FlowEvidence {
  const known = previous?.flow ?? NO_FLOW;
  const isSame = previous !== null && known.row !== null && isSameTurn(previous.frame, frame, known.row);
  const kept = isSame ? known : { ...NO_FLOW, runsRight: known.runsRight, keepsTime: known.keepsTime };
  const { row = null, colour = null, highlight = null } = frame.spinner ?? {};
  if (highlight === null) return leaveWords(kept, colour, at);
  const { col, isWhole } = highlight;
  const seen = kept.row === row ? kept.seen : null;
  if (seen?.col === col) return kept;
  const isStep = seen !== null && at - seen.at <= ONE_RUN_MS;
  const isRight = isStep && col > seen.col;
  // Once may be a jump: the words have changed.
  const isSending = isRight && seen.isRight;
  const isReceiving = isStep && !isRight && kept.runsRight;
  const isWholeStep = isRight && isWhole && seen.isWhole;
  const run = isWholeStep ? longer(kept.run, (at - seen.at) / (col - seen.col)) : isRight ? kept.run : NO_STEPS;
  const isShortAway = kept.awaySince !== null && at - kept.awaySince <= SHORT_AWAY_MS;
  return {
    row,
    seen: { col, isWhole, at, isRight },
    colour,
    awaySince: null,
    run,
    flow: isSending ? flowToTheRight(kept, run) : isReceiving ? 'receiving' : kept.flow,
    runsRight: kept.runsRight || isSending,
    keepsTime: kept.keepsTime || (isShortAway && isEven(kept.run)),
  };
}

/** The highlight is not over the words. Where the spinner fades there is none, so that it is away says nothing. */
function leaveWords(kept: FlowEvidence, colour: number | null, at: Millis): FlowEvidence {
  if (colour !== kept.colour)
    return kept.seen === null && kept.awaySince === null ? kept : { ...kept, seen: null, awaySince: null };
  return kept.seen === null ? kept : { ...kept, seen: null, awaySince: at };
}

const longer = ({ steps, even }: HighlightRun, columnMs: number): HighlightRun => ({
  steps: steps + 1,
  even: even + (Math.abs(columnMs - SENDING_COLUMN_MS) <= UNEVEN_MS ? 1 : 0),
});

/** While a request is out all steps are even, while its answer comes up to one in three is. */
const isEven = ({ steps, even }: HighlightRun): boolean => steps >= JUDGED_STEPS && even > steps / 2;

/** What a run to the right tells: that a request is out, or, where it never turns, what its pace says. */
function flowToTheRight({ keepsTime, flow }: FlowEvidence, run: HighlightRun): FlowEvidence['flow'] {
  if (!keepsTime) return 'sending';
  if (run.steps < JUDGED_STEPS) return flow ?? 'sending';
  return isEven(run) ? 'sending' : 'receiving';
}

/** Whether the spinner still turns, below the same conversation. */
function isSameTurn(before: ScreenFrame, after: ScreenFrame, row: number): boolean {
  if (!SPINNER_SHAPE.test(after.lines[row] ?? '')) return false;
  for (let above = 0; above < row; above++) if (before.lines[above] !== after.lines[above]) return false;
  return true;
}
