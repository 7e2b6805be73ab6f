import type { SourceVerdict } from '../evidence.ts';
import type { Millis } from '../millis.ts';

/** Who is believed. */
export interface Arbitration {
  winner: SourceVerdict | null;
  /** why this one and no other, for people */
  why: string;
  /** when the same evidence would be judged anew, null when time alone changes nothing */
  recheckAt: Millis | null;
}

/** Time alone changes nothing about it. */
export const final = (winner: SourceVerdict | null, why: string): Arbitration => ({ winner, why, recheckAt: null });

/** `first` wins until the deadline, `later` from there on. Both with the reason. */
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

/** A turn was begun, so the session is not fresh, though an early interrupt wipes the screen (2.1.150 on). */
export const idleAfterTurn = (idle: SourceVerdict): SourceVerdict =>
  idle.detail === 'ready' ? { ...idle, detail: 'waiting_input' } : idle;

/** A question in words at the end of a turn: no dialog is open. */
export const isClosing = ({ rule }: SourceVerdict): boolean => rule.endsWith('.closing');
