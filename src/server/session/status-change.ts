import type { StatusMemory } from '../../core/status/index.ts';
import type { StatusChange } from '../../protocol/index.ts';
import { toTimestamp } from './view.ts';

/** A status in the form that the history keeps. */
export function changeOf(memory: StatusMemory, at: number): StatusChange {
  const { primary, detail, state, health, because } = memory;
  return { at: toTimestamp(at), primary, detail, state, health, because };
}

/**
 * The status that a former server left. It only shows how long the status has lasted; the evidence decides again what
 * it is.
 */
export function memoryOf(last: StatusChange | null, now: number): StatusMemory | null {
  if (last === null) return null;
  // The clock may have been set back since.
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
