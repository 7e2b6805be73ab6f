import type { Loss, RestoreRefusal, SessionType } from '../../protocol/index.ts';

/** What is known about a session that is to be restored. */
export interface RestoreSeen {
  type: SessionType;
  isDead: boolean;
  isParked: boolean;
  isAdopted: boolean;
  loss: Loss | null;
  /** how many attempts there have been to restore the session since it was lost */
  tries: number;
  /** whether the server restores the session automatically, without being asked by a user */
  isByItself: boolean;
  folder: 'there' | 'gone' | 'worktree_gone';
  /** whether the same launch can be repeated: its arguments choose no conversation and contain no prompt */
  isRepeatable: boolean;
  /** whether another session in this home has the same conversation */
  isShared: boolean;
  /** whether the conversation is open in a running Claude Code */
  isOpen: boolean;
  /** whether Claude Code has saved the session's conversation */
  hasConversation: boolean;
  /** whether the session had a conversation that Claude Code no longer has */
  isGone: boolean;
  /** whether the session was lost before it received its first prompt */
  wasBlank: boolean;
}

/** What a restoration does with one session. `anew` repeats the same launch, because no conversation had begun. */
export type RestorePlan = { kind: 'resume' } | { kind: 'anew' } | { kind: 'left'; because: RestoreRefusal };

/**
 * How many times the server tries automatically. The session itself may have brought down the server, for example by
 * using up the memory.
 */
export const MOST_TRIES = 3;

export function planRestore(seen: RestoreSeen): RestorePlan {
  const because = refusalOf(seen);
  if (because !== null) return { kind: 'left', because };
  if (seen.hasConversation) return { kind: 'resume' };
  if (seen.isGone) return { kind: 'left', because: 'no_conversation' };
  if (!seen.isRepeatable) return { kind: 'left', because: 'own_arguments' };
  return seen.wasBlank ? { kind: 'anew' } : { kind: 'left', because: 'no_conversation' };
}

function refusalOf(seen: RestoreSeen): RestoreRefusal | null {
  if (seen.isParked) return 'parked';
  if (!seen.isDead) return seen.type === 'json' ? 'json' : 'running';
  if (seen.loss === null) return 'ended';
  if (!seen.isAdopted) return 'observed';
  if (seen.folder !== 'there') return seen.folder === 'gone' ? 'folder_gone' : 'worktree_gone';
  if (seen.isShared) return 'shared';
  if (seen.isOpen) return 'in_use';
  return seen.isByItself && seen.tries >= MOST_TRIES ? 'gave_up' : null;
}
