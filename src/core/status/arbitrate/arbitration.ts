import type { SourceVerdict } from '../evidence.ts';
import type { Millis } from '../millis.ts';

/** The source that CBOS believes, and the reason. */
export interface Arbitration {
  winner: SourceVerdict | null;
  /** why CBOS chose this source over the others, worded for users */
  why: string;
  /** when to judge the same evidence again, or null if the passage of time changes nothing */
  recheckAt: Millis | null;
}

/** Creates a decision that the passage of time does not change. */
export const final = (winner: SourceVerdict | null, why: string): Arbitration => ({ winner, why, recheckAt: null });

/** Decides for `first` until the deadline and for `later` afterwards, each with its own reason. */
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

/**
 * After a turn, a session no longer counts as new, even if an early interrupt has cleared the screen (since 2.1.150).
 */
export const idleAfterTurn = (idle: SourceVerdict): SourceVerdict =>
  idle.detail === 'ready' ? { ...idle, detail: 'waiting_input' } : idle;

/**
 * Reports whether the verdict is a closing question, that is, a question in the text at the end of a turn, without an
 * open dialog.
 */
export const isClosing = ({ rule }: SourceVerdict): boolean => rule.endsWith('.closing');
