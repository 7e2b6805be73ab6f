import type { StatusMemory } from '../../core/status/index.ts';
import type { StatusChange } from '../../protocol/index.ts';
import { toTimestamp } from './view.ts';

/** Returns a status in the form stored in the history. */
export function changeOf(memory: StatusMemory, at: number): StatusChange {
  const { primary, detail, state, health, because } = memory;
  return { at: toTimestamp(at), primary, detail, state, health, because };
}

/**
 * Returns the status that a previous server left behind. It only shows how long the status has lasted; the evidence
 * determines the status anew.
 */
export function memoryOf(last: StatusChange | null, now: number): StatusMemory | null {
  if (last === null) return null;
  // Since then, the clock may have been set back.
  const at = Math.min(Date.parse(last.at), now);
  const { primary, detail, state, health, because } = last;
  return {
    primary,
    detail,
    state,
    health,
    because,
    since: at,
    recoveredAt: null,
    question: null,
    wait: null,
    lastQuestion: null,
  };
}
