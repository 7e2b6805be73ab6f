import type { Attempt } from './sink-driver.ts';

/** The outcome of a call to the API of a chat service. */
export type ApiCall =
  | { kind: 'ok'; result: unknown }
  /**
   * the service refused the call; `isOver` is set if it would refuse the same call again, and `afterMs` if it asks CBOS
   * to wait
   */
  | { kind: 'failed'; error: string; isOver: boolean; afterMs: number | null }
  /** the service did not answer, or it failed */
  | { kind: 'unsent' | 'unsure'; error: string };

/** Returns what a call that did not succeed means for the message that it was supposed to send or change. */
export function attemptOf(call: Exclude<ApiCall, { kind: 'ok' }>): Attempt {
  if (call.kind !== 'failed') return { ...call, afterMs: null };
  const { error, isOver, afterMs } = call;
  return isOver ? { kind: 'refused', error } : { kind: 'unsent', error, afterMs };
}
