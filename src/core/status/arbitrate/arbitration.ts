import type { SourceVerdict } from '../evidence.ts';
import type { Millis } from '../millis.ts';

/** Which source is believed. */
export interface Arbitration {
  winner: SourceVerdict | null;
  /** why this source and no other, for people */
  why: string;
  /** when to judge the same evidence again; null if time alone changes nothing */
  recheckAt: Millis | null;
}

/** A decision that time alone does not change. */
export const final = (winner: SourceVerdict | null, why: string): Arbitration => ({ winner, why, recheckAt: null });

/** `first` wins before the deadline, `later` from the deadline on. Each has its own reason. */
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

/** After a turn the session is not fresh, even if an early interrupt cleared the screen (2.1.150 on). */
export const idleAfterTurn = (idle: SourceVerdict): SourceVerdict =>
  idle.detail === 'ready' ? { ...idle, detail: 'waiting_input' } : idle;

/** A question in words at the end of a turn: no dialog is open. */
export const isClosing = ({ rule }: SourceVerdict): boolean => rule.endsWith('.closing');
