import { isReady } from '../../protocol/index.ts';
import type { Millis } from '../status/index.ts';
import { contextOf, type DeliveryDecision, type DeliveryRequest, decideDelivery, mayTypeHeld } from './decide.ts';
import { lastTaken } from './record.ts';
import { coverOf, draftOf, isDialogNew, isDialogOpen, type Seen } from './seen.ts';
import { isQueued, leftoversOf, leftToEnter } from './standing.ts';
import { go, type Step, wait } from './step.ts';
import { advanceTakingOut, type TakingOut } from './take-out.ts';
import { advanceTyping, type Became, enterLeft, type Typing, typeText } from './type-text.ts';

/**
 * How long to wait for a tool's dialog. Claude Code draws the dialog 10 to 150 ms after the tool's hook, or later on a
 * loaded machine.
 */
const DIALOG_DRAWN_MS = 1_500;
/**
 * How long after a turn's last hook Claude Code may begin the next turn from its own queue. This takes 0.1 s, or longer
 * on a loaded machine.
 */
const QUEUE_BEGINS_MS = 1_000;
/**
 * How long to wait before believing that the prompt contains a draft or is covered. A turn's final hook arrives before
 * Claude Code redraws the screen, so old text in the prompt still looks like a draft. During the redraw, the prompt may
 * not be visible at all.
 */
const DRAFT_SETTLE_MS = 1_500;
/**
 * How long it may take until a missing message reappears. When someone presses Enter, the effect shows within 20 to 150
 * ms. When CBOS types a message into the box, the message shows within 100 ms. A loaded machine is slower.
 */
const MISSING_MS = 1_500;

/**
 * The purpose of a visit to the prompt. `send` delivers a new message, and `flush` delivers messages that CBOS already
 * holds.
 */
export type Goal = { kind: 'send'; request: DeliveryRequest } | { kind: 'flush' };

/** One visit to the prompt. During a visit, CBOS holds the session's turn, and nothing else types into the session. */
export type Visit =
  /** waits until the tools that were just called are running, or until their dialogs have been drawn */
  | { at: 'begin'; goal: Goal; heldAt: Millis }
  /** waits until Claude Code has begun the next turn from its own queue */
  | { at: 'queue'; goal: Goal }
  | { at: 'settling'; request: DeliveryRequest; until: Millis }
  | { at: 'deciding'; request: DeliveryRequest }
  | { at: 'flushing' }
  | { at: 'taking_out'; goal: Goal; hasStood: boolean; out: TakingOut }
  /**
   * the box does not contain the message that was typed earlier, either because someone has just sent it or because it
   * has not appeared yet
   */
  | { at: 'missing'; id: string; until: Millis }
  | { at: 'typing'; typing: Typing; id: string }
  | { at: 'over'; end: VisitEnd };

export type VisitEnd =
  | Exclude<DeliveryDecision, { kind: 'type' }>
  /** `hasCleared`: whether CBOS first removed its own leftover text from the prompt */
  | { kind: 'type'; confirm: 'turn' | 'queue'; hasCleared: boolean }
  | { kind: 'typed'; id: string; became: Became }
  | { kind: 'beside_draft' }
  | { kind: 'nothing' };

const over = (end: VisitEnd): Visit => ({ at: 'over', end });
const FLUSH: Goal = { kind: 'flush' };

export const visit = (goal: Goal, { now }: Seen): Visit => ({ at: 'begin', goal, heldAt: now.elapsed });

/**
 * Returns the next step of a visit. This function neither waits, nor reads a clock, nor acts. Its caller does all of
 * that.
 */
