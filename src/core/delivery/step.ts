import type { Millis } from '../status/index.ts';
import type { Change } from './record.ts';

/** An action on the outside world, one at a time. */
export type Effect =
  /** types a text into the prompt */
  | { kind: 'type'; id: string; text: string; command: boolean }
  /** presses Enter below a text: a text that was just typed, one that a former server left, or `again` */
  | { kind: 'enter'; id: string; of: 'typed' | 'left' | 'again' }
  /** presses the key that empties the prompt */
  | { kind: 'clear' }
  /** records that no digit of an answer can be in the prompt any more */
  | { kind: 'forget_digits' }
  /** draws everything that the recording has by now */
  | { kind: 'look' }
  /** reads the transcript: the next call gets the result as `told` */
  | { kind: 'read_transcript' };

/**
 * One step of a state machine that carries deliveries on. The caller first stores `changes`, then performs `effect`,
 * then asks the machine again. A machine with nothing to do returns the same state object. The caller then asks again
 * at the next change of what is seen, or at `recheckAt`.
 */
export interface Step<State> {
  state: State;
  changes: readonly Change[];
  effect: Effect | null;
  /** a time of the monotonic count; null if only a change of what is seen matters */
  recheckAt: Millis | null;
}

export const go = <State>(state: State, more: { changes?: readonly Change[]; effect?: Effect } = {}): Step<State> => ({
  state,
  changes: more.changes ?? [],
  effect: more.effect ?? null,
  recheckAt: null,
});

export const wait = <State>(state: State, recheckAt: Millis | null): Step<State> => ({
  state,
  changes: [],
  effect: null,
  recheckAt,
});
