import type { StatusMemory } from '../../core/status/index.ts';
import type { StatusChange } from '../../protocol/index.ts';
import { toTimestamp } from './view.ts';

/** A status as the history keeps it. */
export function changeOf(memory: StatusMemory, at: number): StatusChange {
  const { primary, detail, state, health, because } = memory;
  return { at: toTimestamp(at), primary, detail, state, health, because };
}

/** The status as a former server left it: only for how long it has lasted, the evidence decides anew what it is. */
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