export function advance(state: Visit, seen: Seen): Step<Visit> {
  const { now } = seen;
  switch (state.at) {
    case 'begin': {
      const drawnAt = newestTool(seen, now.wall - (now.elapsed - state.heldAt)) + DIALOG_DRAWN_MS - now.wall;
      if (!isDialogOpen(seen) && drawnAt > 0) return wait(state, now.elapsed + drawnAt);
      return go({ at: 'queue', goal: state.goal });
    }
    case 'queue': {
      const leftMs = queueBeginsIn(seen);
      if (leftMs > 0) return wait(state, now.elapsed + leftMs);
      if (state.goal.kind === 'flush') return go({ at: 'flushing' });
      return go({ at: 'settling', request: state.goal.request, until: now.elapsed + DRAFT_SETTLE_MS });
    }
    case 'settling': {
      const isFree = draftOf(seen) === null && coverOf(seen) === null && !isDialogNew(seen);
      const isSettled = state.request.force || isFree;
      if (!isSettled && now.elapsed < state.until) return wait(state, state.until);
      return go({ at: 'deciding', request: state.request }, { effect: { kind: 'look' } });
    }
    case 'deciding':
      return go(decideVisit(state.request, seen));
    case 'flushing': {
      if (seen.isDead || !mayTypeHeld(contextOf(seen))) return go(over({ kind: 'nothing' }));
      const left = seen.isQueueStopped ? null : leftToEnter(seen);
      return go(left === null ? takingOut(FLUSH, seen) : { at: 'typing', typing: enterLeft(left, seen), id: left.id });
    }
    case 'taking_out': {
      const step = advanceTakingOut(state.out, seen);
      if (step.state.at !== 'over') return within(state, state.out, step, (out) => ({ ...state, out }));
      return { ...step, state: step.state.isEmpty ? emptied(state, seen) : stuck(state) };
    }
    case 'missing': {
      const next = seen.deliveries.queued[0];
      if (next?.id !== state.id || !mayTypeHeld(contextOf(seen))) return go(over({ kind: 'nothing' }));
      if (draftOf(seen) !== null) return go({ ...takingOut(FLUSH, seen), hasStood: true });
      return now.elapsed < state.until ? wait(state, state.until) : go(typeNext(seen));
    }
    case 'typing': {
      const step = advanceTyping(state.typing, seen);
      if (step.state.at !== 'over') return within(state, state.typing, step, (typing) => ({ ...state, typing }));
      const { became } = step.state;
      const next = became === 'not_alone' ? takingOut(FLUSH, seen) : over({ kind: 'typed', id: state.id, became });
      return { ...step, state: next };
    }
    case 'over':
      return wait(state, null);
  }
}

/** Turns a step of one part into a step of the whole visit. If the part is still the same object, so is the whole. */
const within = <Part>(whole: Visit, part: Part, step: Step<Part>, join: (part: Part) => Visit): Step<Visit> => ({
  ...step,
  state: step.state === part ? whole : join(step.state),
});

const takingOut = (goal: Goal, seen: Seen): Extract<Visit, { at: 'taking_out' }> => ({
  at: 'taking_out',
  goal,
  hasStood: leftoversOf(seen) !== null,
  out: { at: 'begin' },
});

function decideVisit(request: DeliveryRequest, seen: Seen): Visit {
  const decision = decideDelivery(contextOf(seen), request);
  if (decision.kind !== 'type') return over(decision);
  // CBOS removes its own text even if it is asked to type beside whatever the prompt contains.
  const mayClear = !request.force || (leftoversOf(seen) !== null && isReady(seen.status));
  const isInTheWay = decision.confirm === 'turn' && mayClear && draftOf(seen) !== null;
  return isInTheWay ? takingOut({ kind: 'send', request }, seen) : over({ ...decision, hasCleared: false });
}

function emptied({ goal, hasStood }: Extract<Visit, { at: 'taking_out' }>, seen: Seen): Visit {
  if (goal.kind === 'send') return over({ kind: 'type', confirm: 'turn', hasCleared: true });
  if (seen.isQueueStopped) return over({ kind: 'nothing' });
  const next = seen.deliveries.queued[0];
  if (hasStood || next === undefined || next.phase === 'held') return typeNext(seen);
  return { at: 'missing', id: next.id, until: seen.now.elapsed + MISSING_MS };
}

const stuck = ({ goal }: Extract<Visit, { at: 'taking_out' }>): Visit =>
  over({ kind: goal.kind === 'send' ? 'beside_draft' : 'nothing' });

function typeNext(seen: Seen): Visit {
  const next = seen.deliveries.queued[0];
  if (next === undefined) return over({ kind: 'nothing' });
  return { at: 'typing', typing: typeText(next, { confirm: 'turn', force: false }, seen), id: next.id };
}

/** Returns when the last tool was called before CBOS held the turn. */
function newestTool({ hooks }: Seen, heldAt: Millis): Millis {
  return Math.max(Number.NEGATIVE_INFINITY, ...hooks.tools.map(({ at }) => at).filter((at) => at <= heldAt));
}

/**
 * Returns how much longer it may take until the next turn begins with the queued messages. A message that is sent
 * before that turn begins would overtake the queue (2.1.329). Nothing shows that the turn has begun, so CBOS relies on
 * the elapsed time.
 */
function queueBeginsIn({ deliveries, hooks, isDead, now }: Seen): number {
  const last = lastTaken(deliveries);
  if (isDead || last === undefined || !isQueued(last)) return 0;
  return (hooks.turnEnd?.at ?? 0) + QUEUE_BEGINS_MS - now.wall;
}
