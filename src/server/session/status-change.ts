import { restoreDialogs, type ShownDialog, type StatusMemory } from '../../core/status/index.ts';
import type { SessionRecord } from '../../platform/sqlite/session-store.ts';
import { isInTurn, type StatusChange } from '../../protocol/index.ts';
import { changeByTurn, type SessionInTurn } from './begun.ts';
import { toTimestamp } from './view.ts';

/** Returns a status in the form in which the history stores it. */
export function changeOf(memory: StatusMemory, at: number): StatusChange {
  const { primary, detail, state, health, because } = memory;
  const interrupted = memory.isInterrupted === true ? { interrupted: true as const } : {};
  return { at: toTimestamp(at), primary, detail, state, health, because, ...interrupted };
}

/** Returns when what the history stores of a status changed, or null if nothing of it changed. */
export function changedAt(memory: StatusMemory, before: StatusMemory | null, now: number): number | null {
  if (before?.primary !== memory.primary || before.detail !== memory.detail) return memory.since;
  return before.health === memory.health && before.isInterrupted === memory.isInterrupted ? null : now;
}

/**
 * Returns the last status that a previous server stored. It only shows how long the status has lasted, and under which
 * ids questions were shown; the status itself is derived from the evidence again.
 */
export function memoryOf(last: StatusChange | null, shown: readonly ShownDialog[], now: number): StatusMemory | null {
  if (last === null) return null;
  // The clock may have been set back since the status was stored.
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
    questions: [],
    shown: restoreDialogs(shown),
    wait: null,
    lastQuestion: null,
    ...(last.interrupted === true ? { isInterrupted: true } : {}),
  };
}

/** Returns what a session's record keeps of a new status. Once another turn has begun, the interrupted one is over. */
export function keptWith(
  memory: StatusMemory,
  before: StatusMemory | null,
  actor: SessionInTurn,
): Partial<SessionRecord> {
  const { primary, question, shown } = memory;
  const { endedAt, ended } = actor.record;
  const isOver = primary === 'active' && endedAt === null && ended !== null;
  return {
    shown,
    ...(question === null ? {} : { lastQuestion: question.text }),
    ...(isOver ? { ended: null } : {}),
    ...(primary === 'idle' && before !== null && isInTurn(before) ? changeByTurn(actor) : {}),
  };
}
