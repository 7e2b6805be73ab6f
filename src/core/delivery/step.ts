import type { Millis } from '../status/index.ts';
import type { Change } from './record.ts';

/** An action that affects the outside world. Only one such action runs at a time. */
export type Effect =
  /** types a message into the prompt */
  | { kind: 'type'; id: string; text: string; command: boolean }
  /**
   * Presses Enter to send a message: `typed`, one that was just typed; `left`, one that a previous server left behind;
   * `again`, one that a first Enter did not send. Unless `isForced`, the key is withheld if a dialog has opened by the
   * time it can be pressed, and the next call sees that as `isEnterWithheld`.
   */
  | { kind: 'enter'; id: string; of: 'typed' | 'left' | 'again'; isForced: boolean }
  /** presses the key that clears the prompt */
  | { kind: 'clear' }
  /** records that the prompt can no longer contain a digit that was meant as an answer */
  | { kind: 'forget_digits' }
  /** processes all the output that the recording contains so far */
  | { kind: 'look' }
  /** reads the transcript, and passes the result to the next call as `told` */
  | { kind: 'read_transcript' };

/**
 * One step of a state machine that moves deliveries forward. The caller first stores `changes`, then performs `effect`,
 * then calls the machine again. A machine that has nothing to do returns the same state object. The caller then calls
 * it again when anything that CBOS observes changes, or at `recheckAt`.
 */
export interface Step<State> {
  state: State;
  changes: readonly Change[];
  effect: Effect | null;
  /** a time on the monotonic clock, or null if only a change in what CBOS observes matters */
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
