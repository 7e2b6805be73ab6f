import type { Millis } from '../status/index.ts';
import type { Change } from './record.ts';

/** What is to be done outside, one thing at a time. */
export type Effect =
  /** types a text into the prompt */
  | { kind: 'type'; id: string; text: string; command: boolean }
  /** presses Enter below a text: one that was just typed, one that a former server left, or `again` */
  | { kind: 'enter'; id: string; of: 'typed' | 'left' | 'again' }
  /** the key that empties the prompt */
  | { kind: 'clear' }
  /** no digit of an answer can be in the prompt any more */
  | { kind: 'forget_digits' }
  /** draws what the recording has by now */
  | { kind: 'look' }
  /** reads what the transcript says: the next look has it as `told` */
  | { kind: 'read_transcript' };

/**
 * One step of a machine that carries deliveries on. What `changes` say is written down first, then `effect` is done,
 * then the machine is asked again. A machine that has nothing to do gives its state back as it came, the same object,
 * and is asked again at the next change of what is seen, or at `recheckAt`.
 */
export interface Step<State> {
  state: State;
  changes: readonly Change[];
  effect: Effect | null;
  /** of the count that only grows; null: only a change of what is seen matters */
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
