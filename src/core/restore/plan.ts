import type { Loss, RestoreRefusal, SessionType } from '../../protocol/index.ts';

/** What is known of a session that is to be brought back. */
export interface RestoreSeen {
  type: SessionType;
  isDead: boolean;
  isParked: boolean;
  isAdopted: boolean;
  loss: Loss | null;
  /** how often it was tried since it was lost */
  tries: number;
  /** whether the server does it by itself, and no person asked for it */
  isByItself: boolean;
  folder: 'there' | 'gone' | 'worktree_gone';
  /** whether its own arguments can be given again */
  isRepeatable: boolean;
  /** whether another session of this home has the conversation */
  isShared: boolean;
  /** whether a Claude Code that runs has the conversation open */
  isOpen: boolean;
  /** whether Claude Code has saved the conversation */
  hasConversation: boolean;
  /** whether it was lost before its first prompt */
  wasBlank: boolean;
}

/** What a restoration does with a session. `anew`: the same launch, because no conversation had begun. */
export type RestorePlan = { kind: 'resume' } | { kind: 'anew' } | { kind: 'left'; because: RestoreRefusal };

/** How often the server tries by itself. Each try may have been the end of the server, of memory for example. */
export const MOST_TRIES = 3;

export function planRestore(seen: RestoreSeen): RestorePlan {
  const because = refusalOf(seen);
  if (because !== null) return { kind: 'left', because };
  if (seen.hasConversation) return { kind: 'resume' };
  return seen.wasBlank ? { kind: 'anew' } : { kind: 'left', because: 'no_conversation' };
}

function refusalOf(seen: RestoreSeen): RestoreRefusal | null {
  if (seen.isParked) return 'parked';
  if (!seen.isDead) return seen.type === 'json' ? 'json' : 'running';
  if (seen.loss === null) return 'ended';
  if (!seen.isAdopted) return 'observed';
  if (seen.folder !== 'there') return seen.folder === 'gone' ? 'folder_gone' : 'worktree_gone';
  if (!seen.isRepeatable) return 'own_arguments';
  if (seen.isShared) return 'shared';
  if (seen.isOpen) return 'in_use';
  return seen.isByItself && seen.tries >= MOST_TRIES ? 'gave_up' : null;
}
