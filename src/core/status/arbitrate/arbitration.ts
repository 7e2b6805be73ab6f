import type { SourceVerdict } from '../evidence.ts';
import type { Millis } from '../millis.ts';

/** The source that is believed, and why. */
export interface Arbitration {
  winner: SourceVerdict | null;
  /** why this source was chosen over the others, for people to read */
  why: string;
  /** when to judge the same evidence again, or null if the passing of time changes nothing */
  recheckAt: Millis | null;
}

/** A decision that the passing of time does not change. */
export const final = (winner: SourceVerdict | null, why: string): Arbitration => ({ winner, why, recheckAt: null });

/** Chooses `first` until the deadline and `later` afterwards. Each has its own reason. */
export function until(
  deadline: Millis,
  now: Millis,
  choice: { first: SourceVerdict; later: SourceVerdict; whyFirst: string; whyLater: string },
): Arbitration {
  return now < deadline
    ? { winner: choice.first, why: choice.whyFirst, recheckAt: deadline }
    : final(choice.later, choice.whyLater);
}

export const earliest = (a: Millis | null, b: Millis | null): Millis | null =>
  a === null ? b : b === null ? a : Math.min(a, b);

/** After a turn, a session no longer counts as fresh, even if an early interrupt cleared the screen (since 2.1.150). */
export const idleAfterTurn = (idle: SourceVerdict): SourceVerdict =>
  idle.detail === 'ready' ? { ...idle, detail: 'waiting_input' } : idle;

/**
 * Reports whether the verdict is a closing question: a question in the text at the end of a turn, without an open
 * dialog.
 */
export const isClosing = ({ rule }: SourceVerdict): boolean => rule.endsWith('.closing');
